"""A fast share of the programs that hurt the database, and all of each among the long tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import bot.storage.database
from tests.faults import kill, power_cut
from tests.faults.recording_disk import UnknownLibraryError, recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def recordable(tmp_path: Path) -> None:
    """Leave out what needs an SQLite that can be reached from outside."""
    try:
        with recorded(tmp_path):
            pass
    except UnknownLibraryError as error:
        pytest.skip(str(error))


async def test_ten_kills_lose_no_acknowledged_move() -> None:
    report = await kill.run(seed=1, times=10)

    assert report.found == ()


@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_a_thousand_kills_lose_no_acknowledged_move(figure: Callable[..., None]) -> None:
    report = await kill.run(seed=1, times=1000)

    assert report.found == ()
    figure(**report.figure)


async def test_what_was_acknowledged_survives_ten_power_cuts(recordable: None) -> None:
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


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_what_was_acknowledged_survives_two_hundred_power_cuts(
    recordable: None, figure: Callable[..., None]
) -> None:
    report = await power_cut.run(seed=1, times=200)

    assert report.found == ()
    figure(**report.figure)
