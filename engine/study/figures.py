"""The figures of a study and how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure measured on some of all possible games.

    Attributes:
        value: The figure.
        error: Its standard error; None after a single game, which cannot tell.
    """

    value: float
    error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult:
    """What was measured on the games of one variant. Shares are from 0 to 1.

    Attributes:
        variant: Its key.
        games: How many games were played.
        choices: Legal moves at a turn: the mean over the turns of a game, then over the games.
        plies: Moves in a game, those that an opening gives included.
        shortest: The plies of the shortest game.
        longest: The plies of the longest game.
        x_share: Games won by X, who moves first.
        o_share: Games won by O.
        draw_share: Games drawn.
        fairness: 1 when X and O win as often, 0 when one of them always wins;
            None while all games were drawn.
        decisiveness: Games not drawn.
        cells_marked: Board use: the cells marked at the end.
        boards_decided: Board use: the local boards won or drawn at the end.
    """

    variant: str
    games: int
    choices: Estimate
    plies: Estimate
    shortest: int
    longest: int
    x_share: Estimate
    o_share: Estimate
    draw_share: Estimate
    fairness: Estimate | None
    decisiveness: Estimate
    cells_marked: Estimate
    boards_decided: Estimate


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
