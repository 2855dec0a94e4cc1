"""Two people find each other and play."""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.model.actions import Resign
from bot.model.match import Match
from cogs.audience import told_names
from deploy.sandbox import Sandbox
from engine.records import EndReason
from tests.cogs.table import Board, Table, commands_named, mistakes_in, running_bot, settings_for
from tests.waiting import until

GREEN, RED = 3, 4
"""Styles of buttons, as Discord numbers them."""


def newest(table: Table, user: int | None = None) -> Board:
    return Board(table.seen(user)[-1])


async def challenged(table: Table, **options: Any) -> Board:
    """Let Ann challenge Ben, or anyone, to a casual game by default; return the message."""
    await table.command("challenge", **{"rated": False} | options)
    return newest(table)


async def begun(table: Table, **options: Any) -> tuple[Board, Match]:
    """Let Ben accept Ann's challenge; return the board and the match."""
    offer = await challenged(table, player=str(table.ben), **options)
    await table.press(offer, offer.buttons["Accept"], user=table.ben)
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    return table.again(offer), match


def to_move(table: Table, match: Match) -> int:
    seat = match.seat_to_move
    assert seat is not None
    return {"Ann": table.ann, "Ben": table.ben}[seat.name]


async def test_a_challenge_becomes_the_board_when_it_is_accepted(table: Table):
    offer = await challenged(table, player=str(table.ben), colour=0)
    assert "Ann challenges Ben" in offer.text
    assert "Ann plays X" in offer.text

    await table.press(offer, offer.buttons["Accept"], user=table.ben)

    board = table.again(offer)
    assert board.text.startswith("### Ann (X) against Ben (O)")
    assert len(board.starting("board")) == 9


async def test_somebody_is_challenged_from_the_menu_of_their_name(table: Table):
    await table.menu("Challenge", of=table.ben)
    offer = newest(table)
    assert "Ann challenges Ben" in offer.text

    await table.press(offer, offer.buttons["Accept"], user=table.ben)

    assert "Standard" in table.again(offer).text


async def test_nobody_challenges_themselves_or_a_bot_from_a_menu(table: Table):
    await table.menu("Challenge", of=table.ann)
    await table.menu("Challenge", of=table.sandbox.world.bot_id)

    oneself, computer = table.whispers(table.ann)[-2:]
    assert "yourself" in oneself
    assert "bot" in computer.lower()
    assert (
        await table.bot.challenges.open_challenges(
            guild_id=None, channel_id=table.channel, user_id=table.ann
        )
        == []
    )


async def test_only_the_one_challenged_may_accept_and_only_the_challenger_withdraw(table: Table):
    cleo = table.sandbox.world.person("Cleo").id
    offer = await challenged(table, player=str(table.ben))

    await table.press(offer, offer.buttons["Accept"], user=cleo)
    await table.press(offer, offer.buttons["Accept"])
    await table.press(offer, offer.buttons["Withdraw"], user=table.ben)

    assert [len(table.whispers(user)) for user in (cleo, table.ann, table.ben)] == [1, 1, 1]
    assert await table.bot.matches.ongoing_of(table.ann) == []


@pytest.mark.parametrize(
    ("button", "presser", "words"),
    [("Decline", "ben", "Ben has declined it"), ("Withdraw", "ann", "Ann has withdrawn it")],
)
async def test_a_challenge_is_closed_by_either(table: Table, button: str, presser: str, words: str):
    offer = await challenged(table, player=str(table.ben))

    await table.press(offer, offer.buttons[button], user=getattr(table, presser))

    closed = table.again(offer)
    assert words in closed.text
    assert closed.buttons == {}


