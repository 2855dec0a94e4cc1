"""Puzzles: given, tried, helped with and rated, by private buttons."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.model.match import Person
from bot.model.puzzles import PuzzleRow, Round, RoundRow, SolverRow, Try, Wanted
from bot.storage import puzzles as rows
from cogs.audience import Presentation
from cogs.puzzles import pages
from cogs.puzzles.cog import BUTTONS
from cogs.puzzles.pages import Quest
from deploy.sandbox import Sandbox
from engine import Puzzle, format_move, load_puzzles
from tests.cogs.table import Board, Table, readers_among, running_bot, settings_for

STAGES = [(0, 0), (1, 0), (5, 0), (0, 1), (0, 2)]
PUZZLES = {each.id: each for each in load_puzzles("standard")}


def shown(table: Table, user: int | None = None) -> tuple[Board, Puzzle]:
    """Return the newest message and the puzzle in it."""
    board = Board(table.seen(user)[-1])
    return board, puzzle_in(board)


def puzzle_in(board: Board) -> Puzzle:
    ids = [each.split(":")[1] for each in board.buttons.values() if "puzzle" in each]
    return PUZZLES[next(each for each in ids if each in PUZZLES)]


async def press(table: Table, board: Board, custom_id: str) -> Board:
    await table.press(board, custom_id)
    return table.again(board)


async def play(table: Table, board: Board, move: int) -> Board:
    """Play a cell, choosing its board first if the choice is free."""
    if board.starting("puzzle-cell") == []:
        chosen = next(
            each for each in board.starting("puzzle") if each.endswith(f":{move // 9 + 1}")
        )
        board = await press(table, board, chosen)
        assert any(each.endswith(":0") for each in board.starting("puzzle"))  # another board
    cell = next(each for each in board.starting("puzzle-cell") if each.endswith(f":{move}"))
    return await press(table, board, cell)


def wrong_move(puzzle: Puzzle) -> int:
    return next(m for m in puzzle.start().position.legal_moves if m != puzzle.solution[0])


async def round_of(table: Table, puzzle: Puzzle, user: int | None = None) -> Any:
    return await table.bot.puzzles.round_of(user or table.ann, "standard", puzzle.id)


async def test_one_is_solved_to_its_end_and_rated_once(table: Table):
    await table.command("puzzle", theme="long", difficulty="h")
    board, puzzle = shown(table)
    assert board.message["flags"] & 64
    assert puzzle.turns == 3
    assert "to move and win" in board.text
    assert "counts as not solved" in board.text
    assert "rating" not in board.text
    assert "Win in" not in board.text

    for turn, move in enumerate(puzzle.solution[::2], start=1):
        assert list(board.buttons)[-2:] == ["Hint", "Solution"]
        before = board
        board = await play(table, board, move)
        if turn < puzzle.turns:
            reply = format_move(puzzle.solution[2 * turn - 1], puzzle.rules)
            assert f"**Right!** O played **{reply}**" in board.text.replace("X played", "O played")
        if turn == 1 and before.starting("puzzle-cell"):
            # The same button again, as a double click sends it.
            stale = table.post(
                {
                    "type": 2,
                    "style": 1,
                    "label": "?",
                    "custom_id": before.starting("puzzle-cell")[0],
                }
            )
            again = await press(table, stale, before.starting("puzzle-cell")[0])
            assert "Right!" in again.text

    assert "**Solved!**" in board.text
    assert "placement puzzle 1 of 5" in board.text
    assert all(str(each.name) in board.text for each in puzzle.themes)
    found = await round_of(table, puzzle)
    assert (found.row.won, found.row.found, found.rated.plays) == (1, 3, 1)
    assert found.solver.value > 1500
    assert puzzle.rating - 20 <= found.rated.value < puzzle.rating
    assert found.rated.deviation < 150
    assert await table.bot.matches.database.read(rows.find_solver, table.ann) == found.solver

    following = await press(table, board, board.buttons["Next puzzle"])
    other = puzzle_in(following)
    assert other.id != puzzle.id
    assert other.turns == 3
    await table.command("profile")
    assert "Puzzles: 1 of 1 solved · placement puzzle 1 of 5" in Board(table.seen()[-1]).text


async def test_a_wrong_move_is_refuted_and_counts_once_whatever_follows(
    sandbox: Sandbox, tmp_path: Path
):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await table.command("puzzle", theme="short")
        board, puzzle = shown(table)
        wrong = await play(table, board, wrong_move(puzzle))
        assert "**Not quite.**" in wrong.text
        assert "Not solved at the first try" in wrong.text
        assert list(wrong.buttons) == ["Try again", "Solution", "Next puzzle"]

    async with running_bot(settings) as bot:  # it stopped between two clicks
        table = Table(sandbox, bot)
        first = await round_of(table, puzzle)
        assert (first.row.won, first.row.found) == (0, 0)
        assert first.solver.value < 1500
        board = await press(table, wrong, wrong.buttons["Try again"])
        for move in puzzle.solution[::2]:
            board = await play(table, board, move)
        assert "though not on your first try" in board.text
        last = await round_of(table, puzzle)
        assert (last.row.won, last.row.found) == (0, 2)
        assert (last.solver, last.rated) == (first.solver, first.rated)


async def test_hints_and_the_solution_count_as_said_and_of_many_clicks_one(table: Table):
    await table.command("puzzle", theme="free-choice")
    board, puzzle = shown(table)
    board = await press(table, board, board.buttons["Hint"])
    place = puzzle.solution[0] // 9 + 1
    assert f"Hint: play in **board {place}**" in board.text
    assert len(board.starting("puzzle-cell")) > 0
    board = await press(table, board, board.buttons["Hint"])
    assert f"Hint: play **{format_move(puzzle.solution[0], puzzle.rules)}**" in board.text
    assert "Hint" not in board.buttons
    board = await press(table, board, board.buttons["Solution"])
    for _step in puzzle.solution[1:]:
        board = await press(table, board, board.buttons["▶"])
    assert f"{len(puzzle.solution)}/{len(puzzle.solution)}" in json.dumps(board.message)
    assert all(str(each.name) in board.text for each in puzzle.themes)
    back = {"|◀", "◀"} if len(puzzle.solution) > 1 else set[str]()
    assert back | {"Next puzzle", "Try again"} == set(board.buttons)
    found = await round_of(table, puzzle)
    assert (found.row.won, found.solver.rounds, found.rated.plays) == (0, 1, 1)

    board = await press(table, board, board.buttons["Next puzzle"])
    puzzle = puzzle_in(board)
    hint, line = board.buttons["Hint"], board.buttons["Solution"]
    await table.press_at_once(board, [hint, line, hint, line])
    found = await round_of(table, puzzle)
    assert (found.solver.rounds, found.rated.plays) == (2, 1)

    # Puzzles that nobody gave them: refused, and not counted.
    wall = table.post({"type": 2, "style": 1, "label": "?", "custom_id": line})
    await table.press(wall, line, user=table.ben)
    assert "This is not a puzzle of yours" in table.whispers(table.ben)[-1]
    forged = line.replace(puzzle.id, "zzzzzzz7").replace("puzzle-line", "puzzle-hint") + ":1"
    wall = table.post({"type": 2, "style": 1, "label": "?", "custom_id": forged})
    await table.press(wall, forged)
    assert "This is not a puzzle of yours" in table.whispers(table.ann)[-1]
    illegal = next(m for m in range(81) if m not in puzzle.start().position.legal_moves)
    cell = line.replace("puzzle-line", "puzzle-cell").rsplit(":", 1)[0] + f":0:{illegal}"
    wall = table.post({"type": 2, "style": 1, "label": "?", "custom_id": cell})
    before = table.whispers(table.ann)
    await table.press(wall, cell)
    assert len(table.whispers(table.ann)) == len(before) + 1


def test_no_two_buttons_of_a_page_are_the_same_and_all_are_read_back():
    """Discord refuses a message with two components of one custom id, and ids of 101 characters."""
    puzzle = max(PUZZLES.values(), key=lambda each: len(each.solution))
    keys: dict[str, Any] = {"variant_key": "x" * 20, "puzzle_id": puzzle.id}
    for found in range(puzzle.turns):
        row = RoundRow(player_id=1, begun_at=datetime.now(UTC), found=found, **keys)
        rated = PuzzleRow(value=1500.0, **keys)
        quest = Quest(
            found=Round(puzzle=puzzle, row=row, solver=SolverRow(player_id=1), rated=rated),
            wanted=Wanted(variant_key="x" * 20, theme="free-choice-given"),
            name="Ann",
            presentation=Presentation(),
        )
        shown = [pages.question(quest, board=board, stage=stage) for board, stage in STAGES]
        shown += [pages.solution(quest, ply) for ply in range(len(puzzle.solution) + 2)]
        for page in shown:
            buttons = [button for row in page.rows for button in row]
            ids = [str(button.custom_id) for button in buttons]
            assert len(set(ids)) == len(ids)
            assert max(map(len, ids)) <= 100
            pressed = [str(each.custom_id) for each in buttons if not each.disabled]
            assert all(len(readers_among(BUTTONS, each)) == 1 for each in pressed)


async def test_one_that_was_left_comes_again_and_what_is_missing_is_said(table: Table):
    await table.command("puzzle")
    _board, puzzle = shown(table)
    await table.command("puzzle")
    assert shown(table)[1] == puzzle
    await table.command("puzzle", difficulty="h")
    assert shown(table)[1] != puzzle

    await table.command("puzzle", variant="sttt-map")
    assert "no such puzzles of Strategic" in table.whispers(table.ann)[-1]
    assert "Standard" in table.whispers(table.ann)[-1]
    kind = min(
        ({theme.key for each in PUZZLES.values() for theme in each.themes}),
        key=lambda key: sum(any(t.key == key for t in each.themes) for each in PUZZLES.values()),
    )
    for _puzzle in range(sum(any(t.key == kind for t in each.themes) for each in PUZZLES.values())):
        book, wanted = table.bot.puzzles, Wanted(variant_key="standard", theme=kind)
        given = await book.give(Person(id=table.ann, name="Ann"), wanted, resume=True)
        await book.give_up(table.ann, "standard", given.puzzle.id, Try.SOLUTION)
    await table.command("puzzle", theme=kind)
    assert "You have tried every puzzle of this kind" in table.whispers(table.ann)[-1]


async def test_they_are_handed_out_and_deleted_with_the_person(table: Table):
    await table.command("puzzle")
    board, puzzle = shown(table)
    await table.press(board, board.buttons["Solution"])
    line = board.buttons["Solution"]
    data = json.loads(await table.bot.privacy.export(table.ann))
    assert [each["puzzle_id"] for each in data["puzzle_round"]] == [puzzle.id]
    assert data["puzzle_player"][0]["rounds"] == 1

    await table.bot.privacy.erase(table.ann)

    database = table.bot.matches.database
    assert await database.read(rows.find_solver, table.ann) is None
    wall = table.post({"type": 2, "style": 1, "label": "?", "custom_id": line})
    await table.press(wall, line)
    assert "This is not a puzzle of yours" in table.whispers(table.ann)[-1]
    await table.command("puzzle")
    assert await database.read(rows.find_solver, table.ann) is None
