"""Value all moves of a position at once, with a small neural net or a hand-made formula.

Depth 2 only. A logit is a step from 0 to LOGIT_STEPS on a scale of log-odds: `values`
turns it into an expected score, `powers` into the prior of a move before normalisation.
The net computes in integers only, so that every machine gets the same result.

The net is folded: a local board adds one row of HIDDEN numbers to the hidden layer,
picked by its place and its marks, and another one if it is the target. A move therefore
changes three rows, and those of the macro board if it decides a board.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import bitboard81
from engine.kernels._jit import kernel, prefetch
from engine.kernels.codes import (
    ALL_NINE,
    ANYWHERE,
    COUNT,
    DRAWN,
    FORCED,
    LINE,
    MACRO,
    ONGOING,
    WORD_DECIDED,
    WORD_FULL,
    WORD_PLY,
    WORD_RESULT,
    WORD_TARGET,
    X_WON,
    Ints,
    RuleCodes,
    State,
    Tables,
    empty_state,
)

HAND: Final = 0
NET: Final = 1

HIDDEN: Final = 64
STAGES: Final = 10  # weights of the output, by how many boards are decided
CEILING: Final = 181  # stands for a hidden unit's 1.0; its square just fits into int16
CONFIGURATIONS: Final = 3**9

# Rows of `Evaluator.rows` after those of the local boards. Each of these has a row for every
# configuration of its marks, then a row for every one to add if the board is the target.
MACRO_ROWS: Final = 18 * CONFIGURATIONS  # five groups, indexed by mask, see `macro_rows`
MACRO_GROUPS: Final = 5
FREE_ROW: Final = MACRO_ROWS + MACRO_GROUPS * 512
ROW_COUNT: Final = FREE_ROW + 1

# Columns of `Room.rows`: what a move adds to the hidden layer.
BOARD_ROW: Final = 0  # that of its board with the new mark
TARGET_ROW: Final = 1  # that of the board it sends to; -1 if it changes the state of its own board

# Columns of `Evaluator.masks`.
TERNARY: Final = 0  # the mask's bits as digits in base three
COMPLETES: Final = 1  # the places that would complete a line

LOGIT_STEPS: Final = 4096
EVEN: Final = LOGIT_STEPS // 2
STEPS_PER_UNIT: Final = 256  # of log-odds: the scale reaches from -8 to 8

# Columns of `Evaluator.odds`: chances to own the board, of the side and of the other.
OWN, OTHER, OWN_AHEAD, OTHER_BEHIND = range(4)  # the last two: after the side's best mark

# Places in `Evaluator.weights` of the hand-made formula, in log-odds: for the boards of the game
# and a free move; at depth 3 also for the local boards of a strategic one and a free move in it.
LINE_WEIGHT, BOARD_WEIGHT, FREE_WEIGHT = range(3)
STRATEGIC_LINE_WEIGHT, STRATEGIC_BOARD_WEIGHT, STRATEGIC_FREE_WEIGHT = range(3, 6)


class Evaluator(NamedTuple):
    """Everything needed to value positions of one rule set.

    Attributes:
        kind: HAND or NET.
        rows: int16[ROW_COUNT, HIDDEN]; [1, HIDDEN] for HAND.
        output: int16[STAGES, HIDDEN].
        scale: Logit steps per unit of the net's output.
        odds: float32[CONFIGURATIONS, 4], see the columns above.
        weights: float32[6], see the places above.
        masks: int64[512, 2], see the columns above.
        values: float32[LOGIT_STEPS + 1].
        powers: float32[LOGIT_STEPS + 1].
    """

    kind: int
    rows: NDArray[np.int16]
    output: NDArray[np.int16]
    scale: float
    odds: NDArray[np.float32]
    weights: NDArray[np.float32]
    masks: Ints
    values: NDArray[np.float32]
    powers: NDArray[np.float32]


class Room(NamedTuple):
    """Scratch space, and the results.

    Attributes:
        moves: int64[cells]: the legal moves.
        logits: int64[cells]: the value of each for the side that makes it.
        results: int64[cells]: the game's result after each.
        rows: int64[cells, 2]: the rows of each, see the columns above.
        base: int16[2, HIDDEN]: hidden layers before activation.
        after: A position to try moves in.
        chances: float32[2, 9]: of the mover and of the other, to own each board.
        local: float32[2, 81]: the same for local boards, at depth 3.
    """

    moves: Ints
    logits: Ints
    results: Ints
    rows: Ints
    base: NDArray[np.int16]
    after: State
    chances: NDArray[np.float32]
    local: NDArray[np.float32]


def make_room(depth: int) -> Room:
    """Return scratch space."""
    return Room(
        moves=np.zeros(9**depth, dtype=np.int64),
        logits=np.zeros(9**depth, dtype=np.int64),
        results=np.zeros(9**depth, dtype=np.int64),
        rows=np.zeros((9**depth, 2), dtype=np.int64),
        base=np.zeros((2, HIDDEN), dtype=np.int16),
        after=empty_state(depth),
        chances=np.zeros((2, 9), dtype=np.float32),
        local=np.zeros((2, 81), dtype=np.float32),
    )


@kernel
def marks_of(words: Ints, masks: Ints, board: int, side: int) -> int:
    """Return the marks of a local board as nine digits in base three, 1 for `side`."""
    own, other = words[9 * side + board], words[9 - 9 * side + board]
    return int(masks[own, TERNARY] + 2 * masks[other, TERNARY])


@kernel
def macro_rows(words: Ints, masks: Ints, side: int) -> tuple[int, int, int, int, int]:
    """Return the rows of the macro board as `side` sees it.

    They stand for the boards of `side`, those of the other and drawn ones, and for those
    that would complete a line for `side` and for the other. A drawn board belongs to nobody,
    or to both where it counts for both.
    """
    own, other = words[MACRO + side], words[MACRO + 1 - side]
    decided = words[WORD_DECIDED]
    return (
        MACRO_ROWS + own,
        MACRO_ROWS + 512 + other,
        MACRO_ROWS + 1024 + (decided & ~(own ^ other)),
        MACRO_ROWS + 1536 + (masks[own, COMPLETES] & ~decided),
        MACRO_ROWS + 2048 + (masks[other, COMPLETES] & ~decided),
    )


@kernel
def local_row(words: Ints, masks: Ints, board: int, side: int) -> int:
    """Return the row of a local board as `side` sees it, when it is not the target."""
    return int(2 * CONFIGURATIONS * board + marks_of(words, masks, board, side))


@kernel
def fill_base(words: Ints, evaluator: Evaluator, side: int, base: NDArray[np.int16]) -> None:
    """Sum up the hidden layer of a position as `side` sees it, without its target."""
    rows, masks = evaluator.rows, evaluator.masks
    first, second, third, fourth, fifth = macro_rows(words, masks, side)
    # All rows are added at once: no sum is stored, and all are on their way from memory together.
    zero, one = local_row(words, masks, 0, side), local_row(words, masks, 1, side)
    two, three = local_row(words, masks, 2, side), local_row(words, masks, 3, side)
    four, five = local_row(words, masks, 4, side), local_row(words, masks, 5, side)
    six, seven = local_row(words, masks, 6, side), local_row(words, masks, 7, side)
    eight = local_row(words, masks, 8, side)
    for unit in range(HIDDEN):
        base[0, unit] = (
            rows[first, unit]
            + rows[second, unit]
            + rows[third, unit]
            + rows[fourth, unit]
            + rows[fifth, unit]
            + rows[zero, unit]
            + rows[one, unit]
            + rows[two, unit]
            + rows[three, unit]
            + rows[four, unit]
            + rows[five, unit]
            + rows[six, unit]
            + rows[seven, unit]
            + rows[eight, unit]
        )


@kernel
def rebase(
    before: Ints, after: Ints, evaluator: Evaluator, side: int, base: NDArray[np.int16]
) -> None:
    """Write to `base[1]` the layer `base[0]` with the macro board of `after`."""
    rows = evaluator.rows
    old = macro_rows(before, evaluator.masks, side)
    new = macro_rows(after, evaluator.masks, side)
    for unit in range(HIDDEN):
        base[1, unit] = (
            base[0, unit]
            - rows[old[0], unit]
            - rows[old[1], unit]
            - rows[old[2], unit]
            - rows[old[3], unit]
            - rows[old[4], unit]
            + rows[new[0], unit]
            + rows[new[1], unit]
            + rows[new[2], unit]
            + rows[new[3], unit]
            + rows[new[4], unit]
        )


@kernel
def activate(
    evaluator: Evaluator,
    base: NDArray[np.int16],
    layer: int,
    gone: int,
    come: int,
    target: int,
    stage: int,
) -> int:
    """Return the logit of a layer for its side, without row `gone` but with `come` and `target`."""
    rows, output = evaluator.rows, evaluator.output
    total = np.int32(0)
    for unit in range(HIDDEN):
        hidden = np.int16(
            base[layer, unit] - rows[gone, unit] + rows[come, unit] + rows[target, unit]
        )
        if hidden < 0:
            hidden = np.int16(0)
        if hidden > CEILING:
            hidden = np.int16(CEILING)
        square = np.int16(hidden * hidden)
        total = np.int32(total + np.int32(np.int32(square) * np.int32(output[stage, unit])))
    return int(min(max(total * evaluator.scale + (EVEN + 0.5), 0.0), LOGIT_STEPS + 0.5))


@kernel
def sends_to(words: Ints, rules: RuleCodes, tables: Tables, board: int, cell: int) -> int:
    """Return the board that a move sends to, or -1 if it changes the state of its own board."""
    side = words[WORD_PLY] & 1
    own = words[9 * side + board] | 1 << cell
    if own | words[9 - 9 * side + board] == ALL_NINE or tables.masks[own] & LINE:
        return -1
    freeing = words[WORD_FULL] if rules.won_board == FORCED else words[WORD_DECIDED]
    return int(ANYWHERE if freeing >> cell & 1 else cell)


@kernel
def try_move(
    words: Ints, rules: RuleCodes, tables: Tables, room: Room, board: int, cell: int
) -> None:
    """Write the position after a move to `room.after`."""
    bitboard81.copy(room.after.words, words)
    bitboard81.push(room.after.words, rules, tables, board, cell)


@kernel
def target_row(words: Ints, masks: Ints, side: int, board: int, come: int, sent: int) -> int:
    """Return the row that the target `sent` adds after a move in `board`, whose row is `come`."""
    if sent == ANYWHERE:
        return FREE_ROW
    if sent == board:
        return int(come + CONFIGURATIONS)
    return int(local_row(words, masks, sent, side) + CONFIGURATIONS)


@kernel
def find_rows(
    words: Ints, rules: RuleCodes, tables: Tables, evaluator: Evaluator, room: Room, count: int
) -> None:
    """Write `room.rows` of `room.moves[:count]`, and have memory bring them meanwhile."""
    side, masks = words[WORD_PLY] & 1, evaluator.masks
    for index in range(count):
        board, cell = room.moves[index] // 9, room.moves[index] % 9
        come = local_row(words, masks, board, 1 - side) + 2 * masks[1 << cell, TERNARY]
        sent = sends_to(words, rules, tables, board, cell)
        target = -1
        if sent >= 0:
            target = target_row(words, masks, 1 - side, board, come, sent)
            prefetch(evaluator.rows, target)
        prefetch(evaluator.rows, come)
        room.rows[index, BOARD_ROW], room.rows[index, TARGET_ROW] = come, target


@kernel
def value_by_net(
    words: Ints, rules: RuleCodes, tables: Tables, evaluator: Evaluator, room: Room, count: int
) -> None:
    """Write the logits and results of `room.moves[:count]`."""
    side = words[WORD_PLY] & 1
    masks, after = evaluator.masks, room.after.words
    stage = tables.masks[words[WORD_DECIDED]] >> COUNT
    find_rows(words, rules, tables, evaluator, room, count)
    fill_base(words, evaluator, 1 - side, room.base)
    for index in range(count):
        board, cell = room.moves[index] // 9, room.moves[index] % 9
        come, target = room.rows[index, BOARD_ROW], room.rows[index, TARGET_ROW]
        layer, now = 0, stage
        room.results[index] = ONGOING
        if target < 0:
            try_move(words, rules, tables, room, board, cell)
            room.results[index] = after[WORD_RESULT]
            if after[WORD_RESULT] != ONGOING:
                continue
            if after[WORD_DECIDED] != words[WORD_DECIDED]:
                layer, now = 1, stage + 1
                rebase(words, after, evaluator, 1 - side, room.base)
            target = target_row(words, masks, 1 - side, board, come, after[WORD_TARGET])
        gone = local_row(words, masks, board, 1 - side)
        logit = activate(evaluator, room.base, layer, gone, come, target, now)
        room.logits[index] = LOGIT_STEPS - logit


@kernel
def fill_chances(words: Ints, evaluator: Evaluator, room: Room, board: int, side: int) -> None:
    """Write the chances of `side` (row 0) and of the other (row 1) to own `board`."""
    slot = 1 << board
    if words[WORD_DECIDED] & slot:
        room.chances[0, board] = 1.0 if words[MACRO + side] & slot else 0.0
        room.chances[1, board] = 1.0 if words[MACRO + 1 - side] & slot else 0.0
        return
    marks = marks_of(words, evaluator.masks, board, side)
    room.chances[0, board] = evaluator.odds[marks, OWN]
    room.chances[1, board] = evaluator.odds[marks, OTHER]


@kernel
def lead(
    chances: NDArray[np.float32], first: int, line_weight: float, board_weight: float
) -> float:
    """Return the log-odds of a line in the nine boards from `first` on, for the side of row 0."""
    lines = np.float32(0.0)
    boards = np.float32(0.0)
    for start, step in ((0, 1), (3, 1), (6, 1), (0, 3), (1, 3), (2, 3), (0, 4), (2, 2)):
        one, two, three = first + start, first + start + step, first + start + 2 * step
        lines += chances[0, one] * chances[0, two] * chances[0, three]
        lines -= chances[1, one] * chances[1, two] * chances[1, three]
    for board in range(first, first + 9):
        boards += chances[0, board] - chances[1, board]
    return float(lines * line_weight + boards * board_weight)


@kernel
def logit_of(log_odds: float) -> int:
    """Return the logit for some log-odds, clamped to the scale."""
    return int(min(max(log_odds * STEPS_PER_UNIT + (EVEN + 0.5), 0.0), LOGIT_STEPS + 0.5))


@kernel
def weigh(chances: NDArray[np.float32], evaluator: Evaluator, is_free: bool) -> int:
    """Return the logit of boards with these chances for the side of row 0; the other moves next."""
    weights = evaluator.weights
    log_odds = lead(chances, 0, weights[LINE_WEIGHT], weights[BOARD_WEIGHT])
    if is_free:
        log_odds -= weights[FREE_WEIGHT]
    return logit_of(log_odds)


@kernel
def value_by_hand(
    words: Ints, rules: RuleCodes, tables: Tables, evaluator: Evaluator, room: Room, count: int
) -> None:
    """Write the logits and results of `room.moves[:count]`.

    A board is worth the chance to own it if random marks fill it; the board that the
    opponent is sent to, that chance after their best mark.
    """
    side = words[WORD_PLY] & 1
    chances = room.chances
    for board in range(9):
        fill_chances(words, evaluator, room, board, side)
    for index in range(count):
        board, cell = room.moves[index] // 9, room.moves[index] % 9
        sent = sends_to(words, rules, tables, board, cell)
        room.results[index] = ONGOING
        if sent < 0:
            try_move(words, rules, tables, room, board, cell)
            room.results[index] = room.after.words[WORD_RESULT]
            if room.after.words[WORD_RESULT] != ONGOING:
                continue
            sent = room.after.words[WORD_TARGET]
            fill_chances(room.after.words, evaluator, room, board, side)
        else:
            marks = marks_of(words, evaluator.masks, board, side)
            marks += evaluator.masks[1 << cell, TERNARY]
            chances[0, board] = evaluator.odds[marks, OWN]
            chances[1, board] = evaluator.odds[marks, OTHER]
        own, other = np.float32(0.0), np.float32(0.0)
        is_contested = sent != ANYWHERE and words[WORD_DECIDED] >> sent & 1 == 0
        if is_contested and (sent != board or room.results[index] == ONGOING):
            own, other = chances[0, sent], chances[1, sent]
            marks = marks_of(words, evaluator.masks, sent, 1 - side)
            if sent == board:
                marks += 2 * evaluator.masks[1 << cell, TERNARY]
            chances[0, sent] = evaluator.odds[marks, OTHER_BEHIND]
            chances[1, sent] = evaluator.odds[marks, OWN_AHEAD]
        room.logits[index] = weigh(chances, evaluator, sent == ANYWHERE)
        if is_contested:
            chances[0, sent], chances[1, sent] = own, other
        fill_chances(words, evaluator, room, board, side)


@kernel
def value_moves(
    words: Ints, rules: RuleCodes, tables: Tables, evaluator: Evaluator, room: Room
) -> int:
    """Write legal moves, logits and results to `room`; return how many.

    The logit of a move that ends the game is left as it was.
    """
    count = bitboard81.legal_moves(words, rules, room.moves)
    if evaluator.kind == NET:
        value_by_net(words, rules, tables, evaluator, room, count)
    else:
        value_by_hand(words, rules, tables, evaluator, room, count)
    return count


@kernel
def value_of(result: int, side: int) -> float:
    """Return the value of a result of the game for `side`."""
    if result == DRAWN:
        return 0.5
    return 1.0 if result == X_WON + side else 0.0
