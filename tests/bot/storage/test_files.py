"""The file behind the database: whether it can be used, who has it, who may read it."""

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
from structlog.testing import capture_logs

import bot.storage.database
from bot.clock import system_clock
from bot.host_errors import DatabaseInUseError, UnusableDatabaseError
from bot.storage import backup, open_storage, upgrade
from bot.storage.files import companion, exclusive_lock, restore
from bot.storage.preferences import save_setting
from tests.empty_database import put_empty_database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path


def put(key: str, value: str = "x") -> Callable[[Connection], None]:
    return lambda c: save_setting(c, key, value, now=system_clock())


def keys(connection: Connection) -> set[str]:
    return set(connection.execute(text("SELECT key FROM setting")).scalars())


async def test_a_place_that_cannot_hold_a_file_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.sqlite3").mkdir()

    for name in ("file/matches.sqlite3", "folder.sqlite3"):
        with pytest.raises(UnusableDatabaseError, match=r"cannot be kept here .*DATABASE_URL"):
            async with open_storage(f"sqlite+aiosqlite:///{tmp_path}/{name}"):
                pass


async def test_a_disk_that_locks_nothing_is_told_in_words(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network disks: two bots on one file would not notice each other."""

    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)

    with pytest.raises(UnusableDatabaseError, match="No locks available"):
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
    """At the start and not with the first move; and the file is not called damaged."""
    monkeypatch.setattr(bot.storage.database, "_COMMON_PRAGMAS", ("PRAGMA busy_timeout = 0",))
    upgrade(database_url)
    with closing(sqlite3.connect(database_path, isolation_level=None)) as other:
        other.execute(f"BEGIN {lock}")

        with pytest.raises(UnusableDatabaseError, match=rf"{sentence}.*database is locked"):
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
    """Let another process hold the database open, and kill it at the end."""
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
        with pytest.raises(DatabaseInUseError, match=rf"process {holder.pid}\).*Stop that one"):
            async with open_storage(database_url):
                pass

    # A killed process cannot tidy up: the lock must be gone all the same.
    async with open_storage(database_url) as database:
        await database.write(put("key"))


@pytest.mark.sampled(4)
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
    """Two on one file would corrupt it: each would have its own log."""
    put_empty_database(database_path)
    (tmp_path / "link.sqlite3").symlink_to(database_path)
    (tmp_path / "chain.sqlite3").symlink_to("link.sqlite3")
    (tmp_path / "linked folder").symlink_to(database_path.parent)
    for name in ("hard.sqlite3", "my data/hard.sqlite3"):
        (tmp_path / name).hardlink_to(database_path)
    other_url = f"sqlite+aiosqlite:///{tmp_path / other_name}"

    async with held_by_another_process(other_url):
        with pytest.raises(DatabaseInUseError, match=rf"another bot is using this file \({told}"):
            async with open_storage(database_url):
                pass
        with pytest.raises(DatabaseInUseError):
            upgrade(database_url)
    async with open_storage(database_url) as database:
        await database.write(put("key"))


async def test_a_relative_path_is_the_same_file(
    database_url: str, database_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with held_by_another_process(database_url):
        monkeypatch.chdir(database_path.parent)
        with pytest.raises(DatabaseInUseError):
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
    """Other files there are not ours, and neither is the folder."""
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
        pytest.raises(DatabaseInUseError, match="process"),
        exclusive_lock(database_path),
    ):
        pass
