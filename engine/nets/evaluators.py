"""The tables that kernels value positions by, from a net or from the hand-made formula.

Whatever depends on one board alone is a row of a table. Folding multiplies the features of every
configuration by the weights once, exactly, in whole numbers; after that each board only adds a
row.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import CACHE_LINE
from engine.kernels.codes import ALL_NINE, Ints
from engine.kernels.valuing import (
    CEILING,
    COMPLETES,
    CONFIGURATIONS,
    EVEN,
    FREE_ROW,
    HAND,
    HIDDEN,
    LOGIT_STEPS,
    MACRO_GROUPS,
    MACRO_ROWS,
    NET,
    ROW_COUNT,
    STAGES,
    STEPS_PER_UNIT,
    TERNARY,
    Evaluator,
)
from engine.nets.features import ONE, local_features, odds, odds_ahead
from engine.nets.net import FINENESS, Net
from engine.rules import DrawnBoard, Goal, Rules, Tiebreak, WonBoard
from engine.types import LINES

SHARPNESS: Final = 8.0  # a prior is softmax(SHARPNESS x expectation)

# Weights of the hand-made formula in log-odds: lines, boards, a free move.
_FOR_LINES: Final = (4.0, 0.4, 0.6)
_FOR_MAJORITY: Final = (4.0, 0.6, 0.6)
_FOR_FIVE: Final = (0.0, 1.2, 0.4)
# The same at depth 3, then for a strategic board. Games are long there: a move is worth less.
_LARGE_FOR_LINES: Final = (1.5, 0.0, 0.3)
_LARGE_FOR_FIVE: Final = (0.0, 0.5, 0.3)
_STRATEGIC: Final = (0.8, 0.0, 0.2)
_LARGE_SHARPNESS: Final = 30.0


def hand_evaluator(rules: Rules) -> Evaluator:
    """Return the evaluator of the hand-made formula for rules of depth 2 and 3."""
    is_large, is_for_five = rules.depth == 3, rules.goal is Goal.FIVE
    if is_large:
        weights = _LARGE_FOR_FIVE if is_for_five else _LARGE_FOR_LINES
    elif is_for_five:
        weights = _FOR_FIVE
    else:
        weights = _FOR_MAJORITY if rules.tiebreak is Tiebreak.MOST else _FOR_LINES
    return _evaluator(
        HAND,
        np.zeros((1, HIDDEN), dtype=np.int16),
        np.zeros((STAGES, HIDDEN), dtype=np.int16),
        0.0,
        np.array(weights + _STRATEGIC, dtype=np.float32),
        sharpness=_LARGE_SHARPNESS if is_large else SHARPNESS,
        is_shared=rules.drawn_board is DrawnBoard.BOTH,
    )


def net_evaluator(net: Net) -> Evaluator:
    """Return the evaluator of a net; takes a fifth of a second and 45 MB."""
    scale = net.scale * STEPS_PER_UNIT
    output = np.broadcast_to(net.output, (STAGES, HIDDEN)).copy()
    return _evaluator(NET, folded_rows(net), output, scale, np.zeros(6, dtype=np.float32))


def _room_for_rows() -> NDArray[np.int16]:
    """Return int16[ROW_COUNT, HIDDEN] of zeros, each row in two whole cache lines.

    A search waits for every line, and wherever NumPy begins, a row may lie in three.
    """
    size = ROW_COUNT * HIDDEN * np.dtype(np.int16).itemsize
    room = np.zeros(size + CACHE_LINE, dtype=np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + size].view(np.int16).reshape(ROW_COUNT, HIDDEN)


def folded_rows(net: Net) -> NDArray[np.int16]:
    """Return the rows that boards add to the hidden layer, int16[ROW_COUNT, HIDDEN]."""
    rows = _room_for_rows()
    given = local_features(is_closed=net.rules.won_board is WonBoard.CLOSED)
    local = rows[:MACRO_ROWS].reshape(9, 2, CONFIGURATIONS, HIDDEN)
    for board in range(9):
        plain, target = (_rounded(_summed(given, net.learned, it)) for it in net.local[board])
        local[board] = plain, target - plain
    bits = ONE * (np.arange(512)[:, None] >> np.arange(9) & 1)
    for group in range(MACRO_GROUPS):
        sums = _summed(bits, net.learned_macro[group], net.macro[group])
        if group == 0:
            sums += ONE * net.bias.astype(np.int32)
        start = MACRO_ROWS + 512 * group
        rows[start : start + 512] = _rounded(sums)
    rows[FREE_ROW] = _rounded(ONE * net.free.astype(np.int32))
    return rows


def _summed(
    given: NDArray[Any], learned: NDArray[np.int8], weights: NDArray[np.int16]
) -> NDArray[np.int32]:
    """Return the weighted sums of given and learned features."""
    count = given.shape[1]
    return _product(given, weights[:count]) + _product(learned, weights[count:])


def _product(features: NDArray[Any], weights: NDArray[np.int16]) -> NDArray[np.int32]:
    """Return a product of whole numbers, by way of floats, which multiply faster."""
    largest = int(np.abs(features.astype(np.int32)).sum(axis=1).max(initial=0))
    # They are exact as long as the sums stay below 2^24 or 2^53.
    is_small = largest * int(np.abs(weights.astype(np.int32)).max(initial=0)) < 2**24
    kind = np.float32 if is_small else np.float64
    product: NDArray[np.int32] = (features.astype(kind) @ weights.astype(kind)).astype(np.int32)
    return product


def _rounded(sums: NDArray[np.int32]) -> NDArray[np.int16]:
    divisor = ONE * FINENESS
    return ((sums + divisor // 2) // divisor).astype(np.int16)


def _evaluator(
    kind: int,
    rows: NDArray[np.int16],
    output: NDArray[np.int16],
    scale: float,
    weights: NDArray[np.float32],
    *,
    sharpness: float = SHARPNESS,
    is_shared: bool = False,
) -> Evaluator:
    largest = int(np.abs(output.astype(np.int64)).sum(axis=1).max())
    assert largest * CEILING**2 < 2**31, "the output overflows"
    values, powers = _scale_tables(sharpness)
    return Evaluator(
        kind=kind,
        rows=rows,
        output=output,
        scale=scale,
        odds=_odds_table(is_shared=is_shared),
        weights=weights,
        masks=mask_table(),
        values=values,
        powers=powers,
    )


@cache
def _scale_tables(sharpness: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    log_odds = (np.arange(LOGIT_STEPS + 1) - EVEN) / STEPS_PER_UNIT
    values = 1.0 / (1.0 + np.exp(-log_odds))
    return values.astype(np.float32), np.exp(sharpness * values).astype(np.float32)


@cache
def _odds_table(*, is_shared: bool) -> NDArray[np.float32]:
    """Return the chances of boards; drawn ones count for both if `is_shared`."""
    parts = [odds(), odds_ahead()]
    if is_shared:
        parts = [1.0 - part[:, ::-1] for part in parts]
    return np.concatenate(parts, axis=1).astype(np.float32)


@cache
def mask_table() -> Ints:
    """Return the kernels' look-ups by mask, int64[512, 2]."""
    table = np.zeros((512, 2), dtype=np.int64)
    for mask in range(512):
        places = {place for place in range(9) if mask >> place & 1}
        table[mask, TERNARY] = sum(3**place for place in places)
        for line in LINES:
            missing = set(line) - places
            if len(missing) == 1:
                table[mask, COMPLETES] |= 1 << missing.pop()
        table[mask, COMPLETES] &= ALL_NINE & ~mask
    return table
