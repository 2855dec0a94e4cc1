"""When things break: what is stored stays as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Play, Request, Resign
from bot.model.decide import Facts, moved
from bot.model.errors import RestartingError, StaleBoardError
from bot.model.match import FirstMove, Match
from bot.services.matches import MatchCache
from bot.storage import matches as match_rows
from bot.storage.matches import BrokenRecordError
from tests.bot.services.against_computer import ANNA_ID, CENTRE

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def write_behind_the_back(server: Server, match: Match, cell: int) -> None:
    """Store a move as another process would."""
    step = moved(match, cell, Request(), Facts(now=server.clock()))
    await server.database.store(match_rows.writes_of(step))


async def test_somebody_else_writing_in_the_file_is_noticed(server: Server) -> None:
    """The database guarantees what the lock guarantees within one process."""
    match = await server.begin()
    await write_behind_the_back(server, match, cell=3)

    with pytest.raises(StaleBoardError) as caught:
        await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)

    assert caught.value.match.moves == (3,)
    assert (await server.matches.load(match.id)).moves == (3,)


async def test_a_reply_to_a_changed_match_is_dropped(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)
    await write_behind_the_back(server, match, cell=3)

    assert (await server.matches.reply(match.id)).moves == (3,)


async def test_a_changed_match_is_resigned_as_it_is_now(server: Server) -> None:
    match = await server.begin()
    await write_behind_the_back(server, match, cell=3)

    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)

    assert (ended.is_over, ended.moves) == (True, (3,))


async def test_matches_out_of_memory_are_read_again(server: Server) -> None:
    cache = MatchCache(server.database, limit=2)
    matches = [await server.begin() for _ in range(5)]

    for match in matches + matches[::-1]:
        async with cache.lock(match.id):
            assert await cache.current(match.id) == match


async def test_the_match_that_nobody_has_looked_at_longest_leaves_memory(server: Server) -> None:
    """And no other: matches in play must not be read from the disk at every click."""
    cache = MatchCache(server.database, limit=3)
    first, second, third, fourth, fifth = [await server.begin() for _ in range(5)]

    def in_memory() -> set[int]:
        # Seen from outside: asking the cache for matches would count as looking at them.
        return set(cache._recent)

    for match in (first, second, third):
        await cache.current(match.id)
    assert in_memory() == {first.id, second.id, third.id}
    await cache.current(fourth.id)
    assert in_memory() == {second.id, third.id, fourth.id}

    assert cache.at_rest(second.id) == second
    await cache.current(third.id)
    await cache.current(fifth.id)

    assert in_memory() == {second.id, third.id, fifth.id}


async def test_of_matches_that_are_over_only_the_latest_stay_in_memory(server: Server) -> None:
    """Otherwise an evening's finished games would stay until as many more have been played."""
    cache = MatchCache(server.database, ended=2)
    over = [
        await server.matches.perform((await server.begin()).id, Resign(), user_id=ANNA_ID)
        for _ in range(3)
    ]
    ongoing = await server.begin()

    for match in (ongoing, *over):
        assert await cache.current(match.id) == match

    assert [each for each in (ongoing, *over) if cache.at_rest(each.id)] == [ongoing, *over[1:]]
    assert await cache.current(over[0].id) == over[0], "read again"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE move SET cell = 999",
        "UPDATE match SET ply = 7",
        "UPDATE match SET end_reason = 'boredom', ended_at = 1",
        "DELETE FROM move",
        "DELETE FROM seat",
    ],
)
async def test_a_match_that_cannot_be_replayed_spoils_no_other(server: Server, damage: str) -> None:
    good, bad = await server.begin(), await server.begin()
    for match in (good, bad):
        await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
    key = "id" if "match" in damage else "match_id"
    await server.database.write(lambda c: c.exec_driver_sql(f"{damage} WHERE {key} = {bad.id}"))
    await server.restart()

    waiting = await server.matches.awaiting_computer()

    assert [match.id for match in waiting] == [good.id]
    with pytest.raises(BrokenRecordError):
        await server.matches.load(bad.id)


async def test_a_closed_service_takes_nothing(server: Server) -> None:
    match = await server.begin()
    matches = server.matches
    await server.stop()

    with pytest.raises(RestartingError):
        await matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
    with pytest.raises(RestartingError):
        await matches.reply(match.id)
    with pytest.raises(RestartingError):
        await matches.ongoing_of(ANNA_ID)
