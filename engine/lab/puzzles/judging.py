"""The themes of a puzzle, and an estimate of how hard it is."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from engine import kernels
from engine.position import Position, loaded_rules
from engine.puzzles.themes import THEMES, Theme
from engine.search.levels import LEVELS, Sight, choose_move, levels_of, winning_move
from engine.search.ratings import level_rating
from engine.types import BoardStatus, Cell, Ending, other

ENDGAME: Final = 15  # empty cells in undecided boards at most

TRIES: Final = {1: 8, 2: 8, 3: 8, 4: 8, 5: 8, 6: 4, 7: 4, 8: 2, 9: 1}  # by level
LEAST_RATING: Final = 400
MOST_RATING: Final = 3000
_SCALE: Final = 400.0  # of Elo: ten to one
_SEED_BITS: Final = 62


def cells_left(position: Position) -> int:
    """Return how many cells are empty in boards that are not decided."""
    words = position.search_state().words
    return int(kernels.solving.cells_left(words, loaded_rules(position.rules).tables))


def themes_of(
    position: Position, solution: Sequence[Cell], *, all_else_loses: bool
) -> tuple[Theme, ...]:
    """Return the themes of a puzzle, in the order of `THEMES`."""
    found = set(_themes(position, solution))
    if all_else_loses:
        found.add("only-move")
    return tuple(theme for key, theme in THEMES.items() if key in found)


def _themes(position: Position, solution: Sequence[Cell]) -> Iterator[str]:
    turns = (len(solution) + 1) // 2
    yield ("one-move", "short", "long", "very-long")[min(turns, 4) - 1]
    yield "endgame" if cells_left(position) <= ENDGAME else "middlegame"
    if position.target is None:
        yield "free-choice"
    if Sight(position).takes_board(solution[0], other(position.side)):
        yield "defensive-move"
    before = position
    for place, move in enumerate(solution):
        if place % 2 == 0:
            yield from _themes_of_turn(before, move, solution[place + 1 : place + 2])
        before = before.after(move)
    outcome = before.outcome
    if outcome is not None:
        yield f"win-in-{min(turns, 5)}"
        if outcome.ending is Ending.MAJORITY:
            yield "by-count"


def _themes_of_turn(position: Position, move: Cell, reply: Sequence[Cell]) -> Iterator[str]:
    """Yield the themes of one of the moves to find, and of its effects; `reply` may be empty."""
    side, sight, after = position.side, Sight(position), position.after(move)
    if not sight.takes_board(move, side) and any(
        sight.takes_board(each, side) for each in position.legal_moves
    ):
        yield "quiet-move"
    if after.outcome is not None:
        return
    if after.target is None:
        yield "free-choice-given"
    elif after.board_status(move % 9) is not BoardStatus.ONGOING:
        yield "won-board"
    if reply and Sight(after).takes_board(reply[0], after.side):
        yield "sacrifice"
    threats = _threats(after)
    if len(threats) > 1:
        yield "double-threat"
    elif threats and len(after.legal_moves) > 1:
        turns = map(after.after, after.legal_moves)
        if all(turn.outcome is None and winning_move(turn) is not None for turn in turns):
            yield "zugzwang"


def _threats(position: Position) -> set[int]:
    """Return the boards where the side that just moved could win the game if it played there.

    A mark of that side is tried in each empty cell, to see whether it wins the game.
    """
    codes, side = kernels.bitboard81, other(position.side)
    loaded, found = loaded_rules(position.rules), set()
    for board in range(9):
        if position.board_status(board) is not BoardStatus.ONGOING:
            continue
        for cell in range(9):
            words = position.search_state().words
            if (words[board] | words[9 + board]) >> cell & 1:
                continue
            words[kernels.codes.WORD_PLY] += 1  # the other side passes
            codes.push(words, *loaded, board, cell)
            if words[kernels.codes.WORD_RESULT] == kernels.codes.X_WON + side:
                found.add(board)
    return found


def estimate_rating(position: Position, solution: Sequence[Cell], seed: int) -> int:
    """Return the rating of a player who finds the solution half the time, from levels' attempts.

    It is the most likely rating if each attempt is a game against the puzzle. An added draw with
    the middle level keeps it from extremes that a few attempts cannot show.
    """
    key, rng = position.rules.key, random.Random(f"{seed} {solution}")
    results = [(float(level_rating(5, key)), 0.5)]
    for level in LEVELS[:-1]:
        for _ in range(TRIES[level.number]):
            seed = rng.getrandbits(_SEED_BITS)
            is_solved = _solves(level.number, position, solution, seed)
            results.append((float(level_rating(level.number, key)), float(is_solved)))
    least, most = float(LEAST_RATING), float(MOST_RATING)
    scored = sum(result for _, result in results)
    while most - least > 0.1:
        rating = (least + most) / 2
        expected = sum(1 / (1 + 10 ** ((rating - own) / _SCALE)) for own, _ in results)
        least, most = (rating, most) if expected > scored else (least, rating)
    return round(least)


def _solves(number: int, position: Position, solution: Sequence[Cell], seed: int) -> bool:
    level = levels_of(position.rules)[number - 1]
    level = replace(level, seconds=3600.0)  # iterations alone limit it
    for place, move in enumerate(solution):
        if place % 2 == 0 and choose_move(position, level, seed=seed).move != move:
            return False
        position = position.after(move)
    return True
