"""Moves against a clock: in time, late, and what is left afterwards."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import (
    Action,
    AskTakeback,
    ClaimTime,
    DeclineDraw,
    OfferDraw,
    Play,
    Resign,
    Swap,
)
from bot.model.clocks import LATENCY, ClockRules
from bot.model.errors import ClockRunningError, MatchOverError, TimeOverError
from bot.model.exporting import record_of
from bot.model.match import FirstMove
from bot.services.clocks import next_deadline, settle_overdue
from engine.records import EndReason
from tests.bot.services.conftest import ANNA, BEN
from tests.bot.services.timed import DAY, HOUR, LINE, MINUTE, SECOND, begin, deadline_of

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_clocks_survive_a_restart(server: Server) -> None:
    for clock in ("3d", "5+3"):
        match = await begin(server, clock, 3)
        await server.restart()
        assert await server.matches.load(match.id) == match
        assert match.deadline is not None


async def test_a_live_clock_runs_for_who_is_to_move(server: Server) -> None:
    match = await begin(server, "5+3")
    server.clock.instant = match.created_at + MINUTE - SECOND
    match = await server.play(match, LINE[0])
    now = match.updated_at

    assert match.time_left(0, now) == 4 * MINUTE + 3 * SECOND
    assert match.time_left(1, now + MINUTE) == 4 * MINUTE
    assert match.time_left(1, now + HOUR) == timedelta()
    assert match.deadline == now + 5 * MINUTE
    assert (match.time_shown(0), match.time_shown(1)) == (4 * MINUTE + 3 * SECOND, 5 * MINUTE)
    server.clock.instant = now + MINUTE - SECOND
    offered = await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    assert offered.time_shown(1) == 4 * MINUTE  # drawn again while it runs


async def test_without_a_clock_there_is_no_time_to_lose(server: Server) -> None:
    match = await begin(server, "none", 1)

    assert (match.deadline, match.time_left(0, match.updated_at)) == (None, None)
    with pytest.raises(ClockRunningError, match="without a clock"):
        await server.matches.perform(match.id, ClaimTime(), user_id=ANNA.id)
    assert await next_deadline(server.matches, match.created_at) is None


async def test_a_move_that_comes_too_late_loses(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match) - SECOND  # the next reading is the deadline

    with pytest.raises(TimeOverError, match="Anna won because Ben ran out of time") as told:
        await server.matches.perform(match.id, Play(LINE[1]), user_id=BEN.id, ply=1)

    ended = told.value.match
    assert (ended.winner, ended.end_reason, ended.moves) == (0, EndReason.TIME, LINE[:1])
    assert (ended.deadline, ended.times.left[1]) == (None, timedelta())
    await server.restart()
    assert await server.matches.load(match.id) == ended
    assert record_of(ended).end == "time"
    with pytest.raises(MatchOverError):
        await server.matches.perform(match.id, Play(LINE[1]), user_id=BEN.id, ply=1)


async def test_a_move_at_the_last_moment_counts(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match) - 2 * SECOND

    assert (await server.play(match, LINE[1])).ply == 2


async def test_time_on_the_way_is_nobodys(server: Server) -> None:
    """The bot was busy, or the network slow: the press counts from when it was made."""
    match = await begin(server, "5+3", 1)
    before = deadline_of(match) - match.updated_at
    server.clock.instant += MINUTE - SECOND

    moved = await server.matches.perform(
        match.id, Play(LINE[1]), user_id=BEN.id, ply=1, late_by=timedelta(seconds=2.5)
    )

    took = moved.updated_at - match.updated_at
    assert moved.times.left[1] == before - took + timedelta(seconds=2.5) + 3 * SECOND
    # The other's time begins when the move is stored, not while it was on its way.
    assert moved.deadline == moved.updated_at + (moved.times.left[0] or HOUR)
    await server.restart()
    assert await server.matches.load(match.id) == moved


async def test_no_press_gets_back_more_than_it_took(server: Server) -> None:
    match = await begin(server, "5+0", 1)
    server.clock.instant = match.updated_at + 10 * SECOND

    moved = await server.matches.perform(
        match.id, Play(LINE[1]), user_id=BEN.id, ply=1, late_by=HOUR
    )
    assert moved.times.left[1] == 5 * MINUTE - 8 * SECOND  # 11 seconds, of which 3 are credited
    at_once = await server.matches.perform(
        match.id, Play(LINE[2]), user_id=ANNA.id, ply=2, late_by=HOUR
    )
    # A press cannot have been made before there was something to answer.
    assert at_once.times.left[0] == moved.times.left[0]


async def test_a_press_made_in_time_counts_though_it_comes_after_the_deadline(
    server: Server,
) -> None:
    match = await begin(server, "1+0", 1)
    server.clock.instant = deadline_of(match)
    with pytest.raises(ClockRunningError):
        await server.matches.perform(match.id, ClaimTime(), user_id=ANNA.id)
    assert await settle_overdue(server.matches) == []
    server.clock.instant = deadline_of(match)

    moved = await server.matches.perform(
        match.id, Play(LINE[1]), user_id=BEN.id, ply=1, late_by=timedelta(seconds=3)
    )
    assert moved.ply == 2

    server.clock.instant = deadline_of(moved)
    with pytest.raises(TimeOverError):
        await server.matches.perform(
            match.id, Play(LINE[2]), user_id=ANNA.id, ply=2, late_by=timedelta(seconds=0.5)
        )


async def test_an_offer_of_the_other_does_not_end_a_turn_before_a_press_can_arrive(
    server: Server,
) -> None:
    match = await begin(server, "1+0", 1)
    server.clock.instant = deadline_of(match)

    offered = await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    assert offered.draw_offer == 0
    server.clock.instant += LATENCY
    with pytest.raises(TimeOverError):
        await server.matches.perform(match.id, DeclineDraw(), user_id=ANNA.id)


async def test_a_click_delivered_again_after_the_deadline_is_no_forfeit(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match) + DAY

    again = await server.matches.perform(match.id, Play(LINE[0]), user_id=ANNA.id, ply=0)

    assert again == match


@pytest.mark.parametrize("act", [Swap(), Resign(), OfferDraw(), AskTakeback()])
async def test_nothing_else_helps_after_the_deadline(server: Server, act: Action) -> None:
    match = await begin(server, "5+0", 1, variant_key="pie")
    server.clock.instant = deadline_of(match)

    with pytest.raises(TimeOverError):
        await server.matches.perform(match.id, act, user_id=BEN.id, ply=1)

    assert (await server.matches.load(match.id)).winner == 0


async def test_the_computer_never_loses_on_time(server: Server) -> None:
    match = await server.begin(clock=ClockRules.parse("1+0"), first=FirstMove.COMPUTER)
    server.clock.instant += DAY
    assert await settle_overdue(server.matches) == []
    replied = await server.matches.reply(match.id)
    assert replied.deadline == replied.updated_at + MINUTE
    played = await server.play(replied, replied.position.legal_moves[0])
    assert played.deadline is None
    assert played.time_left(0, played.updated_at) is None
    server.clock.instant += DAY

    with pytest.raises(ClockRunningError, match="The computer needs no clock"):
        await server.matches.perform(match.id, ClaimTime(), user_id=ANNA.id)
    again = await server.matches.reply(match.id)
    server.clock.instant += DAY
    assert [ended.winner for ended in await settle_overdue(server.matches)] == [0]
    assert again.ply == 3