async def test_of_two_who_take_an_open_challenge_one_plays_and_both_are_answered(table: Table):
    cleo = table.sandbox.world.person("Cleo").id
    offer = await challenged(table)
    assert "looking for an opponent" in offer.text

    pressed = [
        await table.sandbox.people.press(user, offer.id, offer.buttons["Accept"])
        for user in (table.ben, cleo)
    ]
    await asyncio.gather(*(each.wait() for each in pressed))
    await table.quiet()

    assert len(await table.bot.matches.ongoing_of(table.ann)) == 1
    told = table.whispers(table.ben) + table.whispers(cleo)
    assert len(told) == 1
    assert "This challenge is closed" in told[0]
    assert table.again(offer).starting("board")


async def test_a_challenge_that_one_alone_sees_is_answered_below(table: Table):
    offer = await challenged(table)
    alone = table.sandbox.world.find_message(offer.id)
    assert alone is not None
    alone.visible_to, alone.flags = table.ann, alone.flags | 1 << 6

    pressed = await table.press(offer, offer.buttons["Withdraw"])

    assert pressed.message is not None
    assert pressed.message.visible_to == table.ann
    assert "Ann has withdrawn it" in newest(table).text


async def test_an_open_challenge_is_taken_from_the_lobby(table: Table):
    offer = await challenged(table, variant="open-board")
    await table.command("lobby", user=table.ben)
    lobby = newest(table, table.ben)
    assert "Open Board" in lobby.text

    await table.sandbox.people.press(table.ben, lobby.id, lobby.buttons["Play Ann"])
    with table.sandbox.world.news.subscribe(table.ben) as news:
        await news.wait_for("message_create")
    await table.quiet()

    assert len(table.newest().starting("board")) == 9
    assert "Ben has accepted it" in table.again(offer).text


async def test_no_two_buttons_of_the_lobby_have_the_same_label(table: Table):
    cleo = table.sandbox.world.person("Cleo").id
    await challenged(table)
    await table.command("challenge", user=cleo)
    await challenged(table, variant="open-board")

    await table.command("lobby", user=table.ben)

    lobby = newest(table, table.ben)
    labels = [part["label"] for part in lobby.parts if part["type"] == 2]
    assert labels == ["Play Ann (1)", "Play Cleo", "Play Ann (3)"]
    lines = lobby.text.splitlines()
    assert lines[1].startswith("1. Ann: **Open Board**")
    assert lines[3].startswith("3. Ann: **Standard**")


async def test_the_lobby_shows_ones_own_offers_made_to_anyone_here(table: Table):
    cleo = table.sandbox.world.person("Cleo").id
    await challenged(table, variant="open-board")
    await challenged(table, player=str(table.ben))
    await table.command("lobby")
    alone = newest(table)
    assert alone.text.startswith("### Your offers\n- **Open Board**")
    assert "To withdraw one, use `/games`" in commands_named(alone.text)
    assert alone.text.count("\n- ") == 1
    assert alone.buttons == {}

    await table.command("challenge", user=cleo)
    await table.command("lobby")

    both = newest(table)
    assert list(both.buttons) == ["Play Cleo"]
    assert both.text.index("Cleo") < both.text.index("### Your offers")


async def test_an_empty_lobby_says_how_to_fill_it(table: Table):
    await table.command("lobby")

    assert "/challenge" in newest(table).text


@pytest.mark.parametrize("player", ["ann", "bot"])
async def test_nobody_plays_themselves_or_a_bot(table: Table, player: str):
    who = table.ann if player == "ann" else table.sandbox.world.bot.id
    await table.command("challenge", player=str(who))

    assert (
        "can't challenge yourself" in table.whispers(table.ann)[-1]
        or "/play" in (table.whispers(table.ann)[-1])
    )


async def test_two_people_play_to_the_end_through_a_restart(sandbox: Sandbox, tmp_path: Path):
    settings, rng = settings_for(sandbox, tmp_path), random.Random(5)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board, match = await begun(table, variant="pie")
        for _ in range(6):
            board = await table.play(board, user=to_move(table, match), pick=rng.randrange(9))
            match = await bot.matches.load(match.id)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board = table.again(board)
        while not match.is_over:
            board = await table.play(board, user=to_move(table, match), pick=rng.randrange(9))
            match = await bot.matches.load(match.id)

    assert list(board.buttons) == ["Rematch", "Review", "Replay", "Export"]
    assert mistakes_in(sandbox) == []


