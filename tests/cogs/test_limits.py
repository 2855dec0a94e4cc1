"""Too much is refused in words: from a person, from a server, and what would come too late."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from bot.operations import ALWAYS_ADMITTED, BURST_S, HEAVY, Allowance, Concurrency, Limits
from tests.cogs.table import Table, mistakes_in, running_bot, settings_for

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from deploy.sandbox import Sandbox


class Seconds:
    """A clock that moves only when told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def clock() -> Seconds:
    return Seconds()


@pytest.fixture
async def limited(sandbox: Sandbox, tmp_path: Path, clock: Seconds) -> AsyncIterator[Table]:
    """A bot as hosts run it, with limits, on a clock that stands still."""
    settings = settings_for(sandbox, tmp_path, clicks_per_second=5.0)
    async with running_bot(settings) as bot:
        bot.limits.people = Allowance(a_second=5.0, burst_s=BURST_S, clock=clock)
        yield Table(sandbox, bot)
    assert mistakes_in(sandbox) == []


async def test_who_asks_for_too_much_is_told_when_to_ask_again(
    limited: Table, clock: Seconds
) -> None:
    board = await limited.start()
    for _ in range(10):  # with the click before they are a fifth of a second too many
        await limited.command("export", game=1)
    told = "Slow down: please try again in 1 second."
    assert limited.whispers(limited.ann)[-1] == told
    assert limited.bot.limits.refused == 1

    board = await limited.play(board)  # clicks are still allowed
    typed = await limited.sandbox.people.autocomplete(
        limited.ann, limited.channel, "export", {"game": ""}, focused="game"
    )
    assert [each["value"] for each in typed] == [1]
    await limited.command("export", user=limited.ben, game=1)
    clock.now += 1.0
    await limited.command("export", game=1)
    assert limited.whispers(limited.ann).count(told) == 1
    assert told not in limited.whispers(limited.ben)
    assert limited.bot.limits.refused == 1


async def test_a_limit_is_told_in_the_language_of_ones_discord(limited: Table) -> None:
    limited.bot.limits = Limits(0.001)
    limited.sandbox.people.set_person(limited.ann, locale="de")
    await limited.command("field", name="move")

    (told,) = limited.whispers(limited.ann)
    assert told.startswith("Langsamer: Bitte versuche es in 149")


async def test_clicks_have_a_limit_too(limited: Table) -> None:
    """One that nobody reaches by hand."""
    board = await limited.start()
    while limited.bot.limits.people.wait_s(limited.ann, 1.0) == 0.0:
        pass
    await limited.press(board, board.starting("board")[0])

    assert limited.whispers(limited.ann)[-1] == "Slow down: please try again in 1 second."
    assert limited.again(board).alt == board.alt


async def test_a_server_has_a_limit_for_what_is_heavy(limited: Table) -> None:
    channel = limited.sandbox.world.channel(limited.channel)
    while limited.bot.limits.servers.wait_s(channel.guild_id or 0, HEAVY) == 0.0:
        pass
    await limited.command("field", user=limited.ben, name="move")
    assert limited.whispers(limited.ben)[-1].startswith(
        "Slow down: too many requests come from this server. Please try again in "
    )
    board = await limited.start(user=limited.ben)
    assert board.starting("board"), "games are no matter of the server's"


async def test_a_picture_that_would_come_too_late_is_refused_at_once(table: Table) -> None:
    """Boards are still drawn meanwhile, and so are pictures later."""
    gate, drawing = threading.Event(), table.bot.drawing
    busy = [
        asyncio.create_task(drawing.run(gate.wait, 20, expected_s=seconds)) for seconds in (5, 15)
    ]
    board = await table.start()
    await table.command("leaderboard")
    assert table.whispers(table.ann)[-1].startswith("Too much is going on right now.")
    drawn = asyncio.create_task(drawing.run(gate.wait, 20, expected_s=0.2, who=table.ben))
    await asyncio.sleep(0)
    await table.command("variants")
    assert table.whispers(table.ann)[-1].startswith("Too much is going on right now.")
    await table.play(board)

    gate.set()
    await asyncio.gather(*busy, drawn)
    await table.command("variants")
    assert not table.whispers(table.ann)[-1].startswith("Too much")
    assert drawing.refused == 2


async def test_a_review_that_would_come_too_late_is_refused_at_once(table: Table) -> None:
    """Even where a public answer was promised, the refusal is private."""
    board = await table.start(variant="depth=1")
    while cells := board.starting("cell"):
        await table.press(board, cells[0])
        board = table.again(board)
    gate, queue = threading.Event(), table.bot.analyst.workers
    busy = [
        asyncio.create_task(queue.run(gate.wait, 20, expected_s=60, who=user, longest_wait_s=100))
        for user in (1, 1)
    ]
    await asyncio.sleep(0)
    before = len(table.seen(table.ben))
    await table.command("review", game=1)
    assert table.whispers(table.ann)[-1].startswith("Too much is going on right now.")
    assert len(table.seen(table.ben)) == before

    gate.set()
    await asyncio.gather(*busy)
    await table.command("review", game=1)
    assert len(table.seen(table.ben)) == before + 1


async def test_a_bot_with_too_much_to_do_takes_no_clicks(table: Table, clock: Seconds) -> None:
    board = await table.start()
    table.bot.concurrency = Concurrency(clock)
    with ExitStack() as busy:
        for number in range(ALWAYS_ADMITTED):
            busy.enter_context(table.bot.concurrency.working(number))
        clock.now += 3.5
        await table.press(board, board.starting("board")[0])
        typed = await table.sandbox.people.autocomplete(
            table.ann, table.channel, "export", {"game": ""}, focused="game"
        )

    assert [each["value"] for each in typed] == [1]
    told = "Too much is going on right now. Please try again in about 4 seconds."
    assert table.whispers(table.ann) == [told]
    assert table.again(board).alt == board.alt
    assert table.bot.shed == 1
    assert (await table.play(board)).alt != board.alt
