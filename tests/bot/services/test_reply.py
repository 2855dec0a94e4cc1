"""The computer's replies: shared, stopped, dropped, never lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Play, Resign
from bot.model.errors import ComputerFailedError, RestartingError
from bot.model.match import FirstMove
from bot.services.computer import Thinking
from engine.records import EndReason
from tests.bot.fakes import SlowSearch

if TYPE_CHECKING:
    import threading

    from bot.model.match import Match
    from engine import Level, Position, SearchReport
    from tests.bot.services.conftest import Server

ANNA_ID = 100_000_000_000_000_001


@pytest.fixture
async def search(server: Server) -> SlowSearch:
    """The server's computer thinks until the test lets it go on."""
    search = SlowSearch()
    server.search = search
    await server.restart()
    return search


async def thinking(server: Server, search: SlowSearch) -> tuple[Match, asyncio.Task[Match]]:
    """Begin a match in which the computer is thinking; return it and the task that waits."""
    match = await server.begin()
    match = await server.matches.perform(match.id, Play(40), user_id=ANNA_ID, ply=0)
    reply = asyncio.create_task(server.matches.reply(match.id))
    await asyncio.to_thread(search.begun.acquire)
    return match, reply


async def let_all_ask() -> None:
    """Let everybody get to waiting for the search: a matter of loop turns, not of time."""
    for _ in range(100):
        await asyncio.sleep(0)


async def test_one_position_is_thought_about_once(server: Server, search: SlowSearch) -> None:
    match, first = await thinking(server, search)
    others = [asyncio.create_task(server.matches.reply(match.id)) for _ in range(9)]
    await let_all_ask()
    search.go_on.set()

    results = await asyncio.gather(first, *others)

    assert {result.ply for result in results} == {2}
    assert len({result.moves for result in results}) == 1
    assert search.calls == 1


async def test_a_match_can_be_looked_at_while_the_computer_thinks(
    server: Server, search: SlowSearch
) -> None:
    match, reply = await thinking(server, search)

    assert await server.matches.load(match.id) == match
    search.go_on.set()
    assert (await reply).ply == 2


async def test_resigning_stops_the_search_and_its_move_is_dropped(
    server: Server, search: SlowSearch
) -> None:
    match, reply = await thinking(server, search)
    _other, other_reply = await thinking(server, search)

    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)

    assert await reply == ended
    assert (ended.ply, ended.end_reason) == (1, EndReason.RESIGNED)
    assert search.stopped == 1
    search.go_on.set()
    assert (await other_reply).ply == 2


async def test_the_search_ends_with_the_last_who_waits(server: Server, search: SlowSearch) -> None:
    match, first = await thinking(server, search)
    second = asyncio.create_task(server.matches.reply(match.id))
    await let_all_ask()

    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert search.stopped == 0
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    await asyncio.to_thread(search.ended.acquire)

    search.go_on.set()
    assert (await server.matches.reply(match.id)).ply == 2
    assert search.calls == 2


async def test_shutting_down_stops_the_search_and_says_so(
    server: Server, search: SlowSearch
) -> None:
    match, reply = await thinking(server, search)
    queued = []
    for _ in range(4):  # more than there are threads: some have not even begun
        other = await server.begin()
        await server.matches.perform(other.id, Play(40), user_id=ANNA_ID, ply=0)
        queued.append(asyncio.create_task(server.matches.reply(other.id)))
    await let_all_ask()

    await server.stop()

    results = await asyncio.gather(reply, *queued, return_exceptions=True)
    assert [type(result) for result in results] == [RestartingError] * 5
    search.go_on.set()
    await server.start()
    waiting = await server.matches.awaiting_computer()
    assert len(waiting) == 5
    assert waiting[0] == match
    assert (await server.matches.reply(match.id)).ply == 2


async def test_what_is_closed_begins_nothing(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)
    thinking = Thinking(server.computer)
    await thinking.close()

    with pytest.raises(RestartingError):
        await thinking.think(match)


async def test_a_search_that_breaks_is_told_and_can_be_tried_again(server: Server) -> None:
    broken = True

    def search(
        position: Position, level: Level, stop: threading.Event, max_seconds: float
    ) -> SearchReport:
        if broken:
            raise ZeroDivisionError("in the search")
        return SlowSearch.__call__(slow, position, level, stop, max_seconds)

    slow = SlowSearch()
    slow.go_on.set()
    server.search = search
    await server.restart()
    match = await server.begin()
    await server.matches.perform(match.id, Play(40), user_id=ANNA_ID, ply=0)

    for _ in range(5):
        with pytest.raises(ComputerFailedError, match="Your move is saved"):
            await server.matches.reply(match.id)
    broken = False

    assert (await server.matches.reply(match.id)).ply == 2


async def test_a_reply_without_an_audience_is_still_whole(server: Server) -> None:
    """Cancelled at any moment: the move is stored with all that follows from it, or not."""
    for pause_ms in (0, 1, 2, 4, 8, 16, 32):
        match = await server.begin()
        match = await server.matches.perform(match.id, Play(40), user_id=ANNA_ID, ply=0)
        reply = asyncio.create_task(server.matches.reply(match.id))
        await asyncio.sleep(pause_ms / 1000)
        reply.cancel()
        await asyncio.gather(reply, return_exceptions=True)

        after = await server.matches.reply(match.id)

        assert after.ply == 2
        assert await server.matches.load(match.id) == after