async def test_the_other_player_is_told_whose_turn_it_is(table: Table):
    board, match = await begun(table)
    waiting = table.ben if to_move(table, match) == table.ann else table.ann

    await table.press(board, board.starting("board")[0], user=waiting)

    assert "It is not your turn" in table.whispers(waiting)[-1]


async def test_either_may_resign_at_any_time_and_is_asked_alone(table: Table):
    """On the board the question could be answered by the wrong player."""
    board, match = await begun(table)
    waiting = table.ben if to_move(table, match) == table.ann else table.ann
    await table.press(board, board.buttons["Resign"], user=waiting)
    asked = newest(table, waiting)
    assert asked.message["flags"] & 64

    await table.press(asked, asked.buttons["Yes, resign"], user=waiting)

    assert "resigned" in table.again(board).text
    assert "resigned" in newest(table, waiting).text


async def rematch_offered(table: Table) -> tuple[Board, Board]:
    """Let Ann, who was X, ask for a rematch of a game that is over; return its board, her offer."""
    board, match = await begun(table, colour=0)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.press(board, board.starting("board")[0])
    over = table.again(board)
    await table.press(over, over.buttons["Rematch"])
    return over, newest(table, table.ben)


async def test_a_rematch_is_offered_and_accepted_with_seats_exchanged(table: Table):
    _over, offer = await rematch_offered(table)

    await table.press(offer, offer.buttons["Accept"], user=table.ben)

    again = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert told_names(again) == ("Ben", "Ann")


async def test_both_pressing_rematch_begins_it_and_closes_the_offer(table: Table):
    over, offer = await rematch_offered(table)

    await table.press(over, over.buttons["Rematch"], user=table.ben)

    again = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert told_names(again) == ("Ben", "Ann")
    assert "Ben has accepted it" in table.again(offer).text
    assert not table.again(offer).buttons


async def test_moves_of_a_rated_game_are_not_offered_to_be_taken_back(table: Table):
    casual, _ = await begun(table, colour=0)
    casual = await table.play(casual, pick=4)
    rated, _ = await begun(table, rated=True, colour=0)
    rated = await table.play(rated, pick=4)

    assert "Take back" in casual.buttons
    assert "Take back" not in rated.buttons
    assert "Offer draw" in rated.buttons


async def test_a_challenge_that_nobody_answered_is_shown_as_closed(
    sandbox: Sandbox, tmp_path: Path
):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        offer = await challenged(table)
    await age_database(tmp_path, "challenge", "expires_at")

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await until(lambda: "nobody has answered in time" in table.again(offer).text)


async def test_a_live_clock_is_shown_with_each_move_and_at_the_end(table: Table):
    board, match = await begun(table, clock="5+3", colour=0)
    assert re.search(r"Ann has until <t:\d+:T> to move \(<t:\d+:R>\)\. Ben has 5:00\.", board.text)
    assert "Time left: X 5:00 (running), O 5:00." in board.alt

    board = await table.play(board, pick=4)
    assert re.search(r"Ann played \*\*\d5\*\*\.", board.text)
    assert re.search(r"Ben has until <t:\d+:T> .*\. Ann has 5:0[0-3]\.", board.text)
    assert re.search(r"Time left: X 5:0[0-3], O 5:00 \(running\)\. Last move: X in", board.alt)

    await table.bot.matches.perform(match.id, Resign(), user_id=table.ben)
    await table.quiet()
    over = table.again(board)
    assert re.search(r"resigned\.\nTime left: Ann 5:0[0-3] · Ben 4:5\d\.", over.text)
    assert re.search(r"Time left: X 5:0[0-3], O 4:5\d\.", over.alt)


