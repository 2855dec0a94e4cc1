"""Make an evaluator of the kernels from a net, or for the hand-made formula.

Folding multiplies every configuration's features with the weights once, exactly, in
whole numbers: afterwards a board is one row to add.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.kernels.codes import ALL_NINE
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
    NO_ROW,
    ROW_COUNT,
    STEPS_PER_UNIT,
    TERNARY,
    Evaluator,
)
from engine.nets.features import ONE, local_features, odds, odds_ahead
from engine.nets.files import FINENESS, Net
from engine.outcome import LINES
from engine.rules import DrawnBoard, Goal, Rules, Tiebreak, WonBoard

SHARPNESS: Final = 8.0  # a prior is softmax(SHARPNESS x expectation)

# Weights of the hand-made formula in log-odds: lines, boards, a free move.
_FOR_LINES: Final = (4.0, 0.4, 0.6)
_FOR_MAJORITY: Final = (4.0, 0.6, 0.6)
_FOR_FIVE: Final = (0.0, 1.2, 0.4)


def hand_evaluator(rules: Rules) -> Evaluator:
    """Return the evaluator of the hand-made formula for rules of depth 2."""
    weights = _FOR_FIVE if rules.goal is Goal.FIVE else _FOR_LINES
    if rules.goal is not Goal.FIVE and rules.tiebreak is Tiebreak.MOST:
        weights = _FOR_MAJORITY
    return _evaluator(
        HAND,
        np.zeros((1, HIDDEN), dtype=np.int16),
        np.zeros(HIDDEN, dtype=np.int16),
        0.0,
        np.array(weights, dtype=np.float32),
        is_shared=rules.drawn_board is DrawnBoard.BOTH,
    )


def net_evaluator(net: Net) -> Evaluator:
    """Return the evaluator of a net; takes a fifth of a second and 45 MB."""
    assert net.rules.drawn_board is DrawnBoard.NOBODY, "the net has no word for shared boards"
    scale = net.scale * STEPS_PER_UNIT
    return _evaluator(
        NET, folded_rows(net), net.output.copy(), scale, np.zeros(3, dtype=np.float32)
    )


def folded_rows(net: Net) -> NDArray[np.int16]:
    """Return the rows that boards add to the hidden layer, int16[ROW_COUNT, HIDDEN]."""
    rows = np.zeros((ROW_COUNT, HIDDEN), dtype=np.int16)
    features = local_features(is_closed=net.rules.won_board is WonBoard.CLOSED)
    largest = int(features.sum(axis=1).max())
    for place in range(18):
        weights = net.local[place // 2, place % 2]
        # Whole numbers are exact in floats as long as the sums stay below 2^23 or 2^53.
        is_small = largest * int(np.abs(weights.astype(np.int64)).max()) < 2**23
        kind = np.float32 if is_small else np.float64
        sums = features.astype(kind) @ weights.astype(kind)
        start = place * CONFIGURATIONS
        rows[start : start + CONFIGURATIONS] = _rounded(sums, ONE * FINENESS)
    bits = (np.arange(512)[:, None] >> np.arange(9) & 1).astype(np.float64)
    for group in range(MACRO_GROUPS):
        sums = bits @ net.macro[9 * group : 9 * group + 9].astype(np.float64)
        if group == 0:
            sums += net.bias
        start = MACRO_ROWS + 512 * group
        rows[start : start + 512] = _rounded(sums, FINENESS)
    rows[NO_ROW] = 0
    rows[FREE_ROW] = _rounded(net.free.astype(np.float64), FINENESS)
    return rows


def _rounded(sums: NDArray[np.float64] | NDArray[np.float32], divisor: int) -> NDArray[np.int16]:
    return np.floor(sums / divisor + 0.5).astype(np.int16)


def _evaluator(
    kind: int,
    rows: NDArray[np.int16],
    output: NDArray[np.int16],
    scale: float,
    weights: NDArray[np.float32],
    *,
    is_shared: bool = False,
) -> Evaluator:
    assert int(np.abs(output.astype(np.int64)).sum()) * CEILING**2 < 2**31, "the output overflows"
    values, powers = _scale_tables()
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
def _scale_tables() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    log_odds = (np.arange(LOGIT_STEPS + 1) - EVEN) / STEPS_PER_UNIT
    values = 1.0 / (1.0 + np.exp(-log_odds))
    return values.astype(np.float32), np.exp(SHARPNESS * values).astype(np.float32)


@cache
def _odds_table(*, is_shared: bool) -> NDArray[np.float32]:
    """Return the chances of boards; those that nobody wins are both's when `is_shared`."""
    parts = [odds(), odds_ahead()]
    if is_shared:
        parts = [1.0 - part[:, ::-1] for part in parts]
    return np.concatenate(parts, axis=1).astype(np.float32)


@cache
def mask_table() -> kernels.codes.Ints:
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
