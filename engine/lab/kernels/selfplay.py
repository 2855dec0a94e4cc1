"""Self-play games of the search, for training: positions and their values.

The whole game runs in compiled code, so that short searches have no overhead.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels import bitboard81, puct, valuing
from engine.kernels._jit import kernel, outlined
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
DRAWN_BOARDS: Final = 12  # nobody's, or both sides' where they count for both
SEARCHED: Final = 13  # what the search expects, in 1/10000
RESULT: Final = 14  # of the game: 0, 5000 or 10000; as SEARCHED where it does not count
COLUMNS: Final = 15
WHOLE: Final = 10_000
JUDGED: Final = -2  # plus the side to move: stands for the result until it is known

EXPLORATION: Final = 0.2

# Places in the settings.
ITERATIONS: Final = 0  # per move, including those kept from the move before
MOST_RANDOM_PLIES: Final = 1  # at the start of a game
VARIED_PLIES: Final = 2  # before this ply moves are drawn in proportion to visits
STRAY_MOVES: Final = 3  # of a thousand moves, how many are random legal ones
SETTING_COUNT: Final = 4


@kernel
def note(words: Ints, masks: Ints, row: NDArray[np.int16]) -> None:
    """Write a position to `row`, except its value."""
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
    """Return the root's child to follow: the most visited, or one drawn by visits."""
    root = tree.nodes[tree.head[ROOT]]
    best, total = root.first, 0
    for child in range(root.first, root.first + root.counts):
        total += tree.nodes[child].visits
        if tree.nodes[child].visits > tree.nodes[best].visits:
            best = child
    if not is_varied or total == 0:
        return int(best)
    drawn = below(rng, total)
    for child in range(root.first, root.first + root.counts):
        drawn -= tree.nodes[child].visits
        if drawn < 0:
            return int(child)
    return int(best)


@kernel
def find_valued(tree: Tree, words: Ints, rules: RuleCodes, tables: Tables, rng: Rng) -> bool:
    """Play from the root's position, in place, to one that the search has valued.

    Each iteration valued the children of one node. A random iteration is chosen, then one of its
    children, all equally likely. Return False if the game has ended there.
    """
    node, is_found = tree.head[ROOT], False
    while words[WORD_RESULT] == ONGOING and not is_found:
        first = tree.nodes[node].first
        end = first + tree.nodes[node].counts
        if first == end:
            return False
        total = 1  # the iteration that valued these
        for child in range(first, end):
            total += tree.nodes[child].visits
        drawn = below(rng, total) - 1
        is_found = drawn < 0
        node = first + below(rng, end - first) if is_found else first
        while not is_found and drawn >= tree.nodes[node].visits:
            drawn -= tree.nodes[node].visits
            node += 1
        move = int(tree.nodes[node].move)
        bitboard81.push(words, rules, tables, move // 9, move % 9)
    return bool(words[WORD_RESULT] == ONGOING)


@kernel
def expect(tree: Tree, rng: Rng, side: int) -> float:
    """Return the score that the search expects for `side`, who is to move at the root."""
    root = tree.nodes[tree.head[ROOT]]
    if root.proof != ONGOING:
        return float(valuing.value_of(root.proof, side))
    return float(tree.nodes[pick(tree, rng, False)].value)


@outlined
def think(
    tree: Tree,
    state: State,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    rng: Rng,
    iterations: int,
) -> None:
    """Run iterations on a tree; not inlined, so that the search is compiled here only once."""
    puct.grow(tree, state, scratch, rules, tables, evaluator, rng, EXPLORATION, iterations, 1 << 62)


@kernel
def label(
    state: State,
    tree: Tree,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    rng: Rng,
    settings: Ints,
    row: NDArray[np.int16],
) -> None:
    """Search a position on its own, and write it to `row` with the score the search expects."""
    puct.clear(tree)
    think(tree, state, scratch, rules, tables, evaluator, rng, settings[ITERATIONS])
    note(state.words, evaluator.masks, row)
    value = expect(tree, rng, state.words[WORD_PLY] & 1)
    row[SEARCHED] = row[RESULT] = int(value * WHOLE)


@kernel
def play_game(
    state: State,
    tree: Tree,
    aside: State,
    tree_aside: Tree,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    rng: Rng,
    settings: Ints,
    rows: NDArray[np.int16],
) -> int:
    """Play a game from `state`, in place, until its result is certain; return the number of rows.

    A net must also value positions that good players avoid. So there are stray moves, and for each
    move a position that the search asked the net about is searched and written, too. The result
    does not judge these positions, nor those before a stray move.
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
        wanted = max(settings[ITERATIONS] - tree.nodes[tree.head[ROOT]].visits, 1)
        think(tree, state, scratch, rules, tables, evaluator, rng, wanted)
        root = tree.nodes[tree.head[ROOT]]
        side = words[WORD_PLY] & 1
        result = int(root.proof)
        child = pick(tree, rng, words[WORD_PLY] < settings[VARIED_PLIES])
        note(words, evaluator.masks, rows[count])
        rows[count, SEARCHED] = int(expect(tree, rng, side) * WHOLE)
        rows[count, RESULT] = JUDGED + side
        count += 1
        bitboard81.copy(aside.words, words)
        if find_valued(tree, aside.words, rules, tables, rng):
            label(aside, tree_aside, scratch, rules, tables, evaluator, rng, settings, rows[count])
            count += 1
        if below(rng, 1000) < settings[STRAY_MOVES]:
            child = int(root.first) + below(rng, root.counts)
            judged_from = count
        tree.head[ROOT] = child
        move = int(tree.nodes[child].move)
        bitboard81.push(words, rules, tables, move // 9, move % 9)
        if result == ONGOING:
            result = int(words[WORD_RESULT])
    for index in range(count):
        if rows[index, RESULT] >= 0:
            continue
        side = rows[index, RESULT] - JUDGED
        rows[index, RESULT] = int(valuing.value_of(result, side) * WHOLE)
        if index < judged_from:
            rows[index, RESULT] = rows[index, SEARCHED]
    return count


@kernel
def play_games(
    start: State,
    state: State,
    tree: Tree,
    aside: State,
    tree_aside: Tree,
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
            state, tree, aside, tree_aside, scratch, rules, tables, evaluator, rng, settings,
            rows[total:],
        )  # fmt: skip
    return total
