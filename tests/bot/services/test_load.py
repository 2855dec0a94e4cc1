"""Many games at once whose callers give up in the middle of what they asked for."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import TYPE_CHECKING, Any

import pytest

from bot.model.actions import Play, Swap
from bot.model.errors import MatchError
from bot.model.match import Match, Person
from engine import Level, Position, SearchReport, choose_move

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from tests.bot.services.conftest import Server


def hasty_search(
    position: Position, level: Level, stop: threading.Event, max_seconds: float
) -> SearchReport:
    """Look only as long as it takes to find a legal move."""
    del max_seconds
    return choose_move(position, level, seed=position.ply, stop=stop, max_seconds=0.0005)


async def perhaps_cancelled(work: Coroutine[Any, Any, Match], rng: random.Random) -> Match | None:
    """Wait for `work`, but give up early three times in ten; None if given up or refused."""
    task = asyncio.create_task(work)
    if rng.random() < 0.3:
        for _ in range(rng.randrange(12)):
            await asyncio.sleep(0)
        task.cancel()
    try:
        return await task
    except (asyncio.CancelledError, MatchError):
        return None


async def play_game(server: Server, number: int) -> int:
    """Play one game to its end at random and return its number."""
    rng = random.Random(number)
    person = Person(id=1000 + number, name=f"Person {number}")
    match = await server.begin(
        person=person, channel_id=number, variant_key="pie" if number % 2 else "standard"
    )
    shown: dict[int, int] = {}
    while not match.is_over:
        if match.level_to_move is not None:
            work = server.matches.reply(match.id)
        elif match.can_swap and rng.random() < 0.5:
            work = server.matches.perform(match.id, Swap(), user_id=person.id, ply=match.ply)
        else:
            move = rng.choice(match.position.legal_moves)
            work = server.matches.perform(match.id, Play(move), user_id=person.id, ply=match.ply)
        after = await perhaps_cancelled(work, rng)
        match = after if after is not None else await server.matches.load(match.id)
        for ply, move in enumerate(match.moves):
            assert shown.setdefault(ply, move) == move
    return match.id


@pytest.mark.timeout(300)
@pytest.mark.parametrize("count", [30, pytest.param(100, marks=pytest.mark.long)])
async def test_cancelled_callers_break_none_of_many_games(server: Server, count: int) -> None:
    """On a connection shared by callers, three in ten giving up used to break games and locks."""
    server.search = hasty_search
    await server.restart()

    async with asyncio.TaskGroup() as group:
        games = [group.create_task(play_game(server, number)) for number in range(count)]
    ended = [await server.matches.load(game.result()) for game in games]
    await server.restart()

    # Read again: replayed by the rules, with what was stored beside the moves.
    for match in ended:
        assert await server.matches.load(match.id) == match
        assert match.outcome is not None
        assert match.winner == match.outcome.winner
    assert await server.matches.awaiting_computer() == []
