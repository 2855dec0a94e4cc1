"""The features of a local board for a net, as a table of all its configurations.

A local board has 3^9 configurations: digit p (base three, place 0 first) is 0 for an empty
place, 1 for a mark of one's own, 2 for the other's.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels.valuing import CONFIGURATIONS
from engine.types import LINES

# 9 own marks, 9 of the other, 9 places that complete a line for each, a line of each,
# and the chances to own it, to lose it and that nobody gets it.
LOCAL_FEATURES: Final = 41
MACRO_FEATURES: Final = 9  # of each group of boards: which belong to it

ONE: Final = 64  # features are whole numbers of 1/64


@cache
def digits() -> NDArray[np.int8]:
    """Return int8[configurations, 9]: what stands in every place."""
    numbers = np.arange(CONFIGURATIONS)[:, None]
    return (numbers // 3 ** np.arange(9) % 3).astype(np.int8)


@cache
def has_line() -> NDArray[np.bool_]:
    """Return bool[configurations, 2]: whether one and the other have three in a row."""
    marks = digits()
    return np.stack(
        [np.any([np.all(marks[:, line] == mark, axis=1) for line in LINES], axis=0)
         for mark in (1, 2)],
        axis=1,
    )  # fmt: skip


@cache
def threats() -> NDArray[np.bool_]:
    """Return bool[configurations, 2, 9]: empty places that complete a line."""
    marks = digits()
    found = np.zeros((CONFIGURATIONS, 2, 9), dtype=np.bool_)
    for line in LINES:
        for place in line:
            rest = [other for other in line if other != place]
            for side, mark in enumerate((1, 2)):
                completes = (marks[:, place] == 0) & np.all(marks[:, rest] == mark, axis=1)
                found[:, side, place] |= completes
    return found


@cache
def odds() -> NDArray[np.float64]:
    """Return float64[configurations, 2]: the chances of one and the other to own a board.

    This assumes that random marks fill the board, those of either side equally likely.
    """
    marks, lines = digits(), has_line()
    chances = lines.astype(np.float64)
    chances[lines.all(axis=1)] = 0.5
    numbers = np.arange(CONFIGURATIONS)
    empty = (marks == 0).sum(axis=1)
    for count in range(1, 10):
        group = numbers[(empty == count) & ~lines.any(axis=1)]
        total = np.zeros((len(group), 2))
        for place in range(9):
            is_empty = (marks[group, place] == 0)[:, None]
            after = chances[np.minimum(group + 3**place, CONFIGURATIONS - 1)]
            after = after + chances[np.minimum(group + 2 * 3**place, CONFIGURATIONS - 1)]
            total += np.where(is_empty, after, 0.0)
        chances[group] = total / (2 * count)
    return chances


@cache
def odds_ahead() -> NDArray[np.float64]:
    """Return the chances as `odds` does, after the best mark of one's own."""
    marks, chances = digits(), odds()
    best = chances.copy()
    gain = np.full(CONFIGURATIONS, -np.inf)
    numbers = np.arange(CONFIGURATIONS)
    is_open = ~has_line().any(axis=1)
    for place in range(9):
        after = chances[np.minimum(numbers + 3**place, CONFIGURATIONS - 1)]
        value = after[:, 0] - after[:, 1]
        better = is_open & (marks[:, place] == 0) & (value > gain)
        best[better] = after[better]
        gain[better] = value[better]
    return best


@cache
def local_features(*, is_closed: bool) -> NDArray[np.int16]:
    """Return int16[configurations, LOCAL_FEATURES] in units of 1/ONE.

    `is_closed` says that a board with a line is out of play: then only the line matters.
    """
    marks, lines, chances = digits(), has_line(), odds()
    nobody = 1.0 - chances.sum(axis=1)
    columns = np.concatenate(
        [marks == 1, marks == 2, threats()[:, 0], threats()[:, 1], lines], axis=1
    ).astype(np.float64)
    if is_closed:
        columns[lines.any(axis=1), :36] = 0.0
    whole = np.concatenate([columns, chances, nobody[:, None]], axis=1)
    features: NDArray[np.int16] = np.rint(whole * ONE).astype(np.int16)
    return features
