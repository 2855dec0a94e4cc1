"""Games against the computer that count."""

from __future__ import annotations

from typing import Any

import pytest

from bot.model.ratings.values import rating_of_level
from tests.cogs.table import Table
from tests.cogs.test_challenge import newest


async def test_a_rated_game_against_the_computer_counts_and_says_so(table: Table):
    board = await table.start(rated=True)
    assert "rated" in board.text.splitlines()[-1]
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    for cell in ("55", None, None):
        moves = (await table.bot.matches.load(match.id)).position.legal_moves
        await table.command("move", cell=cell or _typed(moves[0]))
    board = table.newest()
    assert "Undo" not in board.buttons  # what is played stands
    await table.command("hint")
    assert "there are no hints in it" in table.whispers(table.ann)[-1]

    await table.press(board, board.buttons["Resign"])
    await table.press(board, table.again(board).buttons["Yes, resign"])

    ended = table.again(board)
    assert "Ratings: Ann 1500" in ended.text
    rated = await table.bot.ratings.changes_of(match.id)
    assert rated is not None
    (change,) = rated.changes
    assert (change.player_id, change.gain < 0) == (table.ann, True)
    assert "Play again" in ended.buttons


def _typed(move: int) -> str:
    return f"{move // 9 + 1}{move % 9 + 1}"


async def test_the_levels_stay_what_they_are(table: Table):
    before = rating_of_level(1, "standard")
    board = await table.start(rated=True)
    await table.press(board, board.buttons["Resign"])
    await table.press(board, table.again(board).buttons["Yes, resign"])

    assert "\nThis game is not rated: it ended within" in table.again(board).text
    assert rating_of_level(1, "standard") == before


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"variant": "won_board=open,goal=five"}, "named variants"),
        ({"variant": "balanced", "opening": "51837"}, "the opening is random"),
    ],
)
async def test_what_cannot_be_rated_is_refused_before_the_game(
    table: Table, options: dict[str, Any], why: str
):
    for command in ("play", "challenge"):
        await table.command(command, rated=True, **options)
        assert why in table.whispers(table.ann)[-1]
    assert await table.bot.matches.ongoing_of(table.ann) == []


async def test_a_casual_game_has_undo_and_hints(table: Table):
    await table.start()
    await table.command("move", cell="55")
    assert "Undo" in table.newest().buttons
    await table.command("hint")
    assert "hints" not in "".join(table.whispers(table.ann))
    assert newest(table).text
