"""How long many people at once wait; `python -m bot load` prints the same."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bot.crowd import LoadPlan
from bot.host_errors import HostError
from bot.load import (
    CHANNELS,
    ROLES,
    SOAK,
    Kept,
    Stage,
    growth,
    late,
    lines_of,
    measure,
    measure_servers,
    quantile,
)
from bot.storage import open_storage
from bot.storage.notices import save_unreached

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_GROWTH = 10.0
"""In MiB an hour. The allocator gives memory back late and in pieces: a flat line may seem to rise
by half of that. A leak of 200 bytes a click would exceed it."""


async def run(plan: LoadPlan) -> tuple[list[Stage], Kept]:
    stages: list[Stage] = []
    kept = await measure(plan, stages.append)
    for stage in stages:
        sys.stdout.write("\n".join([*lines_of(stage), ""]))
    return stages, kept


def p99(seconds: Sequence[float]) -> str:
    return f"{quantile(sorted(seconds), 0.99) * 1000:.0f} ms"


@pytest.mark.long
@pytest.mark.alone
async def test_a_crowd_plays_and_its_waits_are_counted() -> None:
    plan = LoadPlan(
        stages=(2, 3),
        think_s=0.06,  # no game ends, and nobody asks for a whole review
        levels=(1, 2),
        between_people=0.4,
        pictures=1,
        visitors=2,
    )
    for seconds in (1.5, 10.0):  # on a busy machine nobody moves that soon
        stages, kept = await run(replace(plan, seconds=seconds))
        if kept.acknowledged and all(stage.together().answers for stage in stages):
            break

    assert [stage.games for stage in stages] == [2, 3]
    assert kept.acknowledged > 0
    assert kept.lost == 0
    for stage in stages:
        first, *lines = lines_of(stage)
        assert first == f"{stage.games} games"
        assert "of a core" in lines[-1]
        figures = [list(map(float, line[18:].split())) for line in lines[:-1]]
        for _count, _a_second, p50, p95, p99, most, *_rest in figures:
            assert p50 <= p95 <= p99 <= most
        assert sum(row[0] for row in figures[:-1]) == figures[-1][0] > 0, "a sum at the end"
        assert stage.together().unanswered == 0
        assert {"/field", "level 1", "level 2"} & set(stage.waits)
        assert stage.memory[-1][1] > 10


async def test_people_play_in_no_database_that_somebody_uses(database_url: str) -> None:
    async with open_storage(database_url) as database:
        await database.write(save_unreached, 1, datetime.now(UTC))

    with pytest.raises(HostError, match="Name an empty one"):
        await measure(LoadPlan(), lambda _stage: None, database_url)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(600)
async def test_quick_replies_do_not_wait_for_long_ones(figure: Callable[..., None]) -> None:
    """With both cores nearly full, and one person asking for forty fields in between."""
    levels = (1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    plan = LoadPlan(stages=(60,), seconds=120.0, levels=levels, pictures=40, visitors=2)
    (stage,), kept = await run(plan)

    every = stage.together()
    quick = stage.together(*(f"level {level}" for level in range(1, 8)))
    clicks = len(every.answers)
    at = f"60 games, {clicks / stage.seconds:.0f} clicks/s, {stage.cores:.0%} of a core"
    figure(
        f"replies of levels 1 to 7 ({at})",
        cases=len(quick.replies),
        bar="p99 < 300 ms",
        measured=f"p99 {p99(quick.replies)}",
    )
    highest = stage.together("level 10").replies
    figure(
        "replies of level 10 at the same time",
        cases=len(highest),
        bar="p99 < 2.2 s",
        measured=f"p99 {p99(highest)}",
    )
    figure(
        "first answers at the same time",
        cases=clicks,
        bar="none past 3 s",
        measured=f"p99 {p99(every.answers)}, {late(every)} past 3 s",
    )
    fields = stage.together("/field")
    drawn = len(fields.answers) - fields.refused
    figure(
        "40 /field of one person at the same time",
        cases=len(fields.answers),
        bar="each drawn or refused in words",
        measured=f"{drawn} drawn, {fields.refused} refused",
    )
    assert every.unanswered <= clicks // 50, "a test machine may be busy"
    assert len(fields.answers) >= 40
    assert fields.refused > 0
    assert kept.lost == 0


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(300)
async def test_a_server_costs_little(figure: Callable[..., None]) -> None:
    count = 1000
    memory, busy = await measure_servers(count)
    figure(
        f"servers of {ROLES} roles and {CHANNELS} channels that the bot is in",
        cases=count,
        bar="< 10 KiB each",
        measured=f"{memory:.1f} KiB each, {busy:.2f} ms of a core at the start",
    )
    assert memory < 10


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(600)
async def test_beyond_its_capacity_the_bot_refuses_in_words(figure: Callable[..., None]) -> None:
    """Each person clicks once a second: no move that was shown is lost."""
    plan = LoadPlan(stages=(160,), seconds=60.0, think_s=1.0, pictures=40, visitors=20)
    (stage,), kept = await run(plan)

    every = stage.together()
    figure(
        "clicks far beyond what two cores can take",
        cases=len(every.answers) + every.unanswered,
        bar="answered or refused in words, 0 unanswered",
        measured=f"{every.refused} refused, {every.unanswered - every.unsure} unanswered "
        f"({every.unsure} more while the people's own process stood still), "
        f"p99 {p99(every.answers)}",
    )
    figure(
        "moves shown to people under that load",
        cases=kept.acknowledged,
        bar="0 lost",
        measured=f"{kept.lost} lost",
    )
    assert every.refused > 0
    assert every.unanswered == every.unsure
    assert kept.lost == 0


@pytest.mark.long
@pytest.mark.timeout(4500)
async def test_memory_does_not_grow_in_an_hour(figure: Callable[..., None]) -> None:
    (stage,), kept = await run(SOAK)

    sizes = [mib for _seconds, mib in stage.memory[len(stage.memory) // 4 :]]
    grown = growth(stage.memory)
    figure(
        "an hour of games, fields, replays, reviews and leaderboards",
        cases=len(stage.together().answers),
        bar=f"memory grows less than {MOST_GROWTH:g} MiB",
        measured=f"{grown:+.1f} MiB an hour, {min(sizes):.0f} to {max(sizes):.0f} MiB",
    )
    assert grown < MOST_GROWTH
    assert kept.lost == 0
