"""Glicko-2: how results and time change a rating.

After Mark E. Glickman, "Example of the Glicko-2 system" (2013 version, with the
Illinois iteration for the volatility); the numbers of the steps below are the
paper's. A rating is updated after each game. The paper counts time in rating
periods and lets a deviation grow by one period's worth in each; here the time
between two games is counted in fractions of a period, and the growth is the paper's
for whole numbers of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

CENTRE: Final = 1500.0
NEW_DEVIATION: Final = 350.0
NEW_VOLATILITY: Final = 0.06

# How much volatility may change; the paper's example uses this, its range is 0.3 to 1.2.
TAU: Final = 0.5
_SCALE: Final = 173.7178  # points in one unit of the paper's inner scale: 400 / ln 10
_PRECISION: Final = 1e-6

# Below this a rating would stop following a player who learns.
LEAST_DEVIATION: Final = 45.0
MOST_VOLATILITY: Final = 0.1

# A player who stops with a well-known rating (deviation 60) is provisional again
# (110) after a year: sqrt(60² + periods · (0.06 · 173.7178)²) = 110 gives 78.24 of them.
PERIOD: Final = timedelta(days=365 / 78.24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """How strong a player is thought to be.

    Attributes:
        value: The rating itself; a new player has 1500.
        deviation: Its standard deviation: the strength is within twice that with
            95 % certainty.
        volatility: How much results have contradicted the rating.
    """

    value: float = CENTRE
    deviation: float = NEW_DEVIATION
    volatility: float = NEW_VOLATILITY

    @classmethod
    def of(cls, row: Any) -> Rating:
        """Return the rating in a stored row, whose columns have these names."""
        return cls(value=row.value, deviation=row.deviation, volatility=row.volatility)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and self.deviation > 0 and self.volatility > 0):
            raise ValueError(f"not a rating: {self!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encounter:
    """A game as one of its players sees it.

    Attributes:
        opponent: The other's rating before the game.
        score: 1 for a win, 0.5 for a draw, 0 for a loss.
    """

    opponent: Rating
    score: float

    def __post_init__(self) -> None:
        if self.score not in (0, 0.5, 1):
            raise ValueError(f"a score is 0, 0.5 or 1, got {self.score!r}")


def after_time(rating: Rating, elapsed: timedelta) -> Rating:
    """Return a rating after `elapsed` without a game.

    The value stays; the deviation grows, up to that of a new player. Time that runs
    backwards, as clocks sometimes do, counts as none.
    """
    return after_periods(rating, max(elapsed / PERIOD, 0.0))


def after_periods(rating: Rating, periods: float) -> Rating:
    """Return a rating after `periods` without a game."""
    if periods == 0:
        return rating
    phi = math.hypot(rating.deviation / _SCALE, math.sqrt(periods) * rating.volatility)
    deviation = max(min(phi * _SCALE, NEW_DEVIATION), min(rating.deviation, NEW_DEVIATION))
    return Rating(value=rating.value, deviation=deviation, volatility=rating.volatility)


def after_games(rating: Rating, encounters: Sequence[Encounter], *, periods: float = 1.0) -> Rating:
    """Return a rating after games that count as played at the same time.

    Args:
        rating: As it was after the last game before.
        encounters: The games; at least one.
        periods: The time since that last game, in rating periods. With 1 this is one
            period of the paper.

    Raises:
        ValueError: If there are no games or time runs backwards.
    """
    if not encounters or periods < 0:
        raise ValueError(f"{len(encounters)} games in {periods!r} periods cannot be rated")
    # Step 2: to the inner scale.
    mu = (rating.value - CENTRE) / _SCALE
    phi = min(rating.deviation, NEW_DEVIATION) / _SCALE
    # Steps 3 and 4: how much the games tell, and what.
    information = surprise = 0.0
    for game in encounters:
        weight = _weight(game.opponent.deviation / _SCALE)
        expected = _expected(mu - (game.opponent.value - CENTRE) / _SCALE, weight)
        information += weight**2 * expected * (1 - expected)
        surprise += weight * (game.score - expected)
    # Step 5.
    volatility = _new_volatility(rating.volatility, phi, 1 / information, surprise / information)
    volatility = min(volatility, MOST_VOLATILITY)
    # Steps 6 to 8.
    phi_squared = min(phi**2 + periods * volatility**2, (NEW_DEVIATION / _SCALE) ** 2)
    phi_squared = 1 / (1 / phi_squared + information)
    value = CENTRE + _SCALE * (mu + phi_squared * surprise)
    deviation = max(_SCALE * math.sqrt(phi_squared), min(LEAST_DEVIATION, rating.deviation))
    return Rating(value=value, deviation=deviation, volatility=volatility)


def after_game(rating: Rating, opponent: Rating, score: float, elapsed: timedelta) -> Rating:
    """Return a rating after one game.

    `rating` is as it was after the last game before, `elapsed` the time since, nothing for a first
    game; `opponent` is just before this game, grown with their own time.
    """
    game = Encounter(opponent=opponent, score=score)
    return after_games(rating, (game,), periods=max(elapsed / PERIOD, 0.0))


def _weight(phi: float) -> float:
    """The paper's g: how much a game against such an opponent counts."""
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def _expected(difference: float, weight: float) -> float:
    """The paper's E, of a difference on the inner scale."""
    # Beyond 30 it is 0 or 1 to the last digit, which would end in a division by zero.
    bounded = max(-30.0, min(30.0, weight * difference))
    return 1 / (1 + math.exp(-bounded))


def _new_volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Find the paper's root of f by the Illinois method (step 5)."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        grown = phi**2 + variance + math.exp(x)
        pull = math.exp(x) * (delta**2 - grown) / (2 * grown**2)
        return pull - (x - start) / TAU**2

    low = start
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        steps = 1
        while f(start - steps * TAU) < 0:
            steps += 1
        high = start - steps * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)


def time_until(rating: Rating, deviation: float) -> timedelta:
    """Return how long without a game it takes a deviation to grow to `deviation`.

    Zero if it is there already.
    """
    growth = (deviation**2 - rating.deviation**2) / (rating.volatility * _SCALE) ** 2
    return max(growth, 0.0) * PERIOD
