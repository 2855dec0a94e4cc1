"""What the net is shown of positions: features and labels, turned by the eight symmetries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.lab.kernels import selfplay
from engine.lab.training.games import Rows
from engine.nets.features import CONFIGURATIONS, ONE, digits, local_features
from engine.nets.folding import mask_table
from engine.symmetry import SQUARE

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """A batch for the net, sorted by target; those that are free to choose come last.

    Attributes:
        local: float32[batch, 9 * 41].
        targeted: For each of the nine boards the features of that board, float32[some, 41],
            where it is the target.
        macro: float32[batch, 45].
        free: float32[batch].
        labels: float32[batch], half what the search expected, half what it came to.
    """

    local: Floats
    targeted: tuple[Floats, ...]
    macro: Floats
    free: Floats
    labels: Floats


@cache
def _feature_table(*, is_closed: bool) -> Floats:
    return (local_features(is_closed=is_closed) / ONE).astype(np.float32)


@cache
def _turned_configurations() -> NDArray[np.int16]:
    """Return int16[8, configurations]: every configuration under every symmetry."""
    places = 3 ** np.arange(9)
    turned = [(digits() * places[list(symmetry)]).sum(axis=1) for symmetry in SQUARE]
    return np.array(turned, dtype=np.int16)


@cache
def _turned_masks() -> NDArray[np.int16]:
    bits = np.arange(512)[:, None] >> np.arange(9) & 1
    turned = [(bits << np.array(symmetry)).sum(axis=1) for symmetry in SQUARE]
    return np.array(turned, dtype=np.int16)


def turn(rows: Rows, symmetry: int) -> Rows:
    """Return the rows as they are under one of the eight symmetries."""
    turned = rows.copy()
    places = np.array(SQUARE[symmetry])
    turned[:, places] = _turned_configurations()[symmetry][rows[:, :9]]
    turned[:, selfplay.TARGET] = np.append(places, 9)[rows[:, selfplay.TARGET]]
    for column in (selfplay.OWN_BOARDS, selfplay.OTHER_BOARDS, selfplay.LOST_BOARDS):
        turned[:, column] = _turned_masks()[symmetry][rows[:, column]]
    return turned


def make_samples(rows: Rows, *, is_closed: bool) -> Samples:
    """Return what the net is shown of some rows."""
    assert rows[:, :9].max() < CONFIGURATIONS
    rows = rows[np.argsort(rows[:, selfplay.TARGET], kind="stable")]
    local = _feature_table(is_closed=is_closed)[rows[:, :9]]
    target = rows[:, selfplay.TARGET]
    ends = np.searchsorted(target, np.arange(10))
    targeted = tuple(local[ends[board] : ends[board + 1], board] for board in range(9))
    outcome = rows[:, selfplay.SEARCHED].astype(np.float32) + rows[:, selfplay.RESULT]
    return Samples(
        local=local.reshape(len(rows), -1),
        targeted=targeted,
        macro=_macro_features(rows),
        free=(target == 9).astype(np.float32),
        labels=outcome / np.float32(2 * selfplay.WHOLE),
    )


def _macro_features(rows: Rows) -> Floats:
    own = rows[:, selfplay.OWN_BOARDS]
    other = rows[:, selfplay.OTHER_BOARDS]
    lost = rows[:, selfplay.LOST_BOARDS]
    open_boards = 511 & ~(own | other | lost)
    completes = mask_table()[:, 1]
    groups = (own, other, lost, completes[own] & open_boards, completes[other] & open_boards)
    bits = np.stack(groups, axis=1)[:, :, None] >> np.arange(9) & 1
    return bits.reshape(len(rows), -1).astype(np.float32)
