"""Games of the search against itself, for training: positions and what they were worth.

The whole game runs compiled, so that short searches cost nothing around them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels import puct, small, valuing
from engine.kernels._jit import kernel
from engine.kernels.codes import (
    MACRO,
    ONGOING,
    WORD_COUNT,
    WORD_DECIDED,
    WORD_PLY,
    WORD_RESULT,
    WORD_TARGET,
    Dice,
    Ints,
    RuleCodes,
    Tables,
)
from engine.kernels.dice import below
from engine.kernels.puct import ROOT, Scratch, Tree
from engine.kernels.valuing import Evaluator

# Columns of a record; the configurations of the nine boards come first. All are as
# the side to move sees them.
TARGET: Final = 9
OWN_BOARDS: Final = 10
OTHER_BOARDS: Final = 11
LOST_BOARDS: Final = 12  # decided, nobody's
SEARCHED: Final = 13  # what the search expects, in 1/10000
RESULT: Final = 14  # what it came to: 0, 5000 or 10000
COLUMNS: Final = 15
WHOLE: Final = 10_000

EXPLORATION: Final = 0.2

# Places in the settings.
ITERATIONS: Final = 0  # per move, those kept from the move before included
MOST_RANDOM_PLIES: Final = 1  # at the start of a game
VARIED_PLIES: Final = 2  # until then moves are drawn by their visits
SETTING_COUNT: Final = 3


@kernel
def note(words: Ints, masks: Ints, record: NDArray[np.int16]) -> None:
    """Write a position to `record`, all but its worth."""
    side = words[WORD_PLY] & 1
    for board in range(9):
        record[board] = valuing.marks_of(words, masks, board, side)
    own = words[MACRO + side] & ~words[MACRO + 1 - side]
    other = words[MACRO + 1 - side] & ~words[MACRO + side]
    record[TARGET] = words[WORD_TARGET]
    record[OWN_BOARDS] = own
    record[OTHER_BOARDS] = other
    record[LOST_BOARDS] = words[WORD_DECIDED] & ~(own | other)


@kernel
def pick(tree: Tree, dice: Dice, is_varied: bool) -> int:
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
    drawn = below(dice, total)
    for child in range(first, first + count):
        drawn -= tree.visits[child]
        if drawn < 0:
            return int(child)
    return int(best)


@kernel
def play_game(
    words: Ints,
    tree: Tree,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    dice: Dice,
    settings: Ints,
    records: NDArray[np.int16],
) -> int:
    """Play a game from `words`, in place, until its result is certain.

    Write a record for every position thought about and return how many.
    """
    for _ in range(below(dice, settings[MOST_RANDOM_PLIES] + 1)):
        move = scratch.room.moves[below(dice, small.legal_moves(words, rules, scratch.room.moves))]
        small.push(words, rules, tables, move // 9, move % 9)
    puct.clear(tree)
    count = 0
    result = int(words[WORD_RESULT])
    while result == ONGOING:
        wanted = max(settings[ITERATIONS] - tree.visits[tree.head[ROOT]], 1)
        puct.grow(
            tree, words, scratch, rules, tables, evaluator, dice, EXPLORATION, wanted, 1 << 62
        )
        root = tree.head[ROOT]
        side = words[WORD_PLY] & 1
        result = int(tree.proof[root])
        child = pick(tree, dice, words[WORD_PLY] < settings[VARIED_PLIES])
        note(words, evaluator.masks, records[count])
        worth = float(tree.value[pick(tree, dice, False)])
        if result != ONGOING:
            worth = valuing.worth_of(result, side)
        records[count, SEARCHED] = int(worth * WHOLE)
        records[count, RESULT] = side
        count += 1
        tree.head[ROOT] = child
        small.push(words, rules, tables, int(tree.move[child]) // 9, int(tree.move[child]) % 9)
    for index in range(count):
        side = records[index, RESULT]
        records[index, RESULT] = int(valuing.worth_of(result, side) * WHOLE)
    return count


@kernel
def play_games(
    start: Ints,
    words: Ints,
    tree: Tree,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    dice: Dice,
    settings: Ints,
    records: NDArray[np.int16],
    game_count: int,
) -> int:
    """Play games one after the other; return the number of records written."""
    total = 0
    for _ in range(game_count):
        for place in range(WORD_COUNT):
            words[place] = start[place]
        total += play_game(
            words,
            tree,
            scratch,
            rules,
            tables,
            evaluator,
            dice,
            settings,
            records[total:],
        )
    return total
