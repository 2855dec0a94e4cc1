"""Games against the computer that count."""

from __future__ import annotations

from typing import Any

import pytest

from bot.model.ratings import pools
from bot.model.ratings.values import rating_of_level
from tests.cogs.table import Table
from tests.cogs.test_challenge import newest
from tests.cogs.test_ratings import posted


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
    assert "Ratings: Ann: placement game 1 of 5" in ended.text
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


async def test_games_between_people_are_rated_unless_they_say_otherwise(table: Table):
    """What cannot be rated is casual, and the one who offers is told why."""
    for options, rated, why in (
        ({}, True, ""),
        ({"player": str(table.ben)}, True, ""),
        ({"rated": False}, False, ""),
        ({"variant": "goal=five"}, False, "only named variants are"),
        ({"variant": "random-four", "opening": "12345"}, False, "its opening was chosen"),
    ):
        told = table.whispers(table.ann)
        await table.command("challenge", **options)
        offer = (await table.bot.challenges.challenges_of(table.ann))[0]
        assert offer.rated is rated
        assert [why in each for each in table.whispers(table.ann)[len(told) :]] == [True] * bool(
            why
        )
        assert ("rated" if rated else "casual") in posted(table).text
    await table.menu("Challenge", of=table.ben)
    assert (await table.bot.challenges.challenges_of(table.ann))[0].rated


async def test_an_open_offer_is_casual_for_an_account_that_is_too_young(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    young = table.ben
    monkeypatch.setattr(pools, "is_old_enough", lambda user_id, _when: user_id != young)
    await table.command("challenge")
    offer = posted(table)

    await table.press(offer, offer.buttons["Accept"], user=young)

    assert "casual" in table.again(offer).text
    assert "has to be 7 days old" in table.whispers(young)[-1]
