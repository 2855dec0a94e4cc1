"""A fast share of the programs that hurt the database, and all of each among the long tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.faults import kill

if TYPE_CHECKING:
    from collections.abc import Callable


async def test_ten_kills_lose_no_acknowledged_move() -> None:
    report = await kill.run(seed=1, times=10)

    assert report.found == ()


@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_a_thousand_kills_lose_no_acknowledged_move(figure: Callable[..., None]) -> None:
    report = await kill.run(seed=1, times=1000)

    assert report.found == ()
    figure(**report.figure)
