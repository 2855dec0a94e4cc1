"""The other half of the hostile acts: one worker runs a file, and all would take it too long."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.faults.hostile import WORLD, run


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("discord_addresses", "patience")
async def test_fifty_thousand_more_acts_do_no_harm(figure: Callable[..., None]):
    report = await run(seed=1000 + 50_000 // WORLD, times=50_000)

    assert "\n\n".join(report.found) == ""
    assert report.cases >= 50_000
    figure(**report.figure)
