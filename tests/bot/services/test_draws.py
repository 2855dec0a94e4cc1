"""Draws between two people: offered, accepted, declined, and nobody pestered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import AcceptDraw, AskTakeback, DeclineDraw, OfferDraw, Play, Resign, Swap
from bot.model.errors import MatchOverError, NotAPlayerError, OfferError
from bot.model.exporting import record_of
from bot.model.match import Match
from engine.records import EndReason, Result
from tests.bot.services.between import LINE, between
from tests.bot.services.conftest import ANNA, BEN, CLEO

if TYPE_CHECKING:
    from tests.bot.services.between import LINE, between
from tests.bot.services.conftest import Server


async def test_a_draw_is_offered_and_accepted(server: Server) -> None:
    match = await between(server, 3, rated=True)
    offered = await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    assert offered.draw_offer == 0
    assert offered.revision == match.revision + 1
    await server.restart()
    assert await server.matches.load(match.id) == offered
    assert await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id) == offered
    with pytest.raises(OfferError, match="You made this offer"):
        await server.matches.perform(match.id, AcceptDraw(), user_id=ANNA.id)

    drawn = await server.matches.perform(match.id, AcceptDraw(), user_id=BEN.id)

    assert (drawn.is_over, drawn.winner, drawn.end_reason) == (True, None, EndReason.AGREED)
    assert str(drawn.result_in_words) == "it was a draw by agreement"
    assert drawn.draw_offer is None
    assert await server.matches.perform(match.id, AcceptDraw(), user_id=BEN.id) == drawn
    await server.restart()
    assert await server.matches.load(match.id) == drawn
    record = record_of(drawn)
    assert (record.result, record.end) == (Result.DRAW, "agreed")


async def test_offering_when_the_other_has_offered_agrees(server: Server) -> None:
    match = await between(server, 3)
    await server.matches.perform(match.id, OfferDraw(), user_id=BEN.id)

    assert (await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)).is_over


async def test_an_offer_ends_with_the_next_move_of_the_other(server: Server) -> None:
    match = await between(server, 2)
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    after_own_move = await server.play(await server.matches.load(match.id), LINE[2])
    assert after_own_move.draw_offer == 0

    after_answer = await server.play(after_own_move, LINE[3])

    assert after_answer.draw_offer is None
    with pytest.raises(OfferError, match=r"draw offer is gone: .*a move ended it"):
        await server.matches.perform(match.id, AcceptDraw(), user_id=BEN.id)
    with pytest.raises(OfferError, match="draw offer is gone"):
        await server.matches.perform(match.id, DeclineDraw(), user_id=BEN.id)


async def test_an_offer_made_out_of_turn_ends_with_that_turn(server: Server) -> None:
    match = await between(server, 2)
    offered = await server.matches.perform(match.id, OfferDraw(), user_id=BEN.id)
    assert offered.draw_offer == 1

    assert (await server.play(offered, LINE[2])).draw_offer is None


async def test_a_move_and_the_acceptance_at_once_leave_one_of_both(server: Server) -> None:
    for _ in range(8):
        match = await between(server, 3)
        await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
        moved, accepted = await asyncio.gather(
            server.matches.perform(match.id, Play(LINE[3]), user_id=BEN.id, ply=3),
            server.matches.perform(match.id, AcceptDraw(), user_id=BEN.id),
            return_exceptions=True,
        )
        assert isinstance(moved, Match) != isinstance(accepted, Match)


async def test_declined_is_declined(server: Server) -> None:
    match = await between(server, 3)
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)

    declined = await server.matches.perform(match.id, DeclineDraw(), user_id=BEN.id)

    assert declined.draw_offer is None
    assert await server.matches.perform(match.id, DeclineDraw(), user_id=BEN.id) == declined
    with pytest.raises(OfferError, match="draw offer is gone"):
        await server.matches.perform(match.id, AcceptDraw(), user_id=BEN.id)


async def test_nobody_is_pestered(server: Server) -> None:
    match = await between(server, 2)
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    match = await server.matches.perform(match.id, DeclineDraw(), user_id=BEN.id)

    with pytest.raises(OfferError, match="after 5 more moves"):
        await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    match = await server.play(match, *LINE[2:6])
    with pytest.raises(OfferError, match="after one more move"):
        await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    other = await server.matches.perform(match.id, OfferDraw(), user_id=BEN.id)
    assert other.draw_offer == 1
    match = await server.play(other, LINE[6])
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    match = await server.matches.perform(match.id, DeclineDraw(), user_id=BEN.id)
    # Nothing makes the bot forget one's own offer, not even the other's.
    with pytest.raises(OfferError, match="after 4 more moves"):
        await server.matches.perform(match.id, OfferDraw(), user_id=BEN.id)


async def test_the_next_offer_may_come_after_five_moves(server: Server) -> None:
    match = await between(server, 2)
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    match = await server.play(await server.matches.load(match.id), *LINE[2:7])
    assert (await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)).draw_offer == 0


async def test_an_offer_before_a_swap_counts_for_the_person(server: Server) -> None:
    match = await between(server, 1, variant_key="pie")
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    swapped = await server.matches.perform(match.id, Swap(), user_id=BEN.id, ply=1)
    assert swapped.draw_offer is None

    with pytest.raises(OfferError, match="after 5 more moves"):
        await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    assert (await server.matches.perform(match.id, OfferDraw(), user_id=BEN.id)).draw_offer == 0


async def test_offers_need_a_seat_and_an_ongoing_match_between_people(server: Server) -> None:
    match = await between(server, 2)
    with pytest.raises(NotAPlayerError):
        await server.matches.perform(match.id, OfferDraw(), user_id=CLEO.id)
    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA.id)
    with pytest.raises(MatchOverError):
        await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    with pytest.raises(MatchOverError):
        await server.matches.perform(match.id, AcceptDraw(), user_id=ANNA.id)
    assert (ended.draw_offer, ended.takeback_offer) == (None, None)
    against_computer = await server.begin()
    with pytest.raises(OfferError, match="computer does not accept draws"):
        await server.matches.perform(against_computer.id, OfferDraw(), user_id=ANNA.id)
    with pytest.raises(OfferError, match="use Undo"):
        await server.matches.perform(against_computer.id, AskTakeback(), user_id=ANNA.id)


async def test_words_do_not_make_a_board_stale(server: Server) -> None:
    """A player who has not seen the offer yet may move on the board they see."""
    match = await between(server, 2)
    await server.matches.perform(match.id, OfferDraw(), user_id=BEN.id)

    moved = await server.matches.perform(
        match.id, Play(LINE[2]), user_id=ANNA.id, ply=2, revision=match.revision
    )

    assert moved.ply == 3
