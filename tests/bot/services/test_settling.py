"""Matches whose time is up: claimed, settled by the bot, once and for all."""

from __future__ import annotations

import asyncio
import errno
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, text

from bot.model.actions import ClaimTime, Play, Resign
from bot.model.clocks import LATENCY
from bot.model.errors import ClockRunningError, MatchOverError, NotAPlayerError
from bot.model.match import Match
from bot.services.clocks import next_deadline, settle_overdue
from bot.storage import matches
from bot.storage.matches import BrokenRecordError
from tests.bot.services.conftest import ANNA, BEN, CLEO
from tests.bot.services.timed import DAY, HOUR, LINE, SECOND, begin, deadline_of

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_time_can_be_claimed_once_it_has_run_out(server: Server) -> None:
    match = await begin(server, "1d", 1)
    with pytest.raises(ClockRunningError, match=r"Ben has 23 hours 59 minutes left\."):
        await server.matches.perform(match.id, ClaimTime(), user_id=ANNA.id)
    with pytest.raises(NotAPlayerError):
        await server.matches.perform(match.id, ClaimTime(), user_id=CLEO.id)
    server.clock.instant = deadline_of(match)
    with pytest.raises(ClockRunningError, match=r"Ben has 0 seconds left\."):
        await server.matches.perform(
            match.id, ClaimTime(), user_id=ANNA.id
        )  # a press may be on its way
    server.clock.instant = deadline_of(match) + LATENCY

    claiming = [server.matches.perform(match.id, ClaimTime(), user_id=ANNA.id) for _ in range(10)]
    claims, settled = await asyncio.gather(
        asyncio.gather(*claiming), settle_overdue(server.matches)
    )

    assert len({claim.updated_at for claim in claims}) == 1
    assert settled in ([], [claims[0]])
    assert str(claims[0].result_in_words) == "Anna won because Ben ran out of time"


async def test_a_match_that_ended_otherwise_cannot_be_claimed(server: Server) -> None:
    match = await begin(server, "1h", 1)
    await server.matches.perform(match.id, Resign(), user_id=ANNA.id)
    server.clock.instant += DAY

    with pytest.raises(MatchOverError, match="Anna resigned"):
        await server.matches.perform(match.id, ClaimTime(), user_id=ANNA.id)
    assert await settle_overdue(server.matches) == []


async def test_the_bot_settles_what_is_overdue_even_after_a_restart(server: Server) -> None:
    short, longer, none = [await begin(server, clock) for clock in ("1h", "2h", "none")]
    # Stopping and starting read the clock too.
    server.clock.instant = deadline_of(short) + LATENCY - 5 * SECOND
    await server.restart()
    assert await settle_overdue(server.matches) == []

    settled = await settle_overdue(server.matches)

    assert [match.id for match in settled] == [short.id]
    assert settled[0].winner == 1
    next_at = await next_deadline(server.matches, server.clock.instant)
    assert next_at == deadline_of(longer) + LATENCY
    assert await settle_overdue(server.matches) == []
    assert not (await server.matches.load(none.id)).is_over


async def test_a_match_that_cannot_be_read_does_not_keep_others_from_their_end(
    server: Server,
) -> None:
    broken, sound = await begin(server, "1h", 1), await begin(server, "1h")
    await server.database.write(
        lambda c: c.execute(text(f"UPDATE move SET cell = 99 WHERE match_id = {broken.id}"))
    )
    await server.restart()
    with pytest.raises(BrokenRecordError):
        await server.matches.load(broken.id)
    server.clock.instant = deadline_of(sound) + HOUR
    await server.matches.note_running()

    assert [match.id for match in await settle_overdue(server.matches)] == [sound.id]
    # Nor does it keep the task awake.
    assert await next_deadline(server.matches, server.clock.instant) is None


async def test_of_a_move_and_the_deadline_one_decides(server: Server) -> None:
    for late in (-2, 3):
        match = await begin(server, "1h", 1)
        server.clock.instant = deadline_of(match) + late * SECOND
        results = await asyncio.gather(
            server.matches.perform(match.id, Play(LINE[1]), user_id=BEN.id, ply=1),
            server.matches.perform(match.id, ClaimTime(), user_id=ANNA.id),
            return_exceptions=True,
        )
        stored = await server.matches.load(match.id)
        assert sum(isinstance(result, Match) for result in results) == 1
        assert stored in results


async def test_an_end_is_rated_in_its_own_transaction(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error in the rating keeps the match from ending."""
    ends: list[tuple[int, str]] = []

    def note_and_rate(connection: Connection, match: Match, now: datetime) -> None:
        stored = connection.execute(text(f"SELECT status FROM match WHERE id = {match.id}"))
        assert now == match.ended_at
        ends.append((match.id, stored.scalar_one()))
        if len(ends) == 1:
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(matches, "rate", note_and_rate)
    match = await begin(server, "1h", 1)
    with pytest.raises(OSError, match="full"):
        await server.matches.perform(match.id, Resign(), user_id=ANNA.id)
    assert not (await server.matches.load(match.id)).is_over
    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA.id)
    await server.matches.place(match.id, channel_id=1, message_id=2)

    assert ended.is_over
    assert ends == [(match.id, "finished")] * 2
