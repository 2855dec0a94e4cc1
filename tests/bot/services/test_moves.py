"""Moves: one at a time, in turn, and none of them lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Play, Resign
from bot.model.errors import MatchNotFoundError, NotAPlayerError, NotYourTurnError, StaleBoardError
from bot.model.match import FirstMove, Match
from bot.services.starting import start_again
from bot.storage import matches as rows
from engine import Ending, IllegalMoveError
from engine.records import EndReason
from tests.bot.services.against_computer import ANNA_ID, CENTRE, play_to_the_end
from tests.bot.services.conftest import BEN

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_a_move_is_stored_and_the_computer_replies(server: Server) -> None:
    match = await server.begin()

    played = await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
    replied = await server.matches.reply(match.id)

    assert (played.moves, played.level_to_move) == ((CENTRE,), 1)
    assert replied.moves[0] == CENTRE
    assert (replied.ply, replied.side_to_move) == (2, 0)
    assert replied.moves[1] // 9 == CENTRE % 9
    assert replied.updated_at > played.updated_at > match.updated_at
    assert await server.matches.load(match.id) == replied


async def test_the_computer_begins_where_it_plays_x(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)

    assert (await server.matches.reply(match.id)).ply == 1


async def test_replying_out_of_turn_changes_nothing(server: Server) -> None:
    match = await server.begin()

    assert await server.matches.reply(match.id) == match
    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)
    assert await server.matches.reply(match.id) == ended


async def test_a_whole_game_survives_a_restart_between_any_two_steps(server: Server) -> None:
    """What is read back is what was returned, at every ply to the end."""
    match = await server.begin(level=1, first=FirstMove.COMPUTER)
    while not match.is_over:
        await server.restart()
        assert await server.matches.load(match.id) == match
        if match.level_to_move is not None:
            (waiting,) = await server.matches.awaiting_computer()
            assert waiting == match
            match = await server.matches.reply(match.id)
        else:
            assert await server.matches.awaiting_computer() == []
            legal = match.position.legal_moves
            match = await server.matches.perform(
                match.id, Play(legal[match.ply % len(legal)]), user_id=ANNA_ID, ply=match.ply
            )
    await server.restart()

    assert await server.matches.load(match.id) == match
    assert match.end_reason is EndReason.BOARD
    assert match.outcome is not None
    assert match.winner == match.outcome.winner
    assert (match.side_to_move, match.seat_to_move) == (None, None)
    assert match.ended_at == match.updated_at


async def test_the_result_is_stored_with_the_last_move(server: Server) -> None:
    match = await play_to_the_end(server, await server.begin())

    row = await server.database.read(lambda c: rows.find_match(c, match.id))

    assert row is not None
    assert (row.status, row.to_move, row.end_reason) == ("finished", None, "board")
    assert row.winner == match.winner
    assert row.ended_at == match.ended_at
    assert len(row.moves) == row.ply == match.ply
    assert isinstance(match.outcome.ending, Ending) if match.outcome else False


async def test_of_two_clicks_at_once_exactly_one_is_stored(server: Server) -> None:
    match = await server.begin()
    clicks = [
        server.matches.perform(match.id, Play(move), user_id=ANNA_ID, ply=0) for move in range(50)
    ]

    results = await asyncio.gather(*clicks, return_exceptions=True)

    stored = [result for result in results if isinstance(result, Match)]
    refused = [result for result in results if isinstance(result, StaleBoardError)]
    assert (len(stored), len(refused)) == (1, 49)
    assert all(error.match == stored[0] for error in refused)
    assert await server.matches.load(match.id) == stored[0]


async def test_a_click_delivered_twice_is_no_mistake(server: Server) -> None:
    match = await server.begin()
    clicks = [
        server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0) for _ in range(10)
    ]
    results = await asyncio.gather(*clicks)
    replied = await server.matches.reply(match.id)

    assert {result.moves for result in results} == {(CENTRE,)}
    late = await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
    assert late == replied


async def test_the_computers_move_is_not_ones_own_click(server: Server) -> None:
    match = await server.begin()
    await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
    replied = await server.matches.reply(match.id)

    with pytest.raises(StaleBoardError):
        await server.matches.perform(match.id, Play(replied.moves[1]), user_id=ANNA_ID, ply=1)


@pytest.mark.parametrize("ply", [-1, 0, 1, 3, 99])
async def test_a_stale_or_impossible_ply_is_refused_with_the_board(
    server: Server, ply: int
) -> None:
    match = await server.begin()
    await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
    current = await server.matches.reply(match.id)

    then = "1 move" if ply == 1 else f"{ply} moves"
    words = rf"after {then}, and 2 moves have been played"
    with pytest.raises(StaleBoardError, match=words) as caught:
        await server.matches.perform(match.id, Play(0), user_id=ANNA_ID, ply=ply)

    assert caught.value.match == current


async def test_somebody_elses_click_is_refused(server: Server) -> None:
    match = await server.begin()

    for attempt in (
        server.matches.perform(match.id, Play(CENTRE), user_id=BEN.id, ply=0),
        server.matches.perform(match.id, Resign(), user_id=BEN.id),
        server.matches.load(match.id, user_id=BEN.id),
        server.matches.check_turn(match.id, user_id=BEN.id, ply=0),
        start_again(server.matches, match.id, user_id=BEN.id),
    ):
        with pytest.raises(NotAPlayerError, match="between Anna and Computer, level 1"):
            await attempt

    assert await server.matches.load(match.id) == match


async def test_it_is_not_your_turn(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)

    with pytest.raises(NotYourTurnError, match="waits for Computer, level 1"):
        await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
    with pytest.raises(NotYourTurnError):
        await server.matches.check_turn(match.id, user_id=ANNA_ID, ply=0)
    own = await server.begin()
    assert await server.matches.check_turn(own.id, user_id=ANNA_ID, ply=0) == own


async def test_an_illegal_move_is_refused_and_nothing_stored(server: Server) -> None:
    match = await server.begin()
    await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
    match = await server.matches.reply(match.id)
    forbidden = next(move for move in range(81) if move not in match.position.legal_moves)

    for move in (forbidden, -1, 81, 10**9):
        with pytest.raises(IllegalMoveError):
            await server.matches.perform(match.id, Play(move), user_id=ANNA_ID, ply=2)

    assert await server.matches.load(match.id) == match


async def test_a_match_that_does_not_exist(server: Server) -> None:
    for attempt in (
        server.matches.load(404),
        server.matches.perform(404, Play(0), user_id=ANNA_ID, ply=0),
        server.matches.reply(404),
        server.matches.perform(404, Resign(), user_id=ANNA_ID),
        server.matches.place(404, channel_id=1, message_id=1),
        start_again(server.matches, 404, user_id=ANNA_ID),
        server.matches.load(10**18),
    ):
        with pytest.raises(MatchNotFoundError, match="There is no game"):
            await attempt
