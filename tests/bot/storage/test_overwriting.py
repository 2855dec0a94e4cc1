"""What was deleted is gone from the files as well."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, Engine, event, text

import bot.storage.database
from bot.clock import system_clock
from bot.storage import Database, open_storage, upgrade
from bot.storage.files import companion
from bot.storage.migrate import upgrade_locked
from bot.storage.preferences import save_setting
from tests.bot.storage.test_migrations import HEAD, with_next_revision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SECRET = b"Zyxwvut"


def put(value: str) -> Callable[[Connection], None]:
    return lambda c: save_setting(c, "key", value, now=system_clock())


def delete(connection: Connection) -> None:
    connection.execute(text("DELETE FROM setting"))


def holds_secret(path: Path) -> bool:
    return SECRET in path.read_bytes()


def log_of(path: Path) -> Path:
    return companion(path, "-wal")


@contextmanager
def without_secure_delete() -> Iterator[None]:
    """Open connections as if SQLite were built without overwriting what it deletes."""

    def forget(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA secure_delete = OFF")

    event.listen(Engine, "connect", forget)
    yield
    event.remove(Engine, "connect", forget)


async def test_what_is_replaced_or_deleted_is_overwritten(
    database_url: str, database_path: Path
) -> None:
    with without_secure_delete():
        async with open_storage(database_url) as database:
            for change in (put("another, longer one"), delete):
                await database.write(put(SECRET.decode()))
                await database.empty_log()
                assert holds_secret(database_path)

                await database.write(change)
                await database.empty_log()
                assert not holds_secret(database_path)


def test_upgrades_overwrite_what_they_delete(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    upgrade(database_url)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("INSERT INTO setting VALUES ('key', ?, 0)", (SECRET.decode(),))
    assert holds_secret(database_path)

    with without_secure_delete():
        scripts = with_next_revision(tmp_path, HEAD, then="op.execute('DELETE FROM setting')")
        upgrade_locked(database_path, scripts)

    assert not holds_secret(database_path)


async def test_an_emptied_log_holds_nothing_while_readers_are_open(
    database: Database, database_path: Path
) -> None:
    await database.read(lambda c: c.execute(text("SELECT * FROM setting")).all())
    await database.write(put(SECRET.decode()))
    await database.write(delete)
    assert holds_secret(log_of(database_path))

    await database.empty_log()

    assert log_of(database_path).stat().st_size == 0
    assert not holds_secret(database_path)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Read from the database as a backup does, until the block or the transaction ends."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT * FROM setting").fetchall()
        yield connection


async def test_a_reader_holds_the_log_back_only_while_it_reads_and_nobody_waits(
    database: Database, database_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot.storage.database, "EMPTY_AGAIN_S", 0.02)
    await database.write(put(SECRET.decode()))
    with reading(database_path) as other:
        await database.write(delete)
        began_at = time.monotonic()
        for _ in range(3):
            await database.empty_log()
        await database.write(put("meanwhile"))
        waited_s = time.monotonic() - began_at
        await asyncio.sleep(0.1)
        assert holds_secret(log_of(database_path))

        other.execute("COMMIT")
        for _ in range(500):
            if log_of(database_path).stat().st_size == 0:
                break
            await asyncio.sleep(0.01)

    assert waited_s < 2
    assert log_of(database_path).stat().st_size == 0
    assert not holds_secret(database_path)
    # The writer still waits for others.
    assert await database.write(lambda c: c.execute(text("PRAGMA busy_timeout")).scalar()) == 5000


async def test_closing_does_not_wait_for_a_reader_of_the_log(
    database_url: str, database_path: Path
) -> None:
    with ExitStack() as stack:
        async with asyncio.timeout(10), open_storage(database_url) as database:
            await database.write(put(SECRET.decode()))
            stack.enter_context(reading(database_path))
            await database.write(delete)
            await database.empty_log()
        assert holds_secret(log_of(database_path))

    async with open_storage(database_url):
        assert log_of(database_path).stat().st_size == 0
        assert not holds_secret(database_path)


async def test_a_start_empties_the_log_that_a_killed_process_left(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    async with open_storage(database_url) as database:
        await database.write(put(SECRET.decode()))
        await database.write(delete)
        left = shutil.copytree(database_path.parent, tmp_path / "left") / database_path.name
    assert holds_secret(log_of(left))

    async with open_storage(f"sqlite+aiosqlite:///{left}"):
        assert log_of(left).stat().st_size == 0
        assert not holds_secret(left)
