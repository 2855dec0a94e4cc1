"""Play a random game and compare kernels and oracle at every ply.

Run as a program, it checks a few games of many rule sets; this is how the kernels
are checked uncompiled, as that is decided when Python starts.
"""

from __future__ import annotations

import random
import sys
from functools import cache

import numpy as np

from engine import BoardStatus, Ending, Game, Goal, Rules, draw_opening_code
from engine.kernels import bitboard81
from engine.kernels.codes import WORD_RESULT
from engine.position import loaded_rules
from tests.naive import NaiveGame, Path
from tests.strategies import every_rules

STATUS = {
    None: BoardStatus.ONGOING,
    "X": BoardStatus.X_WON,
    "O": BoardStatus.O_WON,
    "drawn": BoardStatus.DRAWN,
}


@cache
def path_of(cell: int, length: int) -> Path:
    """Return the digits 1-9 that lead to a cell or board."""
    digits: list[int] = []
    for _ in range(length):
        cell, digit = divmod(cell, 9)
        digits.insert(0, digit + 1)
    return tuple(digits)


def copy_of(game: NaiveGame) -> NaiveGame:
    """Return an independent copy of a game; `deepcopy` takes ten times as long."""
    copied = NaiveGame(game.rules)
    copied.marks, copied.owners = game.marks.copy(), game.owners.copy()
    copied.history = game.history.copy()
    return copied


def naive_of(game: Game) -> NaiveGame:
    """Return the game by the slow rules, the marks of a symmetric opening on the board."""
    naive = NaiveGame(game.rules)
    for cell in range(game.rules.cell_count):
        mark = game.start.mark_at(cell)
        if mark is not None and not game.opening_moves:
            naive.marks[path_of(cell, game.rules.depth)] = "XO"[mark]
    for move in game.moves:
        naive.play(path_of(move, game.rules.depth))
    return naive


def check_game(rules: Rules, seed: int) -> int:
    """Play one game to its end, comparing after every move; return its length."""
    game = Game(rules, draw_opening_code(rules, seed=seed))
    naive = NaiveGame(rules)
    rng = random.Random(seed)
    for cell in range(rules.cell_count):  # marks set up by a symmetric opening
        mark = game.start.mark_at(cell)
        if mark is not None and not game.opening_moves:
            naive.marks[path_of(cell, rules.depth)] = "XO"[mark]
    for move in game.opening_moves:
        naive.play(path_of(move, rules.depth))
    words = game.position.search_state().words
    while True:
        compare(game, naive, words)
        if game.outcome is not None:
            return len(game.moves)
        move = rng.choice(game.position.legal_moves)
        game.push(move)
        naive.play(path_of(move, rules.depth))
        if rules.depth == 2:
            codes, tables = loaded_rules(rules)
            bitboard81.push(words, codes, tables, move // 9, move % 9)


def compare(game: Game, naive: NaiveGame, words: np.ndarray) -> None:
    """Fail unless both say the same about the position."""
    position, rules = game.position, game.rules
    expected = sorted(naive.legal_moves())
    assert [path_of(move, rules.depth) for move in position.legal_moves] == expected, where(game)
    assert position.board_status(0, depth=0) is STATUS[naive.result], where(game)
    for depth in range(1, rules.depth):
        for board in range(9**depth):
            path = path_of(board, depth)
            assert position.board_status(board, depth=depth) is STATUS[naive.owners.get(path)]
    check_outcome(game, naive)
    if rules.depth == 2:
        check_small(game, words)


def where(game: Game) -> str:
    """Say which game differs, and after which moves."""
    return f"{game.rules.key} after {game.moves}"


def check_small(game: Game, words: np.ndarray) -> None:
    """Fail unless the fast kernel agrees with the general one."""
    codes, tables = loaded_rules(game.rules)
    out = np.empty(81, dtype=np.int64)
    count = bitboard81.legal_moves(words, codes, out)
    assert tuple(out[:count].tolist()) == game.position.legal_moves
    assert bitboard81.count_moves(words, codes, tables) == count
    state = game.position.search_state()
    assert state.words[WORD_RESULT] == words[WORD_RESULT]
    assert words.tolist() == state.words.tolist()


def check_outcome(game: Game, naive: NaiveGame) -> None:
    """Fail unless the outcome names the winner and a real line."""
    outcome = game.outcome
    if naive.result is None:
        assert outcome is None
        return
    assert outcome is not None
    if naive.result == "drawn":
        assert (outcome.winner, outcome.ending, outcome.line) == (None, Ending.DRAW, None)
        return
    assert outcome.winner == "XO".index(naive.result)
    assert outcome.line is not None
    places = [(place + 1,) for place in outcome.line]
    if outcome.ending is Ending.LINE:
        assert len(places) == 3
        assert all(naive.counts_for(place, naive.result) for place in places)
    else:
        assert all(naive.is_really(place, naive.result) for place in places)
        five = game.rules.goal is Goal.FIVE and len(places) >= 5
        assert outcome.ending is (Ending.FIVE if five else Ending.MAJORITY)


def main() -> None:
    """Check one game of every ninth rule set of depth 2, and of some at the other depths."""
    chosen = every_rules(1)[:2] + every_rules(2)[::9] + every_rules(3)[::200]
    plies = sum(check_game(rules, seed) for seed, rules in enumerate(chosen))
    compiled = "compiled" if hasattr(bitboard81.push, "py_func") else "not compiled"
    sys.stdout.write(f"{len(chosen)} games, {plies} plies, {compiled}\n")


if __name__ == "__main__":
    main()
