"""A fast share of the network, clock and task faults; the long tests run the rest."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import pytest

from tests.faults import cancel, clock, cluster, gateway, http
from tests.faults.__main__ import PROGRAMS
from tests.postgresql import Server

SHARES = [(http, 15), (gateway, 1), (clock, 1), (cancel, 5)]


@pytest.mark.parametrize(
    ("program", "times"), SHARES, ids=lambda each: getattr(each, "__name__", "")
)
async def test_a_little_of_each_breaks_nothing(program: ModuleType, times: int):
    report = await program.run(seed=1, times=times)

    assert "\n\n".join(report.found) == ""
    assert report.cases >= times


@pytest.mark.long
async def test_one_of_three_bots_is_killed_and_the_others_stand_in(postgresql_server: Server):
    report = await cluster.run(seed=1, times=1, server=postgresql_server, searching=False)

    assert "\n\n".join(report.found) == ""


# dask's own client is dropped where its scheduler dies while it connects.
@pytest.mark.filterwarnings("ignore:coroutine '(wait_for|Client._close)' was never:RuntimeWarning")
@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_each_part_of_a_cluster_is_killed_many_times(figure: Callable[..., None]):
    report = await cluster.run(seed=100, times=PROGRAMS["cluster"][1])

    assert "\n\n".join(report.found) == ""
    figure(**report.figure)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", ["http", "gateway", "clock", "cancel"])
async def test_a_lot_of_each_breaks_nothing(name: str, figure: Callable[..., None]):
    module, times = PROGRAMS[name]

    report = await import_module(module).run(seed=100, times=times)

    assert "\n\n".join(report.found) == ""
    assert report.cases >= times
    figure(**report.figure)


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_every_fault_comes_at_every_route():
    weather = http.Weather(5)

    await http.run(seed=5, times=3000, weather=weather)

    used = {route for route, count in weather.asked.items() if count > 200}
    assert len(used) >= 5
    assert {(route, fault) for route in used for fault in http.FAULTS} <= set(weather.thrown)
