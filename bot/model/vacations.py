"""Vacations: 30 days a year on which correspondence clocks are paused. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from bot.model.clocks import format_span
from bot.model.errors import VacationError
from engine.errors import Sentence, say

MOST_A_YEAR: Final = timedelta(days=30)
"""For each calendar year, in UTC."""

Period: TypeAlias = tuple[datetime, datetime]
"""When a vacation began and when it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacation:
    """The state of a person's vacation.

    Attributes:
        until: Until when they are away; None if they are not.
        left: How much more they can have this year, beyond that.
    """

    until: datetime | None
    left: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class VacationChange:
    """How a vacation is begun, changed or ended.

    Attributes:
        began_at: When it began.
        end: When it ends now.
        shift: By how much deadlines move.
        after: The state after that.
    """

    began_at: datetime
    end: datetime
    shift: timedelta
    after: Vacation


def year_begins(now: datetime) -> datetime:
    """Return the first moment of a year: what ended before does not matter any more."""
    return datetime(now.year, 1, 1, tzinfo=UTC)


def vacation_at(periods: Sequence[Period], now: datetime) -> Vacation:
    """Return the state of a vacation, given the vacations of this year and later."""
    until = max((end for _, end in periods if end > now), default=None)
    return Vacation(until=until, left=MOST_A_YEAR - _used(periods, now.year))


def change_vacation(
    periods: Sequence[Period], until: datetime | None, now: datetime, *, live_matches: Sequence[int]
) -> VacationChange | None:
    """Decide on a vacation until an instant, or on the end of one; None if there is none to end.

    `periods` are the vacations of this year and later. A live clock does not stand still.

    Raises:
        VacationError: If the instant has passed, the vacation is more than is left of a year, or
            it begins during a match with a live clock.
    """
    if until is not None and until <= now:
        raise VacationError(say("A vacation has to end in the future: that time has passed."))
    before = vacation_at(periods, now)
    if until is None and before.until is None:
        return None
    if before.until is None and live_matches:
        raise VacationError(
            say(
                "Game {number} is played with a live clock, which runs on: finish it first.",
                number=live_matches[0],
            )
        )
    changed = [period for period in periods if period[1] <= now]
    # Never later than now: the host's clock may have been put back.
    began_at = min([now, *(b for b, e in periods if e > now)])
    end = now if until is None else until
    changed.append((began_at, end))
    for year in range(now.year, end.year + 1):
        if _used(changed, year) > MOST_A_YEAR:
            raise VacationError(_too_long(before, now))
    return VacationChange(
        began_at=began_at,
        end=end,
        shift=end - (before.until or now),
        after=vacation_at(changed, now),
    )


def _too_long(before: Vacation, now: datetime) -> Sentence:
    words = (
        say("There are {days} days of vacation a year: of {year} you have {time} left.")
        if before.until is None
        else say(
            "There are {days} days of vacation a year: of {year} you have {time} left "
            "beyond the vacation you are on."
        )
    )
    return words.format(days=MOST_A_YEAR.days, year=now.year, time=format_span(before.left))


def _used(periods: Sequence[Period], year: int) -> timedelta:
    """Return how much of a year the vacations take."""
    first, last = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    return sum(
        (max(timedelta(), min(until, last) - max(began, first)) for began, until in periods),
        timedelta(),
    )
