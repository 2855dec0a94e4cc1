"""A fast share of the faults that hurt the database; the long tests run all of them."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import bot.storage.database
from bot.host_errors import UnusableDatabaseError
from bot.storage import open_storage
from tests.empty_database import put_empty_database
from tests.faults import damage, disk, kill, lock, power_cut
from tests.faults.__main__ import PROGRAMS
from tests.faults.recording_disk import UnknownLibraryError, recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def recordable(tmp_path: Path) -> None:
    """Skip the test if Python's SQLite cannot be reached from outside."""
    try:
        with recorded(tmp_path):
            pass
    except UnknownLibraryError as error:
        pytest.skip(str(error))


async def test_a_few_kills_lose_no_acknowledged_move() -> None:
    report = await kill.run(seed=1, times=6)

    assert report.found == ()


async def test_what_was_acknowledged_survives_a_few_power_cuts(recordable: None) -> None:
    report = await power_cut.run(seed=1, times=10)

    assert report.found == ()


async def test_a_disk_that_is_not_told_to_sync_loses_what_was_acknowledged(
    recordable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power cuts bite."""
    careless = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL")
    monkeypatch.setattr(bot.storage.database, "_WRITER_PRAGMAS", careless)

    report = await power_cut.run(seed=1, times=10)

    assert any("is lost" in each for each in report.found)


def test_a_cursor_that_is_collected_late_still_meets_its_disk(
    recordable: None, tmp_path: Path
) -> None:
    """A cursor that a failed write leaves in a traceback keeps a closed connection half open."""
    path = tmp_path / "left.sqlite3"
    with recorded(path), closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE number (value INTEGER)")
        with connection:
            connection.execute("INSERT INTO number VALUES (1), (2)")
        left = connection.execute("SELECT value FROM number")
        assert left.fetchone() == (1,)
    gc.collect()
    assert path.with_name("left.sqlite3-wal").exists()

    del left

    assert not path.with_name("left.sqlite3-wal").exists()


async def test_a_disk_that_comes_back_is_used_again(recordable: None) -> None:
    report = await disk.run(seed=1, times=6)

    assert report.found == ()
    assert ", 0 refused in words" not in report.measured


async def test_a_start_on_a_full_disk_is_told_before_anybody_plays(
    recordable: None, tmp_path: Path
) -> None:
    path = tmp_path / "matches.sqlite3"
    put_empty_database(path)
    with recorded(path) as full_disk:
        full_disk.fault = disk.full

        with pytest.raises(UnusableDatabaseError, match=r"nothing can be written here.* is full"):
            async with open_storage(f"sqlite+aiosqlite:///{path}"):
                pass


async def test_a_few_damaged_files_are_told_or_played_on(recordable: None) -> None:
    report = await damage.run(seed=2, times=8)

    assert report.found == ()


async def test_a_lock_of_another_program_is_waited_for_or_told() -> None:
    report = await lock.run(seed=1, times=2)

    assert report.found == ()


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["kill", "power-cut", "disk", "damage", "lock"])
async def test_a_lot_of_each_loses_and_breaks_nothing(
    name: str, figure: Callable[..., None], request: pytest.FixtureRequest
) -> None:
    if name not in ("kill", "lock"):
        request.getfixturevalue("recordable")
    module, times = PROGRAMS[name]

    report = await import_module(module).run(seed=1, times=times)

    assert report.found == ()
    figure(**report.figure)
