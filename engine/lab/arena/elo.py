"""What a match says about playing strength: Elo with an interval, counted by pairs.

Both games of a pair begin with the same opening, so their results hang together: a
pair, not a game, is what is independent. With n pairs of mean score m (0 to 1) and
variance v of the pair scores (five values are possible: the pentanomial model used for
testing chess programs), v / (m (1 - m)) is how much a pair tells compared to a coin
that is thrown once (the design effect of survey statistics). The interval is Wilson's
for n / effect throws (Wilson 1927), which unlike m ± 1.96 sqrt(v / n) stays within 0
and 1 and says something even where every game was won. Two pairs of independent games
without draws (effect 1/2) are mixed into the effect, because few pairs know it badly.
A score s is Elo's -400 log10(1 / s - 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from engine.errors import EngineError

_Z: Final = 1.959963984540054  # the 97.5 % point of the normal distribution
_PRIOR_PAIRS: Final = 2
_PRIOR_EFFECT: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate and the bounds between which it lies in 95 of 100 cases.

    Attributes:
        value: The estimate.
        low: The lower bound.
        high: The upper bound.
    """

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


def score_interval(pair_scores: Sequence[float]) -> Interval:
    """Return the mean of the pair scores and its interval.

    Args:
        pair_scores: The share of points in every pair of games, 0 to 1.

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
    throws = count / _design_effect(pair_scores, mean)
    middle = (mean + _Z**2 / (2 * throws)) / (1 + _Z**2 / throws)
    spread = math.sqrt(mean * (1 - mean) / throws + _Z**2 / (4 * throws**2))
    half = _Z * spread / (1 + _Z**2 / throws)
    # Rounding must not take the estimate out of its own interval.
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Interval(value=mean, low=min(low, mean), high=max(high, mean))


def elo_interval(pair_scores: Sequence[float]) -> Interval:
    """Return the difference in Elo and its interval; infinite where every game was won.

    Raises:
        EngineError: If there are no pairs.
    """
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


def _design_effect(pair_scores: Sequence[float], mean: float) -> float:
    """Return the variance of a pair as a share of that of one throw of a coin."""
    count = len(pair_scores)
    coin = mean * (1 - mean)
    if coin < 1e-12:
        return _PRIOR_EFFECT
    variance = math.fsum((score - mean) ** 2 for score in pair_scores) / count
    return (variance / coin * count + _PRIOR_PAIRS * _PRIOR_EFFECT) / (count + _PRIOR_PAIRS)
