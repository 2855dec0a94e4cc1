"""Takebacks between two people, and undo against the computer."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import AcceptTakeback, AskTakeback, DeclineTakeback, Play, Swap, Undo
from bot.model.clocks import ClockRules
from bot.model.errors import NothingToTakeBackError, OfferError, StaleBoardError
from bot.model.match import EventKind, FirstMove, Match
from cogs.audience import told_names
from tests.bot.fakes import Opinion, SlowSearch
from tests.bot.services.between import LINE, between
from tests.bot.services.conftest import ANNA, BEN

if TYPE_CHECKING:
    from tests.bot.services.between import LINE, between
from tests.bot.services.conftest import Server


async def test_a_move_is_taken_back(server: Server) -> None:
    before = await between(server, 2)
    match = await server.play(before, LINE[2])
    asked = await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)
    assert asked.takeback_offer == 0
    assert await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id) == asked
    with pytest.raises(OfferError, match="You made this request"):
        await server.matches.perform(match.id, AcceptTakeback(), user_id=ANNA.id)

    back = await server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id)

    assert (back.moves, back.position, back.seats) == (before.moves, before.position, before.seats)
    assert back.revision == asked.revision + 1
    assert back.events[-1].cells == (LINE[2],)
    assert back.takeback_offer is None
    assert await server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id) == back
    await server.restart()
    assert await server.matches.load(match.id) == back
    with pytest.raises(OfferError, match="takeback request is gone"):
        await server.matches.perform(
            (await server.play(back, LINE[2])).id, AcceptTakeback(), user_id=BEN.id
        )


async def test_boards_from_before_a_takeback_are_stale(server: Server) -> None:
    match = await between(server, 3)
    shown_to_ben = match
    await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)
    back = await server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id)
    again = await server.play(back, LINE[2])

    with pytest.raises(StaleBoardError, match="swapped or moves taken back"):
        await server.matches.perform(
            match.id, Play(LINE[3]), user_id=BEN.id, ply=3, revision=shown_to_ben.revision
        )
    with pytest.raises(StaleBoardError):
        await server.matches.check_turn(
            match.id, user_id=BEN.id, ply=3, revision=again.revision + 1
        )
    assert await server.matches.check_turn(match.id, user_id=BEN.id, ply=3, revision=again.revision)


async def test_both_moves_go_if_the_other_has_answered_already(server: Server) -> None:
    match = await between(server, 4)
    await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)

    back = await server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id)

    assert back.moves == LINE[:2]
    assert back.events[-1].cells == LINE[2:4]
    assert back.side_to_move == 0


async def test_a_move_ends_the_request(server: Server) -> None:
    match = await between(server, 3)
    asked = await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)

    moved = await server.play(asked, LINE[3])

    assert moved.takeback_offer is None
    with pytest.raises(OfferError, match="takeback request is gone"):
        await server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id)
    with pytest.raises(OfferError, match="takeback request is gone"):
        await server.matches.perform(match.id, DeclineTakeback(), user_id=BEN.id)


async def test_a_request_is_declined_once_a_position(server: Server) -> None:
    match = await between(server, 3)
    await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)
    with pytest.raises(OfferError, match="Anna has asked"):
        await server.matches.perform(match.id, AskTakeback(), user_id=BEN.id)

    declined = await server.matches.perform(match.id, DeclineTakeback(), user_id=BEN.id)

    assert declined.takeback_offer is None
    assert declined.moves == match.moves
    assert await server.matches.perform(match.id, DeclineTakeback(), user_id=BEN.id) == declined
    with pytest.raises(OfferError, match="was declined"):
        await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)
    moved = await server.play(declined, LINE[3])
    assert (
        await server.matches.perform(moved.id, AskTakeback(), user_id=ANNA.id)
    ).takeback_offer == 0


async def test_rated_moves_stand(server: Server) -> None:
    match = await between(server, 3, rated=True)
    with pytest.raises(OfferError, match="is rated"):
        await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)
    rated = await server.begin(rated=True)
    await server.matches.perform(rated.id, Play(40), user_id=ANNA.id, ply=0)
    with pytest.raises(OfferError, match="is rated"):
        await server.matches.perform(rated.id, Undo(), user_id=ANNA.id)


async def test_there_must_be_something_to_take_back(server: Server) -> None:
    match = await between(server, 1)
    with pytest.raises(NothingToTakeBackError):
        await server.matches.perform(match.id, AskTakeback(), user_id=BEN.id)
    opened = await server.begin_between(variant_key="random-four")
    with pytest.raises(NothingToTakeBackError, match="no move to take back"):
        await server.matches.perform(opened.id, AskTakeback(), user_id=ANNA.id)


# With the pie rule.


async def swapped_match(server: Server, count: int) -> Match:
    """Anna moves, Ben swaps, and `count` moves follow, starting with Anna."""
    match = await between(server, 1, variant_key="pie")
    match = await server.matches.perform(match.id, Swap(), user_id=BEN.id, ply=1)
    return await server.play(match, *LINE[1 : 1 + count])


@pytest.mark.parametrize(
    ("count", "asker", "names", "moves"),
    [
        (0, BEN, ("Anna", "Ben"), 1),  # the swap itself
        (0, ANNA, ("Anna", "Ben"), 0),  # the first move, and the swap with it
        (1, ANNA, ("Ben", "Anna"), 1),  # a move after the swap
        (1, BEN, ("Anna", "Ben"), 1),  # the swap, and the move after it
        (2, BEN, ("Ben", "Anna"), 2),
    ],
)
async def test_a_swap_goes_back_with_the_turn_that_it_was(
    server: Server, count: int, asker: object, names: tuple[str, str], moves: int
) -> None:
    match = await swapped_match(server, count)
    other = BEN if asker == ANNA else ANNA
    await server.matches.perform(match.id, AskTakeback(), user_id=asker.id)  # type: ignore[attr-defined]

    back = await server.matches.perform(match.id, AcceptTakeback(), user_id=other.id)

    assert (told_names(back), back.moves) == (names, LINE[:moves])
    assert back.seat_to_move is not None
    assert back.seat_to_move.player_id == asker.id  # type: ignore[attr-defined]
    assert back.swapped == (names == ("Ben", "Anna"))
    assert back.game.position == back.position
    await server.restart()
    assert await server.matches.load(match.id) == back


async def test_a_swap_taken_back_can_be_made_again(server: Server) -> None:
    match = await swapped_match(server, 1)
    seen = await server.matches.load(match.id)
    await server.matches.perform(match.id, AskTakeback(), user_id=BEN.id)
    back = await server.matches.perform(match.id, AcceptTakeback(), user_id=ANNA.id)
    assert back.can_swap
    with pytest.raises(StaleBoardError):
        await server.matches.perform(
            match.id, Swap(), user_id=BEN.id, ply=1, revision=seen.revision - 2
        )

    again = await server.matches.perform(
        match.id, Swap(), user_id=BEN.id, ply=1, revision=back.revision
    )

    assert told_names(again) == ("Ben", "Anna")
    assert [event.kind for event in again.events] == [
        EventKind.SWAP,
        EventKind.TAKEBACK_ASKED,
        EventKind.SWAP_TAKEN_BACK,
        EventKind.SWAP,
    ]
    assert (await server.play(again, *LINE[1:4])).ply == 4


# Against the computer.


async def test_undo_goes_back_to_ones_own_last_move(server: Server) -> None:
    match = await server.begin()
    await server.matches.perform(match.id, Play(40), user_id=ANNA.id, ply=0)
    replied = await server.matches.reply(match.id)

    back = await server.matches.perform(
        match.id, Undo(), user_id=ANNA.id, revision=replied.revision
    )

    assert (back.ply, back.side_to_move) == (0, 0)
    assert back.events[-1].cells == replied.moves
    assert (
        await server.matches.perform(match.id, Undo(), user_id=ANNA.id, revision=replied.revision)
        == back
    )
    with pytest.raises(NothingToTakeBackError):
        await server.matches.perform(match.id, Undo(), user_id=ANNA.id, revision=back.revision)
    await server.restart()
    assert await server.matches.load(match.id) == back
    assert (await server.play(back, 41)).moves == (41,)


async def test_undo_stops_the_computers_thoughts(server: Server) -> None:
    server.search = SlowSearch()
    await server.restart()
    match = await server.begin()
    await server.matches.perform(match.id, Play(40), user_id=ANNA.id, ply=0)
    thinking = asyncio.create_task(server.matches.reply(match.id))
    await asyncio.to_thread(server.search.begun.acquire)

    back = await server.matches.perform(match.id, Undo(), user_id=ANNA.id)

    assert await thinking == back
    assert (back.ply, server.search.stopped) == (0, 1)


async def test_undo_gives_back_a_seat_that_the_computer_has_taken(server: Server) -> None:
    server.search = Opinion(0.4)
    await server.restart()
    match = await server.begin(variant_key="pie")
    played = await server.matches.perform(match.id, Play(40), user_id=ANNA.id, ply=0)
    swapped = await server.matches.reply(match.id)
    assert swapped.swapped

    back = await server.matches.perform(match.id, Undo(), user_id=ANNA.id, revision=played.revision)

    assert (told_names(back), back.ply, back.swapped) == (("Anna", "Computer, level 1"), 0, False)


async def test_undo_is_not_for_games_between_people(server: Server) -> None:
    match = await between(server, 2)

    with pytest.raises(OfferError, match="they have to agree"):
        await server.matches.perform(match.id, Undo(), user_id=ANNA.id)


async def test_undo_where_the_computer_began(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)
    match = await server.matches.reply(match.id)
    with pytest.raises(NothingToTakeBackError):
        await server.matches.perform(match.id, Undo(), user_id=ANNA.id)
    await server.play(match, match.position.legal_moves[0])

    assert (await server.matches.perform(match.id, Undo(), user_id=ANNA.id)).moves == match.moves


async def test_callers_that_give_up_leave_whole_takebacks(server: Server) -> None:
    match = await between(server, 4)
    await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)
    tasks = [
        asyncio.create_task(server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id))
        for _ in range(6)
    ]
    for task in tasks[:5]:
        await asyncio.sleep(0)
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    back = await server.matches.load(match.id)
    await server.restart()
    assert back.moves == LINE[:2]
    assert await server.matches.load(match.id) == back


async def test_the_clock_goes_on_through_a_takeback(server: Server) -> None:
    """Time used up is not given back; the other's clock stops."""
    match = await between(server, 3, clock=ClockRules.parse("5+0"))
    anna_had = match.time_left(0, server.clock.instant)
    await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)
    server.clock.instant += timedelta(minutes=1)

    back = await server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id)

    now = back.updated_at
    assert back.time_left(0, now) == anna_had
    ben_left = back.time_left(1, now)
    assert ben_left is not None
    assert timedelta(minutes=3, seconds=50) < ben_left < timedelta(minutes=4)
