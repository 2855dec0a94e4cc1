"""The pie rule: the second player may take the other seat instead of moving."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Play, Request, Resign, Swap
from bot.model.decide import Facts, moved
from bot.model.errors import MatchOverError, NotAPlayerError, NotYourTurnError, StaleBoardError
from bot.model.match import EventKind, FirstMove, Match, MatchEvent
from bot.services.starting import start_again
from bot.storage import matches as match_rows
from bot.storage.matches import BrokenRecordError
from bot.storage.writer import ConflictError
from cogs.audience import told_names
from engine import Game, IllegalMoveError
from tests.bot.fakes import Opinion

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server

ANNA_ID = 100_000_000_000_000_001
BEN_ID = 100_000_000_000_000_002
CENTRE = 40

LIKES_ITS_SIDE, DISLIKES_ITS_SIDE = Opinion(0.6), Opinion(0.4)


async def before_annas_choice(server: Server, variant_key: str = "pie") -> Match:
    """Begin a match and let the computer make its first move."""
    match = await server.begin(variant_key=variant_key, first=FirstMove.COMPUTER)
    return await server.matches.reply(match.id)


async def before_the_computers_choice(server: Server, opinion: Opinion) -> Match:
    """Begin a match with a computer of that opinion, and let Anna make the first move."""
    server.search = opinion
    await server.restart()
    match = await server.begin(variant_key="pie")
    return await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)


# A person swaps.


async def test_seats_change_and_marks_and_turn_stay(server: Server) -> None:
    match = await before_annas_choice(server)
    assert match.can_swap
    assert match.side_of(ANNA_ID) == 1

    swapped = await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)

    assert swapped.seats == (match.seats[1], match.seats[0])
    assert told_names(swapped) == ("Anna", "Computer, level 1")
    assert (swapped.position, swapped.moves) == (match.position, match.moves)
    assert (swapped.ply, swapped.revision) == (1, 2)
    assert swapped.swapped
    assert not swapped.can_swap
    assert (swapped.side_to_move, swapped.level_to_move) == (1, 1)
    assert swapped.events == (
        MatchEvent(number=1, ply=1, kind=EventKind.SWAP, side=1, happened_at=swapped.updated_at),
    )
    assert swapped.game.swapped
    await server.restart()
    assert await server.matches.load(match.id) == swapped
    assert await server.matches.awaiting_computer() == [swapped]


async def test_after_a_swap_the_game_goes_on(server: Server) -> None:
    match = await before_annas_choice(server)
    await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)

    replied = await server.matches.reply(match.id)
    played = await server.matches.perform(
        match.id, Play(replied.position.legal_moves[0]), user_id=ANNA_ID, ply=2
    )

    assert (replied.ply, replied.side_to_move, replied.revision) == (2, 0, 3)
    assert (played.ply, played.revision) == (3, 4)
    await server.restart()
    assert await server.matches.load(match.id) == played


async def test_not_swapping_is_moving(server: Server) -> None:
    match = await before_annas_choice(server)

    played = await server.matches.perform(
        match.id, Play(match.position.legal_moves[0]), user_id=ANNA_ID, ply=1
    )

    assert not played.swapped
    assert not played.can_swap
    with pytest.raises(StaleBoardError):
        await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)


async def test_a_click_delivered_twice_swaps_once(server: Server) -> None:
    match = await before_annas_choice(server)

    clicks = [server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1) for _ in range(10)]
    results = await asyncio.gather(*clicks)
    replied = await server.matches.reply(match.id)

    assert len({result.revision for result in results}) == 1
    assert told_names(results[0]) == ("Anna", "Computer, level 1")
    assert await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1) == replied


async def test_a_cell_clicked_before_the_swap_is_never_played(server: Server) -> None:
    """Its ply is that of the swap; but the player who swapped is no longer to move at that ply."""
    match = await before_annas_choice(server)
    cells = match.position.legal_moves
    swapped = await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)

    for cell in cells:
        with pytest.raises(NotYourTurnError, match="waits for Computer"):
            await server.matches.perform(match.id, Play(cell), user_id=ANNA_ID, ply=1)
    with pytest.raises(NotYourTurnError):
        await server.matches.check_turn(match.id, user_id=ANNA_ID, ply=1)
    assert await server.matches.load(match.id) == swapped

    replied = await server.matches.reply(match.id)
    for cell in cells:  # that of the computer's own move among them
        with pytest.raises(StaleBoardError):
            await server.matches.perform(match.id, Play(cell), user_id=ANNA_ID, ply=1)
    assert await server.matches.load(match.id) == replied


async def test_of_a_swap_and_a_move_at_once_one_is_stored(server: Server) -> None:
    match = await before_annas_choice(server)
    move = match.position.legal_moves[0]

    swap, play = await asyncio.gather(
        server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1),
        server.matches.perform(match.id, Play(move), user_id=ANNA_ID, ply=1),
        return_exceptions=True,
    )

    assert isinstance(swap, Match)
    assert isinstance(play, NotYourTurnError)
    assert await server.matches.load(match.id) == swap


@pytest.mark.parametrize("ply", [-1, 0, 2, 99])
async def test_a_stale_swap_is_refused(server: Server, ply: int) -> None:
    match = await before_annas_choice(server)

    with pytest.raises(StaleBoardError):
        await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=ply)

    assert await server.matches.load(match.id) == match


@pytest.mark.parametrize(
    ("variant_key", "sentence"),
    [("standard", "no swap of seats"), ("balanced", "right after the first move")],
)
async def test_where_there_is_no_swap_it_is_refused_in_words(
    server: Server, variant_key: str, sentence: str
) -> None:
    match = await server.begin(variant_key=variant_key)
    assert not match.can_swap

    with pytest.raises(IllegalMoveError, match=sentence):
        await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=0)

    assert await server.matches.load(match.id) == match


async def test_who_may_not_swap(server: Server) -> None:
    match = await server.begin(variant_key="pie", first=FirstMove.COMPUTER)
    with pytest.raises(NotYourTurnError):
        await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=0)
    match = await server.matches.reply(match.id)
    with pytest.raises(NotAPlayerError):
        await server.matches.perform(match.id, Swap(), user_id=BEN_ID, ply=1)
    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)

    assert not ended.can_swap
    with pytest.raises(MatchOverError):
        await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)


# The computer swaps.


async def test_the_computer_leaves_a_side_that_it_dislikes(server: Server) -> None:
    match = await before_the_computers_choice(server, DISLIKES_ITS_SIDE)
    assert match.can_swap

    swapped = await server.matches.reply(match.id)

    assert told_names(swapped) == ("Computer, level 1", "Anna")
    assert (swapped.ply, swapped.side_to_move) == (1, 1)
    assert swapped.level_to_move is None
    assert await server.matches.reply(match.id) == swapped
    played = await server.matches.perform(
        match.id, Play(swapped.position.legal_moves[0]), user_id=ANNA_ID, ply=1
    )
    assert played.ply == 2
    await server.restart()
    assert await server.matches.load(match.id) == played


async def test_the_computer_keeps_a_side_that_it_likes(server: Server) -> None:
    match = await before_the_computers_choice(server, LIKES_ITS_SIDE)

    replied = await server.matches.reply(match.id)

    assert (replied.ply, replied.swapped) == (2, False)


async def test_without_the_pie_rule_the_computer_never_swaps(server: Server) -> None:
    server.search = DISLIKES_ITS_SIDE
    await server.restart()
    match = await server.begin()
    await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)

    assert (await server.matches.reply(match.id)).ply == 2


async def test_at_a_glance_the_computer_swaps_by_chance(server: Server) -> None:
    server.search = Opinion(0.5, iterations=0)
    await server.restart()
    replies = []
    for _ in range(20):
        match = await server.begin(variant_key="pie")
        await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0)
        replies.append(await server.matches.reply(match.id))

    assert {reply.swapped for reply in replies} == {True, False}


async def test_a_strong_computer_takes_the_best_first_move(server: Server) -> None:
    """With its real search: X with the centre at depth 1 cannot lose, O can."""
    match = await server.begin(variant_key="depth=1,opening=pie", level=7)
    await server.matches.perform(match.id, Play(4), user_id=ANNA_ID, ply=0)

    assert (await server.matches.reply(match.id)).swapped


async def test_many_who_ask_get_one_answer(server: Server) -> None:
    match = await before_the_computers_choice(server, Opinion(0.5, iterations=0))

    replies = await asyncio.gather(*(server.matches.reply(match.id) for _ in range(20)))

    assert len({(reply.ply, reply.swapped) for reply in replies}) == 1


async def test_ones_first_move_delivered_again_after_the_swap_is_no_mistake(
    server: Server,
) -> None:
    match = await before_the_computers_choice(server, DISLIKES_ITS_SIDE)
    swapped = await server.matches.reply(match.id)

    assert await server.matches.perform(match.id, Play(CENTRE), user_id=ANNA_ID, ply=0) == swapped


# Whole games.


@pytest.mark.parametrize("first", [FirstMove.YOU, FirstMove.COMPUTER])
@pytest.mark.parametrize("variant_key", ["pie", "balanced", "opening=pie+no_centre"])
async def test_a_swapped_game_survives_a_restart_between_any_two_steps(
    server: Server, first: FirstMove, variant_key: str
) -> None:
    server.search = DISLIKES_ITS_SIDE
    match = await server.begin(variant_key=variant_key, first=first)
    steps = 0
    while not match.is_over:
        if steps < 6 or steps % 10 == 0:
            await server.restart()
            assert await server.matches.load(match.id) == match
        if match.level_to_move is not None:
            match = await server.matches.reply(match.id)
        elif match.can_swap:
            match = await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=match.ply)
        else:
            move = match.position.legal_moves[-1]
            match = await server.matches.perform(
                match.id, Play(move), user_id=ANNA_ID, ply=match.ply
            )
        steps += 1
        assert match.revision == steps
    await server.restart()

    assert await server.matches.load(match.id) == match
    assert match.swapped
    assert match.side_of(ANNA_ID) == (1 if first is FirstMove.YOU else 0)
    replayed = Game.replay(match.rules, match.moves, swapped=True)
    assert replayed.position == match.position
    assert match.winner == match.position.outcome.winner  # type: ignore[union-attr]


async def test_resigning_after_a_swap_ends_it_for_the_other(server: Server) -> None:
    match = await before_annas_choice(server)
    await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)

    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)

    assert str(ended.result_in_words) == "Computer, level 1 won because Anna resigned"
    assert ended.winner == 1
    await server.restart()
    assert await server.matches.load(match.id) == ended


async def test_who_moved_second_begins_the_next_game(server: Server) -> None:
    """Otherwise a swap would give the first move to the same player forever."""
    match = await before_annas_choice(server)
    await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)
    await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)

    again = await start_again(server.matches, match.id, user_id=ANNA_ID)

    assert told_names(again) == ("Anna", "Computer, level 1")
    assert (again.ply, again.events) == (0, ())


# When things break.


async def test_a_move_made_for_before_the_swap_is_noticed(server: Server) -> None:
    """The database guarantees what the lock guarantees within one process."""
    match = await before_annas_choice(server)
    late = moved(match, match.position.legal_moves[0], Request(), Facts(now=server.clock()))
    swapped = await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)

    with pytest.raises(ConflictError):
        await server.database.store(match_rows.writes_of(late))

    await server.restart()
    assert await server.matches.load(match.id) == swapped


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE event SET kind = 'surprise'",
        "UPDATE match SET rules = 'standard'",
        "DELETE FROM move",
    ],
)
async def test_events_that_cannot_be_replayed_are_noticed(server: Server, damage: str) -> None:
    match = await before_annas_choice(server)
    await server.matches.perform(match.id, Swap(), user_id=ANNA_ID, ply=1)
    await server.database.write(lambda c: c.exec_driver_sql(damage))
    if "DELETE" in damage:
        await server.database.write(lambda c: c.exec_driver_sql("UPDATE match SET ply = 0"))
    await server.restart()

    with pytest.raises(BrokenRecordError):
        await server.matches.load(match.id)
