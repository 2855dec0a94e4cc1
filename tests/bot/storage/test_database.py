"""What a database does: write, read, group, close, and refuse what it cannot do."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from bot.clock import system_clock
from bot.model.errors import RestartingError, StorageFailedError
from bot.storage import Database, open_storage
from bot.storage.preferences import find_setting, save_setting
from bot.storage.writer import MAX_GROUP
from tests.empty_database import ON_BOTH

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def put(key: str, value: str = "x") -> Callable[[Connection], None]:
    return lambda c: save_setting(c, key, value, now=system_clock())


def keys(connection: Connection) -> set[str]:
    return set(connection.execute(text("SELECT key FROM setting")).scalars())


def pragma(name: str) -> Callable[[Connection], object]:
    return lambda c: c.execute(text(f"PRAGMA {name}")).scalar()


@ON_BOTH
async def test_what_was_written_is_read(database: Database) -> None:
    await database.write(put("key", "value"))

    assert await database.read(lambda c: find_setting(c, "key")) == "value"


@ON_BOTH
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


@ON_BOTH
async def test_writes_that_wait_together_are_stored_together(database: Database) -> None:
    """One transaction, so one fsync, for many writes: this makes synchronous=FULL affordable."""
    transactions: list[object] = []

    def note(connection: Connection) -> None:
        if connection.get_transaction() not in transactions:
            transactions.append(connection.get_transaction())

    await asyncio.gather(*(database.write(note) for _ in range(MAX_GROUP + 1)))

    assert len(transactions) == 2


@ON_BOTH
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


@ON_BOTH
async def test_a_cancelled_read_gives_its_connection_back(database: Database) -> None:
    await database.write(put("key"))
    for _ in range(20):
        reads = [asyncio.create_task(database.read(keys)) for _ in range(10)]
        await asyncio.sleep(0)
        for read in reads:
            read.cancel()
        await asyncio.gather(*reads, return_exceptions=True)

    assert await database.read(keys) == {"key"}


@ON_BOTH
async def test_a_read_sees_one_instant(database: Database) -> None:
    await database.write(put("first"))

    def twice(connection: Connection) -> tuple[set[str], set[str]]:
        before = keys(connection)
        return before, keys(connection)

    seen, _ = await asyncio.gather(database.read(twice), database.write(put("second")))

    assert seen[0] == seen[1]


@ON_BOTH
async def test_closing_stores_what_was_handed_in(database_url: str) -> None:
    async with open_storage(database_url) as database:
        waiting = [asyncio.create_task(database.write(put(f"key {n}"))) for n in range(600)]
        await asyncio.sleep(0)

    await asyncio.gather(*waiting)
    async with open_storage(database_url) as database:
        assert len(await database.read(keys)) == 600


@ON_BOTH
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
    """As on some I/O errors: earlier jobs must not be told that they are stored."""
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
from bot.storage.preferences import save_setting

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


@ON_BOTH
async def test_a_commit_that_fails_leaves_no_transaction_open(database: Database) -> None:
    """SQLite may keep it open then, and the writer's connection is never given back to a pool."""
    engine = database.writing.engine.sync_engine

    def fail(_connection: Connection) -> None:
        event.remove(engine, "commit", fail)
        raise sqlite3.OperationalError("disk I/O error")

    event.listen(engine, "commit", fail)
    with pytest.raises(StorageFailedError):
        await database.write(put("lost"))
    await database.write(put("kept"))

    assert await database.read(keys) == {"kept"}
