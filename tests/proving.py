"""Proves puzzles again, by what shares nothing with their maker: `python -m tests.proving`.

The rules are those of `tests.naive` and of `tests.plain_solver`, which searches too.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from engine import VARIANTS, Puzzle, load_puzzles
from engine.puzzles import file_of
from tests.engine.analysis.test_exact import naive_of
from tests.naive import LINES
from tests.plain_solver import (
    Move,
    PlainSolver,
    State,
    TooHardError,
    cells_of,
    moves_of,
    play,
    state_of,
)

MOST: Final = 5_000_000
"""How many positions a proof may look at: far more than the engine asks for."""

SHIPPED: Final = tuple(key for key, one in VARIANTS.items() if file_of(one.rules).exists())


def prove(puzzle: Puzzle, most: int) -> None:
    """Prove a puzzle again, from its first move on, looking at `most` positions at most.

    Raises:
        AssertionError: If the puzzle is not what it claims.
        TooHardError: If more positions would have to be looked at.
    """
    game, rules = puzzle.start(), puzzle.rules
    naive = naive_of(game)
    state: State | str = state_of(naive)
    assert isinstance(state, State)
    assert {(move // 9 + 1, move % 9 + 1) for move in game.position.legal_moves} == set(
        moves_of(state, rules)
    )
    solver = PlainSolver(rules, state.mover, most)
    plies = len(puzzle.solution)
    ends = any(theme.key.startswith("win-in-") for theme in puzzle.themes)
    if ends and plies <= 5:
        assert solver.wins_within(state, plies)
        assert not solver.wins_within(state, plies - 1)
    themes = {"free-choice"} if not state.target else set()
    for place, cell in enumerate(puzzle.solution):
        assert isinstance(state, State)
        move = (cell // 9 + 1, cell % 9 + 1)
        assert move in set(moves_of(state, rules)) == naive.legal_moves()
        if place % 2 == 0:
            after = {each: play(state, each, rules) for each in moves_of(state, rules)}
            assert [each for each in after if solver.wins(after[each])] == [move]
            if not takes(state, move) and any(takes(state, each) for each in after):
                themes.add("quiet-move")
            if isinstance(later := after[move], State) and not later.target:
                themes.add("free-choice-given")
        elif takes(state, move):
            themes.add("sacrifice")
        naive.play(move)
        state = play(state, move, rules)
    assert ends == isinstance(state, str)
    assert state == naive.result if ends else state == state_of(naive)
    told = {"free-choice", "quiet-move", "free-choice-given", "sacrifice"}
    assert themes == told & {theme.key for theme in puzzle.themes}
    # Nothing was won before the mistake.
    game.pop()
    assert not solver.wins(state_of(naive_of(game)))


def takes(state: State, move: Move) -> bool:
    """Whether a move wins a board."""
    board, cell = move
    marks = cells_of(state.own, board) | 1 << cell
    lines = (sum(1 << each for each in line) for line in LINES)
    return not state.decided >> board & 1 and any(line & marks == line for line in lines)


def judge(puzzle: Puzzle) -> tuple[str, float]:
    """Return what is wrong with a puzzle, nothing if it is proven, and the seconds that took."""
    began = time.thread_time()
    try:
        prove(puzzle, MOST)
    except AssertionError as error:
        return f"wrong {error}".strip(), time.thread_time() - began
    except TooHardError:
        return "too hard", time.thread_time() - began
    return "", time.thread_time() - began


def main() -> int:
    """Prove random puzzles of each preset; print a line for each, and return 1 if one is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.proving", description=__doc__)
    parser.add_argument(
        "--each", type=int, default=100, help="puzzles of each variant (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice (%(default)s)")
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="only these variants")
    given = parser.parse_args()
    is_wrong = False
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for key in given.variants or SHIPPED:
            shipped = load_puzzles(key)
            sample = random.Random(given.seed).sample(shipped, min(given.each, len(shipped)))
            found = list(pool.map(judge, sample))
            faults = [(one, words) for one, (words, _) in zip(sample, found, strict=True) if words]
            seconds = [took for _, took in found]
            print(
                f"{key:<12} {len(sample) - len(faults):>4} of {len(sample)} proven; seconds a"
                f" puzzle: median {statistics.median(seconds):.2f}, most {max(seconds):.0f}",
                flush=True,
            )
            for puzzle, words in faults:
                print(f"  {puzzle.id}: {words}", flush=True)
                is_wrong |= words != "too hard"
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
