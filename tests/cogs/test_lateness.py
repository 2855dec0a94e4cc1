"""Clicks that are late, clicks that only look late, and clocks that are set."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot import clock
from deploy.sandbox import World, running_sandbox
from tests.cogs.table import PATIENCE_S, Board, Table, running_bot, settings_for
from tests.waiting import until

REAL_TIME = time.time
WITHIN_S = 2.5


class HostClock:
    """The clock of the bot's host; Discord goes by another."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def __call__(self) -> float:
        return REAL_TIME() + self.ahead_s


@pytest.fixture
def host_clock(monkeypatch: pytest.MonkeyPatch) -> HostClock:
    clock = HostClock()
    monkeypatch.setattr(time, "time", clock)
    return clock


@pytest.fixture
def discord_behind_s() -> float:
    return 0.0


@pytest.fixture
async def table(
    discord_addresses: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    discord_behind_s: float,
) -> AsyncIterator[Table]:
    """A bot that refuses what is late, as it does in production."""
    monkeypatch.setattr(clock, "BEGIN_WITHIN_S", WITHIN_S)
    world = World.default(clock=lambda: REAL_TIME() - discord_behind_s)
    async with running_sandbox(world=world) as sandbox:
        sandbox.world.limits.answer_seconds = PATIENCE_S
        async with running_bot(settings_for(sandbox, tmp_path)) as bot:
            yield Table(sandbox, bot)


async def ply_of(table: Table) -> int:
    return (await table.bot.matches.ongoing_of(table.ann))[0].ply


async def answered_or_refused(table: Table, interaction_id: int) -> None:
    wanted = f"POST /interactions/{interaction_id}/*/callback"
    await until(lambda: table.sandbox.requests.matching(wanted))


async def a_board_with_cells(table: Table) -> Board:
    board = await table.start(first="you")
    await table.press(board, board.starting("board")[4])
    return table.again(board)


async def test_nobody_is_refused_when_the_hosts_clock_is_set(table: Table, host_clock: HostClock):
    board = await table.start()
    steps = (3, 10, 3 * 86_400, 0, -3600, 0, -5, 0)
    for ahead_s in steps:
        host_clock.ahead_s = ahead_s
        board = await table.play(board)

    assert table.whispers(table.ann) == []
    assert await ply_of(table) == 2 * len(steps)


async def test_one_stamp_in_the_future_costs_one_click(table: Table):
    other, board = await table.start(), await a_board_with_cells(table)
    first, second = board.starting("cell")[:2]
    with table.sandbox.world.snowflakes.ahead(seconds=600):
        looked = await table.sandbox.people.press(table.ann, other.id, other.starting("board")[0])
    await looked.wait()

    await table.press(board, first)
    assert "too slow" in table.whispers(table.ann)[-1]
    assert await ply_of(table) == 0
    await table.press(board, second)
    assert await ply_of(table) == 2
    assert len([each for each in table.whispers(table.ann) if "too slow" in each]) == 1


async def test_what_waited_while_the_process_stood_still_is_refused_and_changes_nothing(
    table: Table,
):
    board = await a_board_with_cells(table)
    cells = board.starting("cell")
    world = table.sandbox.world
    world.limits.answer_seconds = WITHIN_S
    for cell in cells[:2]:
        late = await table.sandbox.people.press(table.ann, board.id, cell)
        time.sleep(WITHIN_S + 0.2)  # noqa: ASYNC251  # it is to stand still
        await answered_or_refused(table, late.id)

    # Had a late one been played after all, this board would be out of date now.
    world.limits.answer_seconds = PATIENCE_S
    await table.press(board, cells[2])

    assert await ply_of(table) == 2
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.game.moves[0] == int(cells[2].rsplit(":", 1)[-1])


@pytest.mark.parametrize("discord_behind_s", [7200.0])
async def test_how_old_a_board_is_does_not_depend_on_the_hosts_clock(table: Table):
    """With a clock two hours fast each click would post the board afresh."""
    board = await table.start()

    await table.play(board)

    assert table.newest().id == board.id
