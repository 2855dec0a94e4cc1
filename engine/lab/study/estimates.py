"""Estimates from counts and sums."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.study.figures import Estimate


def share_of(count: int, games: int) -> Estimate:
    """Return which share of the games `count` of them are, with the binomial error.

    Examples:
        >>> share_of(20, 100)
        Estimate(value=0.2, error=0.04)
    """
    share = count / games
    error = None if games < 2 else math.sqrt(share * (1 - share) / games)
    return Estimate(value=share, error=error)


def fairness_of(x_wins: int, o_wins: int) -> Estimate | None:
    """Return 1 - 2 |X / (X + O) - 0.5|, draws left out; None without a decided game.

    The error is twice the binomial error of X / (X + O), which is what the delta
    method gives where X and O do not win equally often. Within an error of 1 the
    figure is folded back at 1 and comes out slightly too low.

    Examples:
        >>> fairness_of(60, 40)
        Estimate(value=0.8, error=0.09797958971132711)
    """
    if x_wins + o_wins == 0:
        return None
    rarer = share_of(min(x_wins, o_wins), x_wins + o_wins)  # twice this is the formula
    error = None if rarer.error is None else 2 * rarer.error
    return Estimate(value=2 * rarer.value, error=error)


@dataclass(slots=True)
class Moments:
    """The sum of some numbers and of their squares.

    Examples:
        >>> moments = Moments()
        >>> for number in (1, 1, 5, 5):
        ...     moments.add(number)
        >>> moments.estimate(4).value
        3.0
    """

    total: float = 0
    squares: float = 0

    def add(self, number: float) -> None:
        """Add a number."""
        self.total += number
        self.squares += number * number

    def estimate(self, count: int, *, unit: float = 1) -> Estimate:
        """Return the mean of the `count` numbers added, in multiples of `unit`."""
        mean = self.total / count
        error = None
        if count > 1:
            variance = max(0.0, (self.squares - self.total * mean) / (count - 1))
            error = math.sqrt(variance / count) / unit
        return Estimate(value=mean / unit, error=error)
