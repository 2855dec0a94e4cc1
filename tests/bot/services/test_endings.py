"""How a match ends, and what players are told then."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Annul, Play, Resign
from bot.model.errors import MatchOverError
from bot.model.exporting import record_of
from bot.model.match import FirstMove, Match, MatchStatus, Seat
from engine.records import EndReason, Result, format_record, parse_game
from tests.bot.services.against_computer import ANNA_ID, CENTRE, play_to_the_end

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_a_finished_match_takes_nothing(server: Server) -> None:
    match = await play_to_the_end(server, await server.begin())

    for attempt in (
        server.matches.perform(match.id, Play(0), user_id=ANNA_ID, ply=match.ply),
        server.matches.check_turn(match.id, user_id=ANNA_ID, ply=match.ply),
        server.matches.perform(match.id, Resign(), user_id=ANNA_ID),
    ):
        with pytest.raises(MatchOverError, match="This game is over: ") as caught:
            await attempt
        assert caught.value.match == match

    assert await server.matches.load(match.id) == match


async def test_resigning_ends_it_for_the_other(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)

    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)

    assert (ended.status, ended.end_reason) == (MatchStatus.FINISHED, EndReason.RESIGNED)
    assert ended.winner == 0
    assert str(ended.result_in_words) == "Computer, level 1 won because Anna resigned"
    assert ended.outcome is None
    await server.restart()
    assert await server.matches.load(match.id) == ended
    assert await server.matches.awaiting_computer() == []


async def test_the_result_in_words(server: Server) -> None:
    match = await server.begin()
    won = replace(match, status=MatchStatus.FINISHED, end_reason=EndReason.BOARD, winner=0)

    assert str(match.result_in_words) == "it is still going on"
    assert str(won.result_in_words) == "Anna won"
    assert str(replace(won, winner=None).result_in_words) == "it was a draw"
    resigned = replace(won, end_reason=EndReason.RESIGNED)
    assert str(resigned.result_in_words) == "Anna won because Computer, level 1 resigned"


@pytest.mark.parametrize("taken", [{}, {"player_id": 1, "level": 1}])
def test_a_seat_is_a_persons_or_the_computers(taken: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="a person's or the computer's"):
        Seat(name="Nobody", **taken)


async def test_resigning_twice_is_resigning_once(server: Server) -> None:
    match = await server.begin()

    first, second = await asyncio.gather(
        server.matches.perform(match.id, Resign(), user_id=ANNA_ID),
        server.matches.perform(match.id, Resign(), user_id=ANNA_ID),
    )

    assert first == second


async def test_of_resigning_and_playing_at_once_both_make_sense(server: Server) -> None:
    match = await server.begin()

    played, resigned = await asyncio.gather(
        server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0),
        server.matches.perform(match.id, Resign(), user_id=ANNA_ID),
        return_exceptions=True,
    )

    assert isinstance(resigned, Match)
    assert isinstance(played, Match | MatchOverError)
    assert await server.matches.load(match.id) == resigned


async def test_an_annulled_match_counts_for_nobody(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)

    ended = await server.matches.perform(match.id, Annul(), user_id=99)

    assert (ended.status, ended.end_reason) == (MatchStatus.ANNULLED, EndReason.ANNULLED)
    assert (ended.winner, ended.deadline, ended.level_to_move) == (None, None, None)
    assert await server.matches.perform(match.id, Annul(), user_id=99) == ended
    with pytest.raises(MatchOverError, match="This game is over: the bot's host ended it"):
        await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)
    await server.restart()
    assert await server.matches.load(match.id) == ended
    assert await server.matches.ongoing_of(ANNA_ID) == []
    record = record_of(ended)
    assert (record.result, record.end) == (Result.UNFINISHED, "annulled")
    assert parse_game(format_record(record)).game.position == ended.position


async def test_a_match_that_is_over_is_not_annulled(server: Server) -> None:
    match = await play_to_the_end(server, await server.begin())

    with pytest.raises(MatchOverError):
        await server.matches.perform(match.id, Annul(), user_id=99)
