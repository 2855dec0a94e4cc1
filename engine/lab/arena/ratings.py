"""Ratings from a round robin: the maximum of the likelihood, with error bars.

The model is Bradley and Terry's (1952), in which A scores 1 / (1 + 10^((b - a) / 400))
against B, and a draw is half a win and half a loss. Newton's method finds the maximum.
Each pairing counts as if one more game of it had been drawn: without that a player who
won every game would be rated without a limit. The error bars come from the curvature
at the maximum, widened or narrowed by how much the pairs of games really vary.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.lab.arena.elo import score_of_elo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

Pairings = Mapping[tuple[int, int], Sequence[float]]

_SCALE: Final = math.log(10) / 400
_PRIOR_GAMES: Final = 1.0
_ROUNDS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class EloRating:
    """A player's strength.

    Attributes:
        name: Who.
        elo: The rating; what it is relative to is decided by who asks.
        error: Half the width of its 95 % interval.
        games: How many games it rests on.
        score: The share of points in them.
    """

    name: str
    elo: float
    error: float
    games: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """How much stronger one player is than another, with its 95 % interval.

    Attributes:
        elo: The difference of their ratings.
        error: Half the width of its 95 % interval.
    """

    elo: float
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Ratings and how they vary together; `ratings` is in the order of the names.

    Attributes:
        ratings: One for every player.
        covariance: Of the ratings, in Elo squared.
    """

    ratings: tuple[EloRating, ...]
    covariance: tuple[tuple[float, ...], ...]

    def gap(self, stronger: int, weaker: int) -> Gap:
        """Return how much the first rating is above the second; places, not names."""
        spread = (
            self.covariance[stronger][stronger]
            + self.covariance[weaker][weaker]
            - 2 * self.covariance[stronger][weaker]
        )
        return Gap(
            elo=self.ratings[stronger].elo - self.ratings[weaker].elo,
            error=1.96 * math.sqrt(max(spread, 0.0)),
        )


def fit_ratings(
    names: Sequence[str],
    pairings: Pairings,
    *,
    anchor: int = 0,
    anchor_elo: float = 0.0,
) -> Fit:
    """Return the ratings that make the results likeliest.

    Args:
        names: The players.
        pairings: For places (a, b) of players the scores of a in their pairs of games.
        anchor: The place of the player whose rating is given.
        anchor_elo: That rating.

    Raises:
        EngineError: If some players are not connected by games.

    Examples:
        >>> fit = fit_ratings(["weak", "strong"], {(1, 0): [1.0, 0.5] * 50})
        >>> round(fit.ratings[1].elo)
        190
    """
    import numpy as np  # with the kernels, on first use

    _check_connected(len(names), pairings)
    elos = np.zeros(len(names))
    for _ in range(_ROUNDS):
        slope, curvature = _derivatives(elos, pairings)
        step = np.linalg.pinv(curvature) @ slope
        elos += np.clip(step, -200, 200)
        if float(np.abs(step).max()) < 1e-9:
            break
    elos += anchor_elo - elos[anchor]
    covariance = _covariance(elos, pairings, anchor)
    ratings = tuple(
        _rating(place, name, elos, covariance, pairings) for place, name in enumerate(names)
    )
    return Fit(ratings=ratings, covariance=tuple(tuple(row) for row in covariance.tolist()))


def _rating(
    place: int, name: str, elos: Vector, covariance: Vector, pairings: Pairings
) -> EloRating:
    points, pairs = 0.0, 0
    for (first, second), scores in pairings.items():
        if place in (first, second):
            pairs += len(scores)
            points += sum(scores) if place == first else len(scores) - sum(scores)
    return EloRating(
        name=name,
        elo=float(elos[place]),
        error=1.96 * math.sqrt(max(float(covariance[place, place]), 0.0)),
        games=2 * pairs,
        score=points / pairs if pairs else 0.5,
    )


def _derivatives(elos: Vector, pairings: Pairings) -> tuple[Vector, Vector]:
    """Return the slope of the log-likelihood and minus its second derivative, per Elo."""
    import numpy as np

    slope = np.zeros(len(elos))
    curvature = np.zeros((len(elos), len(elos)))
    for (first, second), scores in pairings.items():
        expected = score_of_elo(float(elos[first] - elos[second]))
        games = 2 * len(scores) + _PRIOR_GAMES
        surplus = 2 * math.fsum(scores) + _PRIOR_GAMES / 2 - games * expected
        slope[first] += _SCALE * surplus
        slope[second] -= _SCALE * surplus
        _bend(curvature, first, second, _SCALE**2 * games * expected * (1 - expected))
    return slope, curvature


def _covariance(elos: Vector, pairings: Pairings, anchor: int) -> Vector:
    """Return the covariance of the ratings: curvature, spread of the slopes, curvature.

    Were games independent and without draws, the spread would equal the curvature; it
    is measured instead (the sandwich estimate), at least half of that.
    """
    import numpy as np

    _, curvature = _derivatives(elos, pairings)
    spread = np.zeros_like(curvature)
    for (first, second), scores in pairings.items():
        expected = score_of_elo(float(elos[first] - elos[second]))
        mean = math.fsum(scores) / len(scores)
        of_pair = math.fsum((score - mean) ** 2 for score in scores) / len(scores)
        of_pair = max(of_pair, expected * (1 - expected) / 4)
        _bend(spread, first, second, _SCALE**2 * 4 * len(scores) * of_pair)
    others = [place for place in range(len(elos)) if place != anchor]
    kept = np.ix_(others, others)
    inverse = np.linalg.inv(curvature[kept])
    covariance = np.zeros_like(curvature)
    covariance[kept] = inverse @ spread[kept] @ inverse
    return covariance


def _bend(matrix: Vector, first: int, second: int, amount: float) -> None:
    """Add what a pairing contributes to a matrix of second derivatives."""
    for place in (first, second):
        matrix[place, place] += amount
    matrix[first, second] -= amount
    matrix[second, first] -= amount


def _check_connected(count: int, pairings: Pairings) -> None:
    reached, todo = {0}, [0]
    while todo:
        place = todo.pop()
        for pairing, scores in pairings.items():
            if place in pairing and scores:
                fresh = set(pairing) - reached
                reached |= fresh
                todo.extend(fresh)
    if len(reached) < count:
        raise EngineError("Ratings need games that connect all players: some have not met others")
