"""The rules and the help, as they are shown."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import discord
import pytest
from PIL import Image

from bot.language import LANGUAGES, speaking
from bot.model.actions import Resign
from cogs.rules import rules_heading, rules_view
from engine import VARIANTS, Rules, Sending, variant_of
from tests.cogs.table import Board, Table, commands_named
from tests.strategies import every_rules

LINE = "Three of your boards in a row win the game."
FIVE = "You win the game by winning five boards."
CLOSED = "any board that is neither"
OPEN = "any board with an empty cell, won boards included"
CREDIT = "Mikhail Demchenko and Anton Shashkov, CC-BY 4.0, <https://github.com/echo-Mike/STTT>"


async def read(table: Table, **options: Any) -> Board:
    """Let Ann use `/rules` and return the answer, which only she sees."""
    await table.command("rules", **options)
    board = table.newest()
    assert board.message["flags"] & 64
    return board


async def size_of_picture(table: Table, board: Board) -> tuple[int, int]:
    [png] = (await table.files(board)).values()
    return Image.open(io.BytesIO(png)).size


def told(view: discord.ui.LayoutView) -> Iterator[str]:
    for part in view.walk_children():
        if isinstance(part, discord.ui.TextDisplay):
            yield part.content


async def test_rules_lead_with_the_rule_of_sending(table: Table):
    board = await read(table, variant="majority")

    assert board.text.index("decides which board") < board.text.index("nine boards of nine cells")
    assert "## Majority" in board.text


async def test_rules_of_ones_own_are_told_from_their_options(table: Table):
    board = await read(table, variant="goal=five,won_board=open")

    assert "## Custom (Open Board, five boards win)" in board.text
    assert f"**{FIVE}**" in board.text
    assert OPEN in board.text
    assert LINE not in board.text
    assert CLOSED not in board.text
    assert "goal=" not in board.text


@pytest.mark.parametrize("variant", ["standard", "sttt-map", "depth=1", "depth=3,goal=five"])
async def test_the_picture_is_as_large_as_a_board_of_these_rules(table: Table, variant: str):
    board = await table.start(variant=variant, level=1)

    explained = await read(table, variant=variant)

    assert await size_of_picture(table, explained) == await size_of_picture(table, board)


async def test_the_rules_of_27x27_cells_tell_map_free_move_and_authors(table: Table):
    board = await read(table, variant="sttt-map")

    assert "2 1 3 6 5 4 7 9 8 beside the strategic boards on the left" in board.text
    assert "Boards that are won or drawn are closed." in board.text
    assert "any open tactical board of any open strategic board" in board.text
    assert CREDIT in board.text
    assert LINE not in board.text
    assert board.alt.startswith("Strategic tic-tac-toe after 1 move.")
    assert "must play in strategic board 1, tactical board 9" in board.alt


async def test_without_a_game_of_the_reader_standard_is_explained(table: Table):
    await table.start(user=table.ben, variant="goal=five")

    board = await read(table)

    assert "## Standard" in board.text
    assert LINE in board.text
    assert "The rules of game" not in board.text


async def test_the_rules_of_the_readers_latest_game_here_are_explained(table: Table):
    await table.start(variant="goal=five,won_board=open")
    match = await table.bot.matches.latest_for(table.ann)

    board = await read(table)
    assert f"The rules of game {match.id}, your latest here." in board.text
    assert "## Custom (Open Board, five boards win)" in board.text
    assert FIVE in board.text
    assert LINE not in board.text

    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    assert FIVE in (await read(table)).text


async def test_the_latest_game_of_the_channel_goes_before_one_elsewhere(table: Table):
    await table.start(variant="majority")
    here = await table.bot.matches.latest_for(table.ann)
    elsewhere = table.sandbox.world.channel_called("games").id
    await table.command("play", channel=elsewhere, variant="goal=five", level=1)

    assert f"The rules of game {here.id}, your latest here." in (await read(table)).text


async def test_the_latest_game_anywhere_does_where_there_is_none_in_the_channel(table: Table):
    elsewhere = table.sandbox.world.channel_called("games").id
    await table.command("play", channel=elsewhere, variant="goal=five", level=1)
    match = await table.bot.matches.latest_for(table.ann)

    board = await read(table)

    assert f"The rules of game {match.id}, your latest." in board.text
    assert FIVE in board.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_of_every_combination_differ_and_fit_into_a_message(language: str):
    maps = [Rules(depth=3, sending=Sending.MAP, map_number=number) for number in (11, 88)]
    combinations = [*(one for depth in (1, 2, 3) for one in every_rules(depth)), *maps]
    seen = set()
    with speaking(language):
        for rules in combinations:
            variant = variant_of(rules)
            view = rules_view(variant, rules_heading(variant, None, None))
            text = "\n".join(told(view))
            seen.add(text.partition("\n\n")[2])  # without the name, which differs anyway
            assert len(text.encode("utf-16-le")) // 2 <= 4000, rules.key
            assert ("CC-BY 4.0" in text) or rules.depth < 3

    assert len(seen) == len(combinations)


@pytest.mark.parametrize("language", LANGUAGES)
def test_named_rules_are_told_in_every_language(language: str):
    with speaking(language):
        views = [rules_view(variant, "") for variant in VARIANTS.values()]

    assert len({"".join(told(view)) for view in views}) == len(VARIANTS)


async def test_what_tells_of_27x27_cells_names_its_authors(table: Table):
    for command in ("variants", "help"):
        await table.command(command)
        assert CREDIT in Board(table.seen()[-1]).text
    await table.command("field", name="mapped")
    assert "CC-BY 4.0, <https://github.com/echo-Mike/STTT>" in table.newest().text


async def test_help_lists_every_command(table: Table):
    await table.command("help")

    text = commands_named(Board(table.seen()[-1]).text)
    names = (
        *("play", "learn", "challenge", "lobby", "games", "move", "watch", "board", "resign"),
        *("hint", "review", "replay", "leaderboard", "profile", "export", "import"),
        *("rules", "variants", "field", "help"),
    )
    assert [name for name in names if f"`/{name}`" not in text] == []
