from __future__ import annotations

import asyncio
import errno
import fcntl
import sqlite3
import stat
import subprocess
import sys
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

import bot.storage.database
from bot.clock import system_clock
from bot.host_errors import FileInUseError, StorageFileError
from bot.model.errors import RestartingError, StorageFailedError
from bot.storage import Database, backup, open_storage, restore, upgrade
from bot.storage.files import companion, exclusive_lock
from bot.storage.settings import find_setting, save_setting
from bot.storage.writer import MAX_GROUP
from tests.empty_database import put_empty_database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path


def put(key: str, value: str = "x") -> Callable[[Connection], None]:
    return lambda c: save_setting(c, key, value, now=system_clock())


def keys(connection: Connection) -> set[str]:
    return set(connection.execute(text("SELECT key FROM setting")).scalars())


def pragma(name: str) -> Callable[[Connection], object]:
    return lambda c: c.execute(text(f"PRAGMA {name}")).scalar()


async def test_what_was_written_is_read(database: Database) -> None:
    await database.write(put("key", "value"))

    assert await database.read(lambda c: find_setting(c, "key")) == "value"


async def test_a_write_returns_what_the_job_returns(database: Database) -> None:
    assert await database.write(lambda c: c.execute(text("SELECT 6 * 7")).scalar()) == 42
    nothing: int | None = None
    assert await database.write(lambda _: nothing) is None


async def test_the_file_survives_a_power_cut_and_the_readers_only_read(
    database: Database,
) -> None:
    assert await database.write(pragma("journal_mode")) == "wal"
    assert await database.write(pragma("synchronous")) == 2
    assert await database.write(pragma("foreign_keys")) == 1
    assert await database.read(pragma("query_only")) == 1
    with pytest.raises(OperationalError, match="readonly"):
        await database.read(put("key"))


async def test_the_version_of_sqlite_is_logged(database_url: str) -> None:
    with capture_logs() as lines:
        async with open_storage(database_url):
            pass

    (opened,) = [line for line in lines if line["event"] == "database open"]
    assert opened["sqlite_version"].startswith("3.")


async def test_writes_that_wait_together_are_stored_together(database: Database) -> None:
    """One transaction, so one fsync, for many: that is what pays for synchronous=FULL."""
    transactions: list[object] = []

    def note(connection: Connection) -> None:
        if connection.get_transaction() not in transactions:
            transactions.append(connection.get_transaction())

    await asyncio.gather(*(database.write(note) for _ in range(MAX_GROUP + 1)))

    assert len(transactions) == 2


async def test_a_job_that_fails_undoes_itself_only(database: Database) -> None:
    def fail(connection: Connection) -> None:
        put("half done")(connection)
        raise ValueError("no")

    results = await asyncio.gather(
        database.write(put("before")),
        database.write(fail),
        database.write(put("after")),
        return_exceptions=True,
    )

    assert isinstance(results[1], ValueError)
    assert await database.read(keys) == {"before", "after"}


async def test_cancelled_callers_leave_nothing_half_done(database: Database) -> None:
    """Cancelled at every stage: not begun, queued, being stored. The rest is stored."""
    tasks = [asyncio.create_task(database.write(put(f"key {n}"))) for n in range(300)]
    for number, task in enumerate(tasks):
        if number % 3 == 0:
            task.cancel()
        if number % 7 == 0:
            await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)

    stored = await database.read(keys)
    assert all(f"key {n}" in stored for n, result in enumerate(results) if result is None)
    assert await database.write(pragma("foreign_keys")) == 1
    await database.write(put("one more"))


async def test_a_cancelled_read_gives_its_connection_back(database: Database) -> None:
    await database.write(put("key"))
    for _ in range(20):
        reads = [asyncio.create_task(database.read(keys)) for _ in range(10)]
        await asyncio.sleep(0)
        for read in reads:
            read.cancel()
        await asyncio.gather(*reads, return_exceptions=True)

    assert await database.read(keys) == {"key"}