async def test_time_is_kept_through_a_restart(sandbox: Sandbox, tmp_path: Path):
    """The time that the bot was away is given back, so the deadline is moved by hand."""
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board, match = await begun(table, clock="1h", colour=0)
        assert "has until <t:" in board.text
        assert "Ben has 1 hour." in board.text
        assert "Time left: X 1 hr (running), O 1 hr." in board.alt
    await age_database(tmp_path, "match", "deadline_at")

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await until(lambda: "ran out of time" in table.again(board).text)
        match = await bot.matches.load(match.id)

    assert (match.winner, match.end_reason) == (1, EndReason.TIME)


async def test_a_clock_that_is_none_is_told_what_would_be_one(table: Table):
    await table.command("challenge", clock="soon")

    assert "5+3" in table.whispers(table.ann)[-1]


async def age_database(folder: Path, table: str, column: str) -> None:
    """Move a stored time into the past, as if the night had passed."""
    path = folder / "matches.sqlite3"
    with closing(sqlite3.connect(path)) as file, file:
        old = file.execute(f'SELECT {column} FROM "{table}"').fetchone()[0]
        new = str(old).replace(str(old)[:4], str(int(str(old)[:4]) - 1), 1)
        file.execute(f'UPDATE "{table}" SET {column} = ?', (new,))


async def test_a_draw_is_offered_on_the_board_and_agreed(table: Table):
    board, match = await begun(table)
    await table.press(board, board.buttons["Offer draw"])
    board = table.again(board)
    assert "Ann offers a draw" in board.text

    await table.press(board, board.buttons["Accept draw"])
    assert "agreed" not in table.again(board).text  # one cannot accept one's own offer
    await table.press(board, board.buttons["Accept draw"], user=table.ben)

    assert "agreed by both players" in table.again(board).text
    assert (await table.bot.matches.load(match.id)).winner is None


async def test_an_offer_of_a_draw_is_declined(table: Table):
    board, _ = await begun(table, colour=0)
    await table.press(board, board.buttons["Offer draw"])

    await table.press(board, table.again(board).buttons["Decline draw"], user=table.ben)

    declined = table.again(board)
    assert "offers a draw" not in declined.text
    assert "Ben declined the draw." in declined.text
    assert "Offer draw" not in declined.buttons  # Ann, who is to move, has to wait
    assert "Offer draw" in (await table.play(declined, pick=4)).buttons


def standing(board: Board) -> list[tuple[str, int]]:
    """Return the buttons right below the text of the only offer, with their colours."""
    after = iter(board.parts)
    for part in after:
        if part["type"] == 10 and part["content"].startswith("**Ann"):
            row = next(after)
            assert row["type"] == 1
            return [(each["label"], each["style"]) for each in row["components"]]
    raise AssertionError("no offer stands")


@pytest.mark.parametrize("moves", [0, 1])
async def test_an_offer_stands_right_above_its_answers(table: Table, moves: int):
    """It lasts until the other player moves, and outlives only Ann's own move."""
    board, _ = await begun(table, colour=0)
    if moves:
        board = await table.play(board, pick=4)
    await table.press(board, board.buttons["Offer draw"])
    offered = table.again(board)

    assert "**Ann offers a draw**, until Ben moves." in offered.text
    assert "offers a draw" not in offered.parts[1]["content"]  # the headline above the picture
    assert standing(offered) == [
        ("Accept draw", GREEN),
        ("Decline draw", RED),
    ]
    if not moves:
        offered = await table.play(offered, pick=4)
        assert "**Ann offers a draw**, until Ben moves." in offered.text
    moved = await table.play(offered, user=table.ben)
    assert "offers a draw" not in moved.text


