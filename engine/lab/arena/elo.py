"""What matches say about playing strength: Elo with an interval, and ratings of many players.

Both games of a pair begin with the same opening, so their results are correlated: the
independent unit is the pair, not the game. With n pairs of mean score m (0 to 1) and
variance v of the pair scores (five values are possible: the pentanomial model used for
testing chess programs), v / (m (1 - m)) is the variance of a pair relative to that of
one throw of a coin (the design effect of survey statistics). The interval is Wilson's
for n / effect throws (Wilson 1927), which unlike m ± 1.96 sqrt(v / n) stays within 0
and 1 and is informative even if every game was won. Two pairs of independent games
without draws (effect 1/2) are mixed into the effect, because few pairs estimate it badly.
A score s is Elo's -400 log10(1 / s - 1).

Ratings of many players are the maximum of the likelihood, found by Newton's method. The
model is Bradley and Terry's (1952), in which A scores 1 / (1 + 10^((b - a) / 400)) against
B, and a draw is half a win and half a loss. Each pairing counts one extra drawn game:
without it a player who won every game would have an infinite rating. The error bars come
from the curvature at the maximum and from how much pairs really vary.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError

_Z: Final = 1.959963984540054  # the 97.5 % point of the normal distribution
_PRIOR_PAIRS: Final = 2
_PRIOR_EFFECT: Final = 0.5

Pairings = Mapping[tuple[int, int], Sequence[float]]
Vector = NDArray[np.float64]

_SCALE: Final = math.log(10) / 400
_PRIOR_GAMES: Final = 1.0
_ROUNDS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate and the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


def elo_of_score(score: float) -> float:
    """Return the difference in Elo at which this share of points is expected.

    Examples:
        >>> round(elo_of_score(0.75), 2)
        190.85
        >>> elo_of_score(1.0)
        inf
    """
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else -400 * math.log10(1 / score - 1)


def score_of_elo(elo: float) -> float:
    """Return the share of points that is expected with a difference in Elo.

    Examples:
        >>> round(score_of_elo(200), 3)
        0.76
    """
    return 1 / (1 + 10 ** (-elo / 400))


def score_interval(
    pair_scores: Sequence[float], *, prior_effect: float = _PRIOR_EFFECT
) -> Interval:
    """Return the mean share of points in pairs of games, 0 to 1, and its interval.

    Single games may be given too, with `prior_effect` 1: that of games without draws.

    Raises:
        EngineError: If there are none.

    Examples:
        >>> found = score_interval([1.0, 0.5, 0.75, 0.25])
        >>> f"{found.value} {found.low:.3f} {found.high:.3f}"
        '0.625 0.336 0.846'
    """
    count = len(pair_scores)
    if count == 0:
        raise EngineError("Without a pair of games there is nothing to tell")
    mean = math.fsum(pair_scores) / count
    throws = count / _design_effect(pair_scores, mean, prior_effect)
    middle = (mean + _Z**2 / (2 * throws)) / (1 + _Z**2 / throws)
    spread = math.sqrt(mean * (1 - mean) / throws + _Z**2 / (4 * throws**2))
    half = _Z * spread / (1 + _Z**2 / throws)
    # Rounding must not take the estimate out of its own interval.
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Interval(value=mean, low=min(low, mean), high=max(high, mean))


def elo_interval(pair_scores: Sequence[float]) -> Interval:
    """Return the difference in Elo and its interval; infinite where every game was won."""
    score = score_interval(pair_scores)
    return Interval(
        value=elo_of_score(score.value), low=elo_of_score(score.low), high=elo_of_score(score.high)
    )


def pentanomial(pair_scores: Iterable[float]) -> tuple[int, int, int, int, int]:
    """Return how many pairs brought 0, 1/2, 1, 3/2 and 2 points.

    Examples:
        >>> pentanomial([1.0, 0.5, 0.5])
        (0, 0, 2, 0, 1)
    """
    counts = [0] * 5
    for score in pair_scores:
        counts[round(4 * score)] += 1
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def _design_effect(pair_scores: Sequence[float], mean: float, prior_effect: float) -> float:
    """Return the variance of a pair as a share of that of one throw of a coin."""
    count = len(pair_scores)
    coin = mean * (1 - mean)
    if coin < 1e-12:
        return prior_effect
    variance = math.fsum((score - mean) ** 2 for score in pair_scores) / count
    return (variance / coin * count + _PRIOR_PAIRS * prior_effect) / (count + _PRIOR_PAIRS)


@dataclass(frozen=True, slots=True, kw_only=True)
class EloRating:
    """A player's strength.

    Attributes:
        elo: The rating; the caller decides what it is relative to.
        error: Half the width of its 95 % interval.
        score: The share of points in its games.
    """

    name: str
    elo: float
    error: float
    games: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """How much stronger one player is than another, and half the width of its 95 % interval."""

    elo: float
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Ratings in the order of the names, and their covariance in Elo squared."""

    ratings: tuple[EloRating, ...]
    covariance: tuple[tuple[float, ...], ...]

    def gap(self, stronger: int, weaker: int) -> Gap:
        """Return how far the first rating is above the second, given as places, not names."""
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
    names: Sequence[str], pairings: Pairings, *, anchor: int = 0, anchor_elo: float = 0.0
) -> Fit:
    """Return the ratings that make the results most likely.

    `pairings` maps places (a, b) in `names` to the scores of a in their pairs of games; the
    player at place `anchor` is rated `anchor_elo`.

    Raises:
        EngineError: If some players are not connected by games.

    Examples:
        >>> fit = fit_ratings(["weak", "strong"], {(1, 0): [1.0, 0.5] * 50})
        >>> round(fit.ratings[1].elo)
        190
    """
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

    If games were independent and without draws, the spread would equal the curvature. It
    is measured instead (the sandwich estimate), but taken as at least half of that.
    """
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
