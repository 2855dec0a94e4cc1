"""What the engine says about a game."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Sequence

import pytest
from PIL import Image

from bot.model.actions import Resign
from bot.model.match import Match
from bot.render import DARK
from bot.render.graphs import SIGNS
from bot.services import analysis as analyst
from bot.services.analysis import ReviewBook
from cogs.analysis.hints import promise
from cogs.analysis.reviews import describe_review, draw_review
from engine import MARKS, Analysis, Hint, Judgement, MoveReview, Proof, Rules, format_move, other
from tests.cogs.table import Board, Table
from tests.cogs.test_faults import hush


async def running(table: Table) -> Match:
    """Return the only running game."""
    (match,) = await table.bot.matches.ongoing_of(table.ann)
    return match


def plays(board: Board) -> list[str]:
    """Return the moves that a hint has buttons for."""
    return [each.removeprefix("Play ") for each in board.buttons if each.startswith("Play ")]


async def test_a_hint_is_drawn_and_played_by_its_button(table: Table):
    shown = await table.start()
    await table.command("move", cell="55")
    shown = table.newest()
    before = await running(table)

    await table.press(shown, shown.buttons["Hint"])

    board = Board(table.seen()[-1])
    assert board.message["flags"] & 64
    assert (await table.files(board))["hints.png"].startswith(b"\x89PNG")
    legal = {format_move(move, before.rules) for move in before.position.legal_moves}
    moves = plays(board)
    assert len(set(moves)) == 3
    assert set(moves) <= legal
    assert f"1. **{moves[0]}** — board {moves[0][0]}, cell {moves[0][1]}: scores" in board.text
    assert "Computer, level 1 will likely answer" in board.text
    marked = board.alt.split("Marked: ")[1].split(".")[0].split("; ")
    assert [each.split(" (")[0] for each in marked] == [
        f"board {each[0]}, cell {each[1]}" for each in moves
    ]

    await table.press(board, board.buttons[f"Play {moves[1]}"])

    after = await running(table)
    assert format_move(after.moves[2], after.rules) == moves[1]
    told = table.again(board)
    assert f"You played **{moves[1]}**" in told.text
    assert f"Computer, level 1 answered **{format_move(after.moves[3], after.rules)}**" in told.text
    assert f"/{shown.id})" in told.text
    assert list(told.buttons) == ["Hint"]
    assert "4 moves" in table.again(shown).text
    assert "Undo" in table.again(shown).buttons


async def test_a_hint_that_is_out_of_date_plays_nothing(table: Table):
    await table.start(variant="depth=1")
    await table.command("hint")
    board = Board(table.seen()[-1])
    assert "1. **" in board.text
    first, second, _third = plays(board)
    await table.command("move", cell=first)
    before = await running(table)

    await table.press(board, board.buttons[f"Play {second}"])

    assert (await running(table)).moves == before.moves
    assert "out of date" in table.again(board).text
    assert list(table.again(board).buttons) == ["Hint"]


async def test_a_board_that_is_nowhere_else_takes_the_place_of_the_hints(table: Table):
    channel = await hush(table)
    await table.command("play", channel=channel, level=1, variant="depth=1")
    board = table.newest(channel=channel)
    await table.press(board, board.buttons["Hint"])
    hints = table.newest(channel=channel)

    await table.press(hints, hints.buttons[next(iter(hints.buttons))])

    shown = table.newest(channel=channel)
    assert shown.id == hints.id
    assert "2 moves" in shown.text
    assert shown.starting("cell")
    assert (await running(table)).message_id is None


async def test_a_hint_marks_cells_of_the_largest_boards(table: Table):
    await table.start(variant="sttt-map")

    await table.command("hint")

    board = Board(table.seen()[-1])
    assert re.search(r"1\. \*\*\d{3}\*\* — board \d, sub-board \d, cell \d: scores", board.text)
    assert "Marked: board" in board.alt


@pytest.mark.parametrize(
    ("chance", "proven", "plies", "words"),
    [
        (0.62, None, None, "scores 62% on average"),
        (0.999, None, None, "scores 99% on average"),
        (1.0, Proof.WIN, 7, "wins by force in at most 7 moves"),
        (1.0, Proof.WIN, 1, "wins at once"),
        (1.0, Proof.WIN, None, "wins by force"),
        (0.5, Proof.DRAW, None, "leads to a certain draw"),
        (0.0, Proof.LOSS, None, "loses against best play"),
    ],
)
def test_what_a_move_promises_is_said_in_words(
    chance: float, proven: Proof | None, plies: int | None, words: str
):
    hint = Hint(move=4, chance=chance, line=(4,), proven=proven, at_most_plies=plies)

    assert promise(hint) == words


async def test_a_hint_is_for_ones_own_turn(table: Table):
    await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)

    await table.command("hint", game=match.id)
    await table.command("hint", user=table.ben, game=match.id)

    assert "This game is over" in table.whispers(table.ann)[-1]
    assert "This game is between" in table.whispers(table.ben)[-1]


async def test_a_review_is_stepped_through_by_who_asked(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    """O answers the centre on an edge, which loses: the second of two moves."""
    # A busy machine needs more of the clock to prove it.
    monkeypatch.setattr(analyst, "MOST_SECONDS_A_MOVE", 2.0)
    match = await over(table)
    await table.command("review")
    board = Board(table.seen()[-1])

    await table.press(board, board.buttons["Step through the game"])

    first = table.again(board)
    assert re.search(r"Move 1: X played \*\*5\*\* \((the best|a good) move\)\.", first.text)
    assert "X 5" in first.alt
    assert (await table.files(first))["review.png"].startswith(b"\x89PNG")
    assert {"|◀", "◀", "▶", "▶|", "Next mistake", "Summary"} <= set(first.buttons)

    # The findings are stored: nothing is searched again, even after a restart.
    monkeypatch.setattr(analyst, "analyse_game", None)
    table.bot.reviews = ReviewBook(table.bot.matches.database, table.bot.analyst)
    await table.press(first, first.buttons["Next mistake"])

    second = table.again(board)
    assert "Move 2: O played **2** (blunder)." in second.text
    assert re.search(r"Chances of O: \d+% → \d+%\.\nBetter: \*\*[1379]\*\*\.", second.text)
    assert re.search(r"Marked: cell 2 \(\?\?\); cell [1379] \(better\)\.", second.alt)
    assert "Game over: Computer, level 1 won because Ann resigned." in second.text
    assert not {"▶", "▶|", "Next mistake"} & set(second.buttons)

    await table.press(second, second.buttons["|◀"], user=table.ben)

    own = Board(table.seen(table.ben)[-1])
    assert own.message["flags"] & 64
    assert "Before the first move." in own.text
    assert {"▶", "▶|", "Next mistake", "Summary", "Share here"} == set(own.buttons)
    assert table.again(board).text == second.text
    await table.press(own, own.buttons["▶|"], user=table.ben)
    assert "Move 2" in Board(table.seen(table.ben)[-1]).text

    await table.press(second, second.buttons["Summary"])

    assert f"Review of game {match.id}" in table.again(board).text
    assert "Chances" not in table.again(board).text


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("variant", "clicks", "words"),
    [
        ("standard", 0, ""),
        ("random-four", 2, "The game begins after the opening "),
        ("sttt-map", 6, "Before the first move"),
    ],
)
async def test_any_finished_game_can_be_stepped_through(
    table: Table, variant: str, clicks: int, words: str
):
    await table.play_on(await table.start(variant=variant), random.Random(1), most=clicks)
    match = await running(table)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.command("review", game=match.id)
    board = Board(table.seen()[-1])
    assert ("Step through the game" in board.buttons) == bool(clicks)
    if not clicks:
        return

    await table.press(board, board.buttons["Step through the game"])
    board = table.again(board)
    assert "Move " in board.text
    await table.press(board, board.buttons["|◀"])

    assert words in table.again(board).text


async def test_a_review_names_the_move_that_lost(table: Table):
    """In ordinary tic-tac-toe O answers the centre on an edge, which loses."""
    record = '[Variant "depth=1"] 1. 5 2 *'
    await table.command("import", record=record, level=1)
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)

    await table.command("review")

    board = Board(table.seen()[-1])
    text = board.text
    assert (await table.files(board))["review.png"].startswith(b"\x89PNG")
    assert board.alt
    assert f"Review of game {match.id}" in text
    assert "Move 2, O **2**: blunder" in text


async def test_a_running_game_is_not_reviewed(table: Table):
    await table.start()

    await table.command("review")

    assert "still" in table.whispers(table.ann)[-1]


async def test_the_latest_finished_game_is_meant_while_another_goes_on(table: Table):
    await table.command("import", record='[Variant "depth=1"] 1. 5 2 *', level=1)
    over = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(over.id, Resign(), user_id=table.ann)
    await table.start()

    await table.command("review")

    assert f"Review of game {over.id}" in Board(table.seen()[-1]).text


async def test_a_finished_game_is_animated(table: Table):
    await table.play_on(await table.start(variant="random-four"), random.Random(2), most=6)
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)

    await table.command("replay", user=table.ben, game=match.id)

    board = Board(table.seen(table.ben)[-1])
    with Image.open(io.BytesIO((await table.files(board))["replay.gif"])) as film:
        assert getattr(film, "n_frames", 1) > match.ply - 4
    assert "resigned" in board.text
    assert "resigned" in board.alt


def reviewed(chances: Sequence[tuple[float, float]]) -> Analysis:
    """Return the analysis of a game whose moves had these chances before and after them."""
    reviews = tuple(
        MoveReview(
            ply=ply,
            side=ply % 2,
            move=ply,
            best_move=8,
            best_line=(8,),
            chance_before=before,
            chance_after=after,
            is_forced=False,
            proven_before=None,
            proven_after=None,
        )
        for ply, (before, after) in enumerate(chances)
    )
    return Analysis(
        rules=Rules(depth=1),
        first_ply=0,
        chances=(0.5,) * (len(reviews) + 1),
        reviews=reviews,
        complete=True,
    )


async def over(table: Table) -> Match:
    await table.command("import", record='[Variant "depth=1"] 1. 5 2 *', level=1)
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    return await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)


async def test_of_three_moves_that_turned_the_game_one_is_the_turning_point(table: Table):
    found = reviewed([(0.7, 0.4), (0.8, 0.45), (0.65, 0.4), (0.9, 0.75)])
    assert len(found.turning_points) == 3

    text = describe_review(await over(table), found)

    named = [line for line in text.splitlines() if "the turning point" in line]
    assert len(named) == 1
    assert named[0].startswith("- Move 3, X **3**: blunder, the turning point")


@pytest.mark.parametrize(
    ("after", "word", "sign"),
    [(0.5, "mistake", "?"), (0.3, "blunder", "??"), (0.56, "inaccuracy", "?!")],
)
async def test_a_bad_move_is_marked_as_in_chess(table: Table, after: float, word: str, sign: str):
    """An exclamation mark is for good moves only, even if a move turned the game."""
    found = reviewed([(0.62, after)])

    match = await over(table)
    _, alt = draw_review(match, found, DARK)

    # A sentence with both names in it would be cut.
    assert match.winner is not None
    loser, winner = MARKS[other(match.winner)], MARKS[match.winner]
    assert alt.startswith(f"{loser} resigned: {winner} wins, Game {match.id}")
    assert f"Move 1, X 1: {word}, better 9" in alt
    assert SIGNS[Judgement(word)] == sign
