"""What the engine says about a game."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence

import pytest
from PIL import Image

from bot.model.actions import Resign
from bot.model.match import Match
from bot.render import DARK, NoteKind
from bot.render.graphs import _SIGNS
from cogs.analysis import describe_review, draw_review
from engine import MARKS, Analysis, MoveReview, Rules, other
from tests.cogs.table import Board, Table


async def test_a_hint_names_three_legal_moves_in_private(table: Table):
    await table.start()
    await table.command("move", cell="55")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]

    await table.command("hint")

    board = Board(table.seen()[-1])
    assert board.message["flags"] & 64
    named = [line.split("**")[1] for line in board.text.splitlines() if line.startswith("- **")]
    legal = {f"{move // 9 + 1}{move % 9 + 1}" for move in match.position.legal_moves}
    assert len(set(named)) == 3
    assert set(named) <= legal


async def test_a_hint_is_for_ones_own_turn(table: Table):
    await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)

    await table.command("hint", game=match.id)
    await table.command("hint", user=table.ben, game=match.id)

    assert "This game is over" in table.whispers(table.ann)[-1]
    assert "This game is between" in table.whispers(table.ben)[-1]


async def test_a_review_names_the_move_that_lost(table: Table):
    """In ordinary tic-tac-toe O answers the centre at an edge and loses by it."""
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
    """Return a game looked over whose moves had these chances before and after them."""
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
    """An exclamation mark is for good moves, also where a move turned the game."""
    found = reviewed([(0.62, after)])

    match = await over(table)
    _, alt = draw_review(match, found, DARK)

    # A sentence with both names in it would be cut.
    assert match.winner is not None
    loser, winner = MARKS[other(match.winner)], MARKS[match.winner]
    assert alt.startswith(f"{loser} resigned: {winner} wins, Game {match.id}")
    assert f"Move 1, X 1: {word}, better 9" in alt
    assert _SIGNS[NoteKind(word)] == sign
