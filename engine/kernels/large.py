"""Value all moves on 27x27 at once, by a formula of chances.

Depth 3 only. The chances to own nine local boards give the odds of a line in their strategic
board, and in the same way those of nine strategic boards give the odds of the game. A local board
has the chances of depth 2, see `nets.features.odds`; the one that the opponent is sent to has
those after their best mark there.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels import generic, play
from engine.kernels._jit import kernel, outlined
from engine.kernels.codes import (
    ALL_NINE,
    DECIDED,
    FULL,
    LINE,
    ONGOING,
    PLY,
    RESULT,
    TARGET,
    Ints,
    RuleCodes,
    State,
    Tables,
)
from engine.kernels.valuing import (
    BOARD_WEIGHT,
    FREE_WEIGHT,
    LINE_WEIGHT,
    OTHER,
    OTHER_BEHIND,
    OWN,
    OWN_AHEAD,
    STRATEGIC_BOARD_WEIGHT,
    STRATEGIC_FREE_WEIGHT,
    STRATEGIC_LINE_WEIGHT,
    TERNARY,
    Evaluator,
    Room,
    lead,
    logit_of,
)

LEAF: Final = 10  # the node of the first local board


@kernel
def owned(nodes: Ints, board: int, place: int, side: int) -> np.float32:
    """Return 1 if `side` owns a place of a board, else 0."""
    return np.float32(1.0) if nodes[side, board] >> place & 1 else np.float32(0.0)


@kernel
def fill_local(
    nodes: Ints, evaluator: Evaluator, local: NDArray[np.float32], board: int, side: int
) -> None:
    """Write the chances of `side` (row 0) and of the other (row 1) to own a local board."""
    parent, place = 1 + board // 9, board % 9
    if nodes[DECIDED, parent] >> place & 1:
        local[0, board] = owned(nodes, parent, place, side)
        local[1, board] = owned(nodes, parent, place, 1 - side)
        return
    marks = marks_of(nodes, evaluator.masks, board, side)
    local[0, board] = evaluator.odds[marks, OWN]
    local[1, board] = evaluator.odds[marks, OTHER]


@kernel
def marks_of(nodes: Ints, masks: Ints, board: int, side: int) -> int:
    """Return the marks of a local board as nine digits in base three, 1 for `side`."""
    own, other = nodes[side, LEAF + board], nodes[1 - side, LEAF + board]
    return int(masks[own, TERNARY] + 2 * masks[other, TERNARY])


@kernel
def fill_strategic(nodes: Ints, evaluator: Evaluator, room: Room, board: int, side: int) -> None:
    """Write the chances to own a strategic board, from those of its local boards."""
    if nodes[DECIDED, 0] >> board & 1:
        room.chances[0, board] = owned(nodes, 0, board, side)
        room.chances[1, board] = owned(nodes, 0, board, 1 - side)
        return
    weights = evaluator.weights
    odds = lead(
        room.local, 9 * board, weights[STRATEGIC_LINE_WEIGHT], weights[STRATEGIC_BOARD_WEIGHT]
    )
    chance = evaluator.values[logit_of(odds)]
    room.chances[0, board] = chance
    room.chances[1, board] = np.float32(1.0) - chance


@kernel
def weigh(chances: NDArray[np.float32], weights: NDArray[np.float32], target: int) -> int:
    """Return the logit for the side of row 0; the other moves next, under node `target`."""
    odds = lead(chances, 0, weights[LINE_WEIGHT], weights[BOARD_WEIGHT])
    if target == 0:
        odds -= weights[FREE_WEIGHT]
    elif target < LEAF:
        odds -= weights[STRATEGIC_FREE_WEIGHT]
    return logit_of(odds)


@kernel
def value_move(
    state: State,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    room: Room,
    side: int,
    index: int,
) -> None:
    """Write logit and result of `room.moves[index]`."""
    nodes, move = state.nodes, room.moves[index]
    board, node = move // 9, LEAF + move // 9
    before = nodes[side, node]
    own = before | 1 << (move % 9)
    decides = nodes[FULL, node] | own == ALL_NINE or tables.masks[own] & LINE != 0
    after = state
    if decides:
        after = room.after
        play.copy(after, state, rules)
        generic.push(after.nodes, after.head, rules, tables, move)
        room.results[index] = after.head[RESULT]
        if after.head[RESULT] != ONGOING:
            return
        target = after.head[TARGET]
    else:
        nodes[side, node] = own
        target = generic.target_of(nodes, rules, LEAF + tables.sends[move])
    strategic, other = board // 9, board // 9
    fill_local(after.nodes, evaluator, room.local, board, side)
    sent = -1
    if target >= LEAF and after.nodes[DECIDED, (target - 1) // 9] >> ((target - 1) % 9) & 1 == 0:
        sent, other = target - LEAF, (target - LEAF) // 9
        marks = marks_of(after.nodes, evaluator.masks, sent, 1 - side)
        room.local[0, sent] = evaluator.odds[marks, OTHER_BEHIND]
        room.local[1, sent] = evaluator.odds[marks, OWN_AHEAD]
    chances = room.chances
    kept = chances[0, strategic], chances[1, strategic], chances[0, other], chances[1, other]
    fill_strategic(after.nodes, evaluator, room, strategic, side)
    if other != strategic:
        fill_strategic(after.nodes, evaluator, room, other, side)
    room.logits[index] = weigh(chances, evaluator.weights, target)
    chances[0, other], chances[1, other] = kept[2], kept[3]
    chances[0, strategic], chances[1, strategic] = kept[0], kept[1]
    nodes[side, node] = before
    fill_local(nodes, evaluator, room.local, board, side)
    if sent >= 0:
        fill_local(nodes, evaluator, room.local, sent, side)


@outlined
def value_moves(
    state: State, rules: RuleCodes, tables: Tables, evaluator: Evaluator, room: Room
) -> int:
    """Write legal moves, logits and results to `room`; return how many.

    The logit of a move that ends the game is left as it was.
    """
    side = state.head[PLY] & 1
    for board in range(81):
        fill_local(state.nodes, evaluator, room.local, board, side)
    for board in range(9):
        fill_strategic(state.nodes, evaluator, room, board, side)
    count = generic.legal_moves(state.nodes, state.head, rules, tables, room.moves)
    for index in range(count):
        room.results[index] = ONGOING
        value_move(state, rules, tables, evaluator, room, side, index)
    return count