async def test_a_read_sees_one_instant(database: Database) -> None:
    await database.write(put("first"))

    def twice(connection: Connection) -> tuple[set[str], set[str]]:
        before = keys(connection)
        return before, keys(connection)

    seen, _ = await asyncio.gather(database.read(twice), database.write(put("second")))

    assert seen[0] == seen[1]


async def test_closing_stores_what_was_handed_in(database_url: str) -> None:
    async with open_storage(database_url) as database:
        waiting = [asyncio.create_task(database.write(put(f"key {n}"))) for n in range(600)]
        await asyncio.sleep(0)

    await asyncio.gather(*waiting)
    async with open_storage(database_url) as database:
        assert len(await database.read(keys)) == 600


async def test_a_closed_database_takes_nothing(database_url: str) -> None:
    async with open_storage(database_url) as database:
        pass

    with pytest.raises(RestartingError, match="Nothing is lost"):
        await database.write(put("key"))
    with pytest.raises(RestartingError):
        await database.read(keys)


async def test_closing_leaves_one_file(database_url: str, database_path: Path) -> None:
    """The log is folded into the database, so that a plain copy is a whole one."""
    async with open_storage(database_url) as database:
        await database.write(put("key"))
        await database.read(keys)

    left = {path.name for path in database_path.parent.iterdir()}
    assert left == {"matches.sqlite3", "matches.sqlite3.lock"}


async def test_what_the_database_cannot_do_is_refused_and_logged(database: Database) -> None:
    with capture_logs() as lines:
        results = await asyncio.gather(
            database.write(put("before")),
            database.write(lambda c: c.execute(text("INSERT INTO nowhere VALUES (1)"))),
            return_exceptions=True,
        )

    assert isinstance(results[1], StorageFailedError)
    assert await database.read(keys) == {"before"}
    (line,) = lines
    assert line["reason"] == "no such table: nowhere"


async def test_a_full_disk_refuses_visibly_and_recovers(database: Database) -> None:
    await database.write(put("before"))
    pages = await database.write(pragma("page_count"))
    await database.write(pragma(f"max_page_count = {pages}"))
    with capture_logs() as lines:
        results = await asyncio.gather(
            *(database.write(put(f"big {n}", "x" * 100_000)) for n in range(5)),
            return_exceptions=True,
        )

    assert [type(result) for result in results] == [StorageFailedError] * 5
    assert "could not be saved" in str(results[0])
    assert any(line["log_level"] == "error" for line in lines)
    assert await database.read(keys) == {"before"}
    assert await database.read(pragma("integrity_check")) == "ok"

    await database.write(pragma("max_page_count = 1000000"))
    await database.write(put("after", "x" * 100_000))
    assert await database.read(keys) == {"before", "after"}


async def test_a_transaction_that_sqlite_took_back_fails_its_whole_group(
    database: Database,
) -> None:
    """As on some I/O errors: the jobs before must not be told that they are stored."""
    results = await asyncio.gather(
        database.write(put("before")),
        database.write(lambda c: c.exec_driver_sql("ROLLBACK")),
        database.write(put("after")),
        return_exceptions=True,
    )

    assert [type(result) for result in results] == [StorageFailedError] * 3
    assert await database.read(keys) == set()
    await database.write(put("later"))
    assert await database.read(keys) == {"later"}


FULL_DISK = """
import asyncio, resource, signal, sys
import bot.storage.database
from bot.clock import system_clock
from bot.model.errors import StorageFailedError
from bot.storage import open_storage
from bot.storage.settings import save_setting

def put(key, size):
    return lambda c: save_setting(c, key, "x" * size, now=system_clock())

async def main():
    # A file may grow no further: writes come back short, as on a full disk.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    async with open_storage(sys.argv[1]) as database:
        await database.write(put("before", 1000))
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
        refused = 0
        for number in range(100):
            jobs = [database.write(put(f"{number} {n}", 1000)) for n in range(5)]
            for result in await asyncio.gather(*jobs, return_exceptions=True):
                if isinstance(result, StorageFailedError):
                    refused += 1
                elif result is not None:
                    raise result
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        await database.write(put("after", 1000))
        print("refused:", refused)

asyncio.run(main())
"""