async def test_a_declined_draw_is_said_until_the_next_move(table: Table):
    board, match = await begun(table, colour=0)
    await table.press(board, board.buttons["Offer draw"])
    await table.press(board, table.again(board).buttons["Decline draw"], user=table.ben)
    await table.command("watch", game=match.id, user=table.sandbox.world.person("Cleo").id)
    assert "Ben declined the draw." in table.newest(table.sandbox.world.person("Cleo").id).text

    board = await table.play(board, pick=4)

    assert "declined" not in board.text


async def test_an_offer_of_ones_own_is_withdrawn(table: Table):
    board, _ = await begun(table, colour=0)
    board = await table.play(board, pick=4)
    await table.press(board, board.buttons["Offer draw"])
    await table.press(board, table.again(board).buttons["Decline draw"])
    assert "Ann withdrew the draw offer." in table.again(board).text

    await table.press(board, board.buttons["Take back"])
    await table.press(board, table.again(board).buttons["Decline takeback"])

    text = table.again(board).text
    assert "Ann withdrew the takeback request." in text
    assert "draw offer" not in text


async def test_two_offers_at_once_can_both_be_answered(table: Table):
    board, _ = await begun(table, colour=0)
    stale = await table.play(board, pick=4)
    offers = [stale.buttons["Offer draw"], stale.buttons["Take back"]]
    await table.press_at_once(stale, offers)

    both = table.again(board)
    assert {"Accept draw", "Decline draw", "Allow takeback", "Decline takeback"} <= set(
        both.buttons
    )
    await table.press(both, both.buttons["Decline draw"], user=table.ben)
    await table.press(both, both.buttons["Decline takeback"], user=table.ben)

    board = table.again(board)
    assert "Ben declined the takeback." in board.text
    assert "Take back" not in board.buttons  # not again before the next move
    assert "Take back" in (await table.play(board, user=table.ben)).buttons


async def test_take_back_is_offered_where_there_is_something_to_take(table: Table):
    board, _ = await begun(table, colour=0, variant="random-four")
    assert "4 moves" in board.text
    assert "Take back" not in board.buttons  # the opening's moves are nobody's

    assert "Take back" in (await table.play(board)).buttons


async def test_a_move_is_taken_back_when_the_other_lets_it(table: Table):
    board, match = await begun(table, colour=0)
    stale = await table.play(board, pick=4)
    await table.press(stale, stale.buttons["Take back"])
    asked = table.again(board)
    assert "Ann asks to take back their last move**, until Ben moves" in asked.text
    assert standing(asked) == [
        ("Allow takeback", GREEN),
        ("Decline takeback", RED),
    ]

    await table.press(asked, asked.buttons["Allow takeback"], user=table.ben)

    assert "0 moves" in table.again(board).text
    assert (await table.bot.matches.load(match.id)).moves == ()


async def test_a_button_from_before_a_takeback_plays_nothing(table: Table):
    """Its ply is the current one, but the position was a different one then."""
    board, match = await begun(table, colour=0)
    board = await table.play(board, pick=4)
    old = board.starting("cell")[0]
    board = await table.play(board, user=table.ben)
    await table.press(board, board.buttons["Take back"], user=table.ben)
    await table.press(board, table.again(board).buttons["Allow takeback"])
    before = await table.bot.matches.load(match.id)
    assert before.ply == 1
    stale = table.post({"type": 2, "style": 3, "label": "1", "custom_id": old})

    await table.press(stale, old, user=table.ben)

    assert "That board is out of date: seats have been swapped" in table.whispers(table.ben)[-1]
    assert (await table.bot.matches.load(match.id)).revision == before.revision


async def test_a_turn_against_the_computer_is_undone(table: Table):
    await table.start()
    await table.command("move", cell="55")
    board = table.newest()

    await table.press(board, board.buttons["Undo"])

    assert "0 moves" in table.again(board).text
    assert "Undo" not in table.again(board).buttons


async def test_what_the_computer_moved_alone_is_not_to_be_undone(table: Table):
    board = await table.start(first="computer")
    assert "1 move" in board.text
    assert "Undo" not in board.buttons

    assert "Undo" in (await table.play(board)).buttons
