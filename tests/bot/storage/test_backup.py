from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bot.host_errors import DatabaseInUseError, NotOurDatabaseError, UnusableDatabaseError
from bot.storage import Database, backup, open_storage, upgrade
from bot.storage.checking import check_file
from bot.storage.files import COMPANIONS, companion, copy_database, restore

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_copy_made_under_writes_is_whole_and_can_be_restored(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """A backup that was never restored is not one."""
    copy = tmp_path / "backups" / "copy.sqlite3"
    async with open_storage(database_url) as database:
        await database.save_setting("before", "kept")
        writing = asyncio.create_task(write_on(database))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(backup, database_url, copy)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        await database.save_setting("after", "lost")
        with pytest.raises(DatabaseInUseError):
            restore(copy, database_url)

    aside = restore(copy, database_url)

    async with open_storage(database_url) as database:
        assert await database.find_setting("before") == "kept"
        assert await database.find_setting("after") is None
    assert aside is not None
    async with open_storage(f"sqlite+aiosqlite:///{aside}") as database:
        assert await database.find_setting("after") == "lost"


async def write_on(database: Database) -> None:
    for number in range(1_000_000):
        await database.save_setting(f"key {number % 50}", "x" * 200)


async def test_a_copy_holds_what_is_in_the_log_only(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """A plain copy of the file would miss it: that is why there is a command."""
    async with open_storage(database_url) as database:
        await database.save_setting("key", "value")
        assert companion(database_path, "-wal").stat().st_size > 0

        backup(database_url, tmp_path / "copy.sqlite3")

    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as connection:
        assert connection.execute("SELECT value FROM setting").fetchall() == [("value",)]


def test_a_file_is_never_overwritten(database_url: str, tmp_path: Path) -> None:
    upgrade(database_url)
    target = tmp_path / "copy.sqlite3"
    target.write_text("precious")

    with pytest.raises(UnusableDatabaseError, match="exists already"):
        backup(database_url, target)

    assert target.read_text() == "precious"


def test_there_must_be_something_to_copy(database_url: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableDatabaseError, match="nothing here to copy"):
        backup(database_url, tmp_path / "copy.sqlite3")


def test_only_a_database_of_ours_is_copied(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """Another program's would pass for a backup until the day it is needed."""
    database_path.parent.mkdir()
    with closing(sqlite3.connect(database_path)) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")

    with pytest.raises(NotOurDatabaseError, match="belongs to another program"):
        backup(database_url, tmp_path / "copy.sqlite3")

    assert not (tmp_path / "copy.sqlite3").exists()


def test_a_copy_that_cannot_be_made_leaves_nothing(database_url: str, tmp_path: Path) -> None:
    upgrade(database_url)
    partial = tmp_path / "copy.sqlite3.partial"
    partial.mkdir()  # whatever stands in the way

    with pytest.raises(UnusableDatabaseError, match=r"could not be made.*partial"):
        backup(database_url, tmp_path / "copy.sqlite3")

    assert not (tmp_path / "copy.sqlite3").exists()


def test_a_copy_that_is_not_sound_is_thrown_away(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    upgrade(database_url)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(
            "INSERT INTO match (variant_key, rules, status, ply, created_at, updated_at)"
            " VALUES ('standard', 'standard', 'finished', -5, 0, 0)"
        )

    with pytest.raises(UnusableDatabaseError, match=r"could not be made: CHECK constraint failed"):
        copy_database(database_path, tmp_path / "copy.sqlite3")

    assert list(tmp_path.glob("copy*")) == []


def test_what_a_restored_copy_replaces_is_kept_each_time(database_url: str, tmp_path: Path) -> None:
    upgrade(database_url)
    backup(database_url, tmp_path / "copy.sqlite3")

    first = restore(tmp_path / "copy.sqlite3", database_url)
    second = restore(tmp_path / "copy.sqlite3", database_url)

    assert first is not None
    assert second is not None
    assert first != second
    assert first.exists()
    assert second.exists()


@pytest.mark.parametrize("content", [b"", b"not a copy of anything"])
def test_only_a_sound_copy_is_restored(
    database_url: str, database_path: Path, tmp_path: Path, content: bytes
) -> None:
    upgrade(database_url)
    before = database_path.read_bytes()
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(content)

    with pytest.raises((NotOurDatabaseError, UnusableDatabaseError)):
        restore(copy, database_url)

    assert database_path.read_bytes() == before


async def test_a_log_left_behind_is_not_replayed_into_the_restored_file(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """After a crash there is a log beside the file that does not belong to the copy."""
    copy = tmp_path / "copy.sqlite3"
    async with open_storage(database_url) as database:
        await database.save_setting("key", "old")
        backup(database_url, copy)
        await database.save_setting("key", "new")
        log_left = companion(database_path, "-wal").read_bytes()
    companion(database_path, "-wal").write_bytes(log_left)

    restore(copy, database_url)

    assert [suffix for suffix in COMPANIONS if companion(database_path, suffix).exists()] == []
    async with open_storage(database_url) as database:
        assert await database.find_setting("key") == "old"


def interrupt(path: Path) -> None:
    """Leave a file as a crash in the middle of an upgrade does: half written."""
    aside = path.with_name("aside.sqlite3")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("DELETE FROM setting")
        connection.execute("CREATE TABLE half (made TEXT)")
        connection.executemany("INSERT INTO half VALUES (?)", [("x" * 5000,)] * 20)
        for suffix in ("", "-journal"):
            shutil.copy(companion(path, suffix), companion(aside, suffix))
    for suffix in ("", "-journal"):
        companion(aside, suffix).rename(companion(path, suffix))


async def test_an_upgrade_that_a_crash_has_interrupted_is_undone_at_the_start(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """A read-only command cannot do that and says so; it used to call the file unreadable."""
    async with open_storage(database_url) as database:
        await database.save_setting("key", "kept")
    interrupt(database_path)
    with pytest.raises(UnusableDatabaseError, match=r"interrupted here: the next start of the bot"):
        backup(database_url, tmp_path / "copy.sqlite3")

    async with open_storage(database_url) as database:
        assert await database.find_setting("key") == "kept"
    assert check_file(database_path) == []


async def test_what_undoes_an_upgrade_is_not_played_into_the_restored_file(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite3"
    async with open_storage(database_url) as database:
        await database.save_setting("key", "kept")
        backup(database_url, copy)
    interrupt(database_path)

    restore(copy, database_url)

    async with open_storage(database_url) as database:
        assert await database.find_setting("key") == "kept"
    assert check_file(database_path) == []


async def test_a_copy_can_be_restored_where_there_is_nothing(
    database_url: str, tmp_path: Path
) -> None:
    async with open_storage(database_url) as database:
        await database.save_setting("key", "value")
    backup(database_url, tmp_path / "copy.sqlite3")
    elsewhere = f"sqlite+aiosqlite:///{tmp_path}/new/matches.sqlite3"

    assert restore(tmp_path / "copy.sqlite3", elsewhere) is None

    async with open_storage(elsewhere) as database:
        assert await database.find_setting("key") == "value"
