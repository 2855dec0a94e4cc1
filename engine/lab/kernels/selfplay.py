"""Games of the search against itself, for training: positions and their values.

The whole game runs compiled, so that short searches cost nothing around them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels import bitboard81, puct, valuing
from engine.kernels._jit import kernel
from engine.kernels.codes import (
    MACRO,
    ONGOING,
    WORD_DECIDED,
    WORD_PLY,
    WORD_RESULT,
    WORD_TARGET,
    Ints,
    Rng,
    RuleCodes,
    State,
    Tables,
)
from engine.kernels.puct import ROOT, Scratch, Tree
from engine.kernels.rng import below
from engine.kernels.valuing import Evaluator

# Columns of a row; the configurations of the nine boards come first. All are as
# the side to move sees them.
TARGET: Final = 9
OWN_BOARDS: Final = 10
OTHER_BOARDS: Final = 11
DRAWN_BOARDS: Final = 12  # nobody's, or both's where boards are shared
SEARCHED: Final = 13  # what the search expects, in 1/10000
RESULT: Final = 14  # what it came to: 0, 5000 or 10000; before a stray move what it expects
COLUMNS: Final = 15
WHOLE: Final = 10_000

EXPLORATION: Final = 0.2

# Places in the settings.
ITERATIONS: Final = 0  # per move, those kept from the move before included
MOST_RANDOM_PLIES: Final = 1  # at the start of a game
VARIED_PLIES: Final = 2  # until then moves are drawn by their visits
STRAY_MOVES: Final = 3  # of a thousand moves, so many are any legal one
SETTING_COUNT: Final = 4


@kernel
def note(words: Ints, masks: Ints, row: NDArray[np.int16]) -> None:
    """Write a position to `row`, all but its value."""
    side = words[WORD_PLY] & 1
    for board in range(9):
        row[board] = valuing.marks_of(words, masks, board, side)
    own, other = words[MACRO + side], words[MACRO + 1 - side]
    row[TARGET] = words[WORD_TARGET]
    row[OWN_BOARDS] = own
    row[OTHER_BOARDS] = other
    row[DRAWN_BOARDS] = words[WORD_DECIDED] & ~(own ^ other)


@kernel
def pick(tree: Tree, rng: Rng, is_varied: bool) -> int:
    """Return the root's child to follow: the most visited, or one drawn by its visits."""
    first = tree.first[tree.head[ROOT]]
    count = tree.counts[tree.head[ROOT]]
    best, total = first, 0
    for child in range(first, first + count):
        total += tree.visits[child]
        if tree.visits[child] > tree.visits[best]:
            best = child
    if not is_varied or total == 0:
        return int(best)
    drawn = below(rng, total)
    for child in range(first, first + count):
        drawn -= tree.visits[child]
        if drawn < 0:
            return int(child)
    return int(best)


@kernel
def play_game(
    state: State,
    tree: Tree,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    rng: Rng,
    settings: Ints,
    rows: NDArray[np.int16],
) -> int:
    """Play a game from `state`, in place, until its result is certain; return the rows written.

    A net has to value what good players avoid, too: a stray move leads there. What came before it
    is not judged by the result.
    """
    words = state.words
    for _ in range(below(rng, settings[MOST_RANDOM_PLIES] + 1)):
        move = scratch.room.moves[
            below(rng, bitboard81.legal_moves(words, rules, scratch.room.moves))
        ]
        bitboard81.push(words, rules, tables, move // 9, move % 9)
    puct.clear(tree)
    count, judged_from = 0, 0
    result = int(words[WORD_RESULT])
    while result == ONGOING:
        wanted = max(settings[ITERATIONS] - tree.visits[tree.head[ROOT]], 1)
        puct.grow(tree, state, scratch, rules, tables, evaluator, rng, EXPLORATION, wanted, 1 << 62)
        root = tree.head[ROOT]
        side = words[WORD_PLY] & 1
        result = int(tree.proof[root])
        child = pick(tree, rng, words[WORD_PLY] < settings[VARIED_PLIES])
        note(words, evaluator.masks, rows[count])
        value = float(tree.value[pick(tree, rng, False)])
        if result != ONGOING:
            value = valuing.value_of(result, side)
        rows[count, SEARCHED] = int(value * WHOLE)
        rows[count, RESULT] = side
        count += 1
        if below(rng, 1000) < settings[STRAY_MOVES]:
            child = int(tree.first[root]) + below(rng, tree.counts[root])
            judged_from = count
        tree.head[ROOT] = child
        bitboard81.push(words, rules, tables, int(tree.move[child]) // 9, int(tree.move[child]) % 9)
        if result == ONGOING:
            result = int(words[WORD_RESULT])
    for index in range(count):
        side = rows[index, RESULT]
        rows[index, RESULT] = int(valuing.value_of(result, side) * WHOLE)
        if index < judged_from:
            rows[index, RESULT] = rows[index, SEARCHED]
    return count


@kernel
def play_games(
    start: State,
    state: State,
    tree: Tree,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    rng: Rng,
    settings: Ints,
    rows: NDArray[np.int16],
    game_count: int,
) -> int:
    """Play games one after the other; return the number of rows written."""
    total = 0
    for _ in range(game_count):
        bitboard81.copy(state.words, start.words)
        total += play_game(
            state, tree, scratch, rules, tables, evaluator, rng, settings, rows[total:]
        )
    return total