async def test_a_file_that_cannot_grow_refuses_visibly_and_recovers(database_url: str) -> None:
    """The write itself fails here, at the commit, in a process of its own."""
    command = (sys.executable, "-W", "error", "-c", FULL_DISK, database_url)
    ended = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr

    refused = int(ended.stdout.split("refused: ")[1].split()[0])
    assert 0 < refused < 500
    async with open_storage(database_url) as database:
        stored = await database.read(keys)
        assert {"before", "after"} <= stored
        assert len(stored) == 502 - refused
        assert await database.read(pragma("integrity_check")) == "ok"


async def test_a_place_that_cannot_hold_a_file_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.sqlite3").mkdir()

    for name in ("file/matches.sqlite3", "folder.sqlite3"):
        with pytest.raises(StorageFileError, match=r"cannot be kept here .*DATABASE_URL"):
            async with open_storage(f"sqlite+aiosqlite:///{tmp_path}/{name}"):
                pass


async def test_a_disk_that_locks_nothing_is_told_in_words(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network disks: two bots on one file would not notice each other."""

    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)

    with pytest.raises(StorageFileError, match="No locks available"):
        async with open_storage(database_url):
            pass


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [("EXCLUSIVE", "cannot be read"), ("IMMEDIATE", "nothing can be written here")],
)
async def test_a_file_that_another_program_holds_is_told_at_once(
    database_url: str,
    database_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lock: str,
    sentence: str,
) -> None:
    """At the start and not with the first move; and it is not called damaged."""
    monkeypatch.setattr(bot.storage.database, "_COMMON_PRAGMAS", ("PRAGMA busy_timeout = 0",))
    upgrade(database_url)
    with closing(sqlite3.connect(database_path, isolation_level=None)) as other:
        other.execute(f"BEGIN {lock}")

        with pytest.raises(StorageFileError, match=rf"{sentence}.*database is locked"):
            async with open_storage(database_url):
                pass


HOLDER = """
import asyncio, sys
from bot.storage import open_storage

async def main():
    async with open_storage(sys.argv[1]):
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@asynccontextmanager
async def held_by_another_process(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Let a process of its own have the database open, and kill it at the end."""
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert holder.stdout is not None
        while (line := await holder.stdout.readline()) != b"open\n":
            assert line, "the holder ended"
        yield holder
    finally:
        holder.kill()
        await holder.wait()


async def test_a_second_process_is_refused_until_the_first_is_gone(database_url: str) -> None:
    async with held_by_another_process(database_url) as holder:
        with pytest.raises(FileInUseError, match=rf"process {holder.pid}\).*Stop that one"):
            async with open_storage(database_url):
                pass

    # Killed, it could tidy nothing up: the lock must be gone all the same.
    async with open_storage(database_url) as database:
        await database.write(put("key"))


@pytest.mark.parametrize(
    ("other_name", "told"),
    [
        ("link.sqlite3", r"process \d+"),
        ("chain.sqlite3", r"process \d+"),
        ("linked folder/matches.sqlite3", r"process \d+"),
        ("my data/../my data/matches.sqlite3", r"process \d+"),
        ("hard.sqlite3", "under another name of it"),
        ("my data/hard.sqlite3", "under another name of it"),
    ],
)
async def test_a_second_process_is_refused_under_every_name_of_the_file(
    database_url: str, database_path: Path, tmp_path: Path, other_name: str, told: str
) -> None:
    """Two on one file corrupt it: each would have a log of its own."""
    put_empty_database(database_path)
    (tmp_path / "link.sqlite3").symlink_to(database_path)
    (tmp_path / "chain.sqlite3").symlink_to("link.sqlite3")
    (tmp_path / "linked folder").symlink_to(database_path.parent)
    for name in ("hard.sqlite3", "my data/hard.sqlite3"):
        (tmp_path / name).hardlink_to(database_path)
    other_url = f"sqlite+aiosqlite:///{tmp_path / other_name}"

    async with held_by_another_process(other_url):
        with pytest.raises(FileInUseError, match=rf"another bot is using this file \({told}"):
            async with open_storage(database_url):
                pass
        with pytest.raises(FileInUseError):
            upgrade(database_url)
    async with open_storage(database_url) as database:
        await database.write(put("key"))


async def test_a_relative_path_is_the_same_file(
    database_url: str, database_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with held_by_another_process(database_url):
        monkeypatch.chdir(database_path.parent)
        with pytest.raises(FileInUseError):
            async with open_storage("sqlite+aiosqlite:///./matches.sqlite3"):
                pass


async def test_a_database_behind_a_link_is_one_file_with_its_companions(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    put_empty_database(database_path)
    link = tmp_path / "elsewhere" / "link.sqlite3"
    link.parent.mkdir()
    link.symlink_to(database_path)

    async with open_storage(f"sqlite+aiosqlite:///{link}") as database:
        await database.write(put("key"))
        assert [path.name for path in link.parent.iterdir()] == ["link.sqlite3"]
    backup(database_url, tmp_path / "copy.sqlite3")
    aside = restore(tmp_path / "copy.sqlite3", f"sqlite+aiosqlite:///{link}")

    assert link.is_symlink()
    assert aside is not None
    assert aside.parent == database_path.parent
    async with open_storage(database_url) as database:
        assert await database.read(keys) == {"key"}


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


async def test_only_its_owner_can_read_what_is_stored(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """The database with its log, the lock, and copies; nor can others list the new folder."""
    async with open_storage(database_url) as database:
        await database.write(put("key"))
        backup(database_url, tmp_path / "backups" / "copy.sqlite3")
        open_now = modes(database_path.parent)
    restore(tmp_path / "backups" / "copy.sqlite3", database_url)

    names = {"matches.sqlite3" + each for each in ("", "-wal", "-shm", ".lock")}
    assert open_now == dict.fromkeys(names, 0o600)
    restored = {"matches.sqlite3" + each for each in ("", ".replaced-1", ".lock")}
    assert modes(database_path.parent) == dict.fromkeys(restored, 0o600)
    assert modes(tmp_path / "backups") == {"copy.sqlite3": 0o600}
    assert modes(tmp_path) == {"my data": 0o700, "backups": 0o700}


async def test_what_others_could_read_before_is_taken_from_them_at_the_start(
    database_url: str, database_path: Path
) -> None:
    """What lies there besides is not ours, and neither is the folder."""
    put_empty_database(database_path)
    async with open_storage(database_url) as database:
        await database.write(put("key"))
        left = companion(database_path, "-wal").read_bytes()
    ours = ("", "-wal", ".lock", ".replaced-1", ".before-r0002.sqlite3")
    others = ("matches.txt", "other.sqlite3")
    for suffix in ours:
        companion(database_path, suffix).touch()
    companion(database_path, ".before-r0002.sqlite3").rename(
        database_path.with_name("matches.before-r0002.sqlite3")
    )
    companion(database_path, "-wal").write_bytes(left)
    for name in others:
        database_path.with_name(name).touch()
    for path in database_path.parent.iterdir():
        path.chmod(0o644)
    database_path.parent.chmod(0o755)

    async with open_storage(database_url):
        found = modes(database_path.parent)

    assert {name for name, mode in found.items() if mode == 0o644} == set(others)
    assert found["matches.before-r0002.sqlite3"] == found["matches.sqlite3-wal"] == 0o600
    assert stat.S_IMODE(database_path.parent.stat().st_mode) == 0o755


def test_a_file_whose_rights_are_not_ours_to_change_is_told_and_used(
    database_url: str, database_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_empty_database(database_path)
    database_path.chmod(0o660)

    def refuse(_path: Path, _mode: int) -> None:
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.chmod", refuse)

    with capture_logs() as lines:
        upgrade(database_url)

    assert [line["event"] for line in lines] == [
        "others can read this file, and it is not ours to change"
    ]


def test_where_the_system_knows_no_locks_of_open_files_the_lock_beside_it_counts(
    database_url: str, database_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some containers have a kernel of their own that refuses them."""

    def refuse(_descriptor: int, _command: int, _lock: bytes) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(fcntl, "fcntl", refuse)

    upgrade(database_url)
    with (
        exclusive_lock(database_path),
        pytest.raises(FileInUseError, match="process"),
        exclusive_lock(database_path),
    ):
        pass
