"""`/explore`: what was played, browsed with private buttons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.model.actions import Play, Resign
from bot.model.match import Match
from cogs.explorer import BUTTONS, View
from deploy.sandbox import Sandbox
from engine import format_move, load_variant
from tests.cogs.table import Board, Table, readers_among, running_bot, settings_for
from tests.cogs.test_challenge import begun

LINE = (40, 36, 0, 4, 38, 20, 22, 37, 9, 2)
OTHER = (40, 37, 9, 4, 38, 20, 22, 36, 0, 2)
RULES = load_variant("standard").rules


async def played(table: Table, line: tuple[int, ...] = LINE, *, by: int | None = None) -> Match:
    """Let Ann, X, and Ben play a game that one of them gives up."""
    _board, match = await begun(table, colour=0)
    for ply, move in enumerate(line):
        who = (table.ann, table.ben)[ply % 2]
        match = await table.bot.matches.perform(match.id, Play(move), user_id=who, ply=ply)
    match = await table.bot.matches.perform(match.id, Resign(), user_id=by or table.ann)
    await table.quiet()
    return match


def shown(table: Table, user: int | None = None) -> Board:
    return Board(table.seen(user)[-1])


def table_in(board: Board) -> list[list[str]]:
    """Return the words of each line of the move list, without its heading."""
    (block,) = (part for part in board.text.split("```") if "█" in part or "░" in part)
    return [line.split() for line in block.strip("\n").splitlines()[1:]]


async def press(table: Table, board: Board, word: str) -> Board:
    await table.press(board, board.buttons[word])
    return table.again(board)


async def choose(table: Table, board: Board, kind: str, value: str) -> Board:
    (menu,) = (each for each in board.parts if each.get("custom_id", "").startswith(kind))
    chosen = await table.sandbox.people.select(table.ann, board.id, menu["custom_id"], [value])
    await chosen.wait()
    await table.quiet()
    return table.again(board)


async def test_a_tree_is_walked_by_buttons_before_and_after_a_restart(
    sandbox: Sandbox, tmp_path: Path
):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await table.command("explore")
        board = shown(table)
        assert board.message["flags"] & 64
        assert "no games from here" in board.text
        assert set(board.buttons) == {"Engine"}

        games = [await played(table), await played(table, by=table.ben), await played(table, OTHER)]
        await table.command("explore")
        board = shown(table)
        assert "3 games" in board.text
        assert table_in(board) == [["55", "3", "100%", "███░░░░░░░", "33", "0", "67"]]
        assert "100%" in board.alt
        assert "X: won 33%. O: won 67%." in board.alt
        board = await press(table, board, "55")
        # Ben's two replies in the corner and in the middle of a side are not alike.
        assert [each[:3] for each in table_in(board)] == [["51", "2", "67%"], ["52", "1", "33%"]]
        board = await press(table, board, "51")

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        for move in LINE[2:5]:
            board = await press(table, board, format_move(move, RULES))
        assert "**1.** 55 **2.** 51 **3.** 11" in board.text
        assert "2 games" in board.text
        listed = await press(table, board, "Games")
        lines = [
            each for each in listed.text.splitlines() if each.startswith("**") and "<t:" in each
        ]
        assert [f"**{each.id}**" for each in games[1::-1]] == [each.split()[0] for each in lines]
        assert "Ann (X) against Ben (O) · X wins" in lines[0]
        board = await press(table, listed, "Back to the moves")
        board = await press(table, board, "Back")
        assert "**5.**" not in board.text
        assert "**4.**" in board.text

        board = await press(table, board, "Engine")
        assert "The engine's best moves" in board.text
        assert "2 games" in board.text
        board = await press(table, board, "Hide engine")
        assert "The engine's best moves" not in board.text


async def test_only_the_games_that_are_asked_for_are_counted(table: Table):
    await played(table)
    await table.command("explore", whose="m", opponents="p", user=table.ben)
    assert "My games · Between people · 1 game" in shown(table, table.ben).text
    await table.command("explore")
    board = shown(table)
    for kind, value, text in (
        ("explore-whose", "s", "This server's games · Any opponent · 1 game"),
        ("explore-opponents", "c", "This server's games · Against the computer · no games"),
        ("explore-whose", "m", "My games · Against the computer · no games"),
        ("explore-opponents", "p", "My games · Between people · 1 game"),
    ):
        board = await choose(table, board, kind, value)
        assert text in board.text
    assert "55" in board.buttons

    await table.bot.privacy.erase(table.ann)
    board = await press(table, board, "55")
    assert "My games · Between people · no games from here" in board.text
    data = json.loads(await table.bot.privacy.export(table.ann))
    assert not any(each.startswith("opening") for each in data)


async def test_what_cannot_be_explored_is_told(table: Table):
    await table.command("explore", variant="random-four")
    assert "do not all begin alike" in table.whispers(table.ann)[-1]
    await table.command("explore", variant="chess")
    assert "chess" in table.whispers(table.ann)[-1]
    for custom_id, words in (
        ("explore:standard:ea:040000", "You were sent to board 5"),
        ("explore-games:standard:ea:999", "There is no cell 999"),
        ("explore:goal=five:ea:", ""),
        ("explore:no-such:ea:", "no-such"),
    ):
        if readers_among(BUTTONS, custom_id) == []:
            continue
        wall = table.post({"type": 2, "style": 1, "label": "?", "custom_id": custom_id})
        await table.press(wall, custom_id)
        assert words in table.whispers(table.ann)[-1]


@pytest.mark.parametrize("line", [(), LINE, (*LINE, 18, 1)])
def test_every_state_is_a_custom_id_of_its_own(line: tuple[int, ...]):
    view = View(key="x" * 20, line=line)
    ids = [view.id(f"explore{kind}") for kind in ("", "-games", "-engine", "-whose", "-opponents")]
    assert max(map(len, ids)) <= 100
    assert {View.parse(each) for each in ids} == {view}
    found: list[Any] = [readers_among(BUTTONS, each) for each in ids]
    assert all(len(each) == 1 for each in found)
    assert len({each[0] for each in found}) == len(BUTTONS)
