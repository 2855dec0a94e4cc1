"""What hints predicted in stored games, and how those games ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from engine.analysis.calibration import CALIBRATION_FILE, Calibration, log_odds, save_calibrations
from engine.lab.truth.records import GivenHints, Record, StrongGame
from engine.types import X

LEAST_CASES: Final = 100  # with fewer nothing is corrected, and a tenth is left out
_PRIOR: Final = 2.0  # the weight, roughly in cases, of the prior that nothing is to be corrected
_ROUNDS: Final = 50
MOST_OFF: Final = 0.08  # a tenth of the scale that is further off is to be mended

Case = tuple[float, float]
"""What was expected for the side to move, and its points: 1, 0.5 or 0."""


def cases_by_variant(records: Sequence[Record]) -> dict[str, list[tuple[int, Case]]]:
    """Return the cases of every variant, each with the number of its game.

    Only the cases of the player asked last are used: another net predicts differently.
    """
    games = {one.terms: one for one in records if isinstance(one, StrongGame)}
    hints = [one for one in records if isinstance(one, GivenHints) and one.game in games]
    latest = {one.variant: one.player for one in hints}
    found: dict[str, list[tuple[int, Case]]] = {}
    for one in hints:
        if one.player == latest[one.variant]:
            result = games[one.game].result
            cases = found.setdefault(one.variant, [])
            for ply, chance in zip(one.plies, one.chances, strict=True):
                side = ply & 1
                points = 0.5 if result == "draw" else float((result == "X") == (side == X))
                cases.append((one.number, (chance / 1000, points)))
    return found


def fit_calibration(cases: Sequence[Case]) -> Calibration:
    """Return the correction that makes the results most likely: logistic regression.

    Examples:
        >>> fit_calibration([])
        Calibration(slope=1.0, offset=0.0)
    """
    known = np.array([(log_odds(chance), 1.0) for chance, _ in cases]).reshape(-1, 2)
    points = np.array([score for _, score in cases])
    start = weights = np.array([1.0, 0.0])
    for _ in range(_ROUNDS):  # Newton's method; a draw counts as half a win and half a loss
        expected = 1.0 / (1.0 + np.exp(-known @ weights))
        gradient = known.T @ (points - expected) - _PRIOR * (weights - start)
        curvature = known.T @ (known * (expected * (1.0 - expected))[:, None])
        step = np.linalg.solve(curvature + _PRIOR * np.eye(2), gradient)
        weights = weights + step * min(1.0, 1.0 / float(np.abs(step).max() + 1e-12))
    # A hint that looks better never promises less.
    return Calibration(slope=max(float(weights[0]), 0.1), offset=float(weights[1]))


def calibrate(records: Sequence[Record], path: Path = CALIBRATION_FILE) -> list[str]:
    """Store the corrections of variants with enough cases; return the keys of those corrected.

    If a correction does not help, one that changes nothing is stored: that of other rules is not
    meant for these.
    """
    found: dict[str, Calibration] = {}
    for key, cases in cases_by_variant(records).items():
        held = reliability(cases)
        if held.cases >= LEAST_CASES:
            fit = fit_calibration([case for _, case in cases])
            found[key] = fit if held.correction_helps else Calibration()
    save_calibrations(found, path)
    return sorted(key for key, each in found.items() if each != Calibration())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How well chances predicted the results.

    Attributes:
        cases: How many there are.
        constant: The Brier score of always predicting the mean result.
        expected: That of what the search expects.
        corrected: That of corrected chances, each half of the games corrected by the other.
        off, corrected_off: How far the mean of a tenth of the scale is off at worst, among
            those with `LEAST_CASES`; None if there is none.
    """

    cases: int
    constant: float
    expected: float
    corrected: float
    off: float | None
    corrected_off: float | None

    @property
    def correction_helps(self) -> bool:
        """Whether it predicts better; if it mends a tenth, better than the mean is enough."""
        is_mended = (self.off or 0.0) > MOST_OFF >= (self.corrected_off or 0.0)
        return self.corrected < (self.constant if is_mended else self.expected)


def reliability(cases: Sequence[tuple[int, Case]]) -> Reliability:
    """Compare chances with the results; there must be at least one case."""
    halves = [[case for number, case in cases if number % 2 == half] for half in (0, 1)]
    fits = [fit_calibration(half) for half in halves]
    plain = [case for _, case in cases]
    corrected = [
        (fits[1 - half].correct(chance), points)
        for half in (0, 1)
        for chance, points in halves[half]
    ]
    mean = sum(points for _, points in plain) / len(plain)
    return Reliability(
        cases=len(plain),
        constant=_brier([(mean, points) for _, points in plain]),
        expected=_brier(plain),
        corrected=_brier(corrected),
        off=_worst(plain),
        corrected_off=_worst(corrected),
    )


def _brier(cases: Sequence[Case]) -> float:
    return sum((chance - points) ** 2 for chance, points in cases) / len(cases)


def _worst(cases: Sequence[Case]) -> float | None:
    """Return how far the mean chance is from the mean result in the worst tenth of the scale."""
    tenths: dict[int, list[Case]] = {}
    for chance, points in cases:
        tenths.setdefault(min(int(10 * chance), 9), []).append((chance, points))
    return max(
        (
            abs(sum(chance - points for chance, points in tenth)) / len(tenth)
            for tenth in tenths.values()
            if len(tenth) >= LEAST_CASES
        ),
        default=None,
    )
