"""Vacations: so many days a year on which correspondence clocks stand still."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.errors import VacationError
from bot.matches.clocks import format_span
from bot.storage import vacations as rows
from engine.errors import say

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST_A_YEAR: Final = timedelta(days=30)
"""For each calendar year, in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacation:
    """How it stands with a person's vacation.

    Attributes:
        until: Until when they are away; None if they are not.
        left: What they can have still this year, beyond that.
    """

    until: datetime | None
    left: timedelta


def find(connection: Connection, user_id: int, now: datetime) -> Vacation:
    """Return how it stands with a person's vacation."""
    left = MOST_A_YEAR - _used(connection, user_id, now.year)
    return Vacation(until=rows.find_until(connection, user_id, now), left=left)


def change(
    connection: Connection, user_id: int, until: datetime | None, now: datetime
) -> tuple[Vacation, list[int]]:
    """Begin, change or end a vacation, and move the deadlines that it concerns.

    Returns:
        How it stands then, and the matches whose deadline has been moved.

    Raises:
        VacationError: If that has passed, is more than is left of a year, or begins
            during a match with a live clock, which does not stand still.
    """
    if until is not None and until <= now:
        raise VacationError(say("A vacation ends in the future: that has passed already."))
    before = rows.find_until(connection, user_id, now)
    if until is None and before is None:
        return find(connection, user_id, now), []
    end = now if until is None else until
    if before is None:
        _check_no_live_match(connection, user_id)
    left_before = find(connection, user_id, now).left
    rows.save_vacation(connection, user_id, until=end, now=now)
    for year in range(now.year, end.year + 1):
        # Raised out of the transaction, which undoes what was just saved.
        if _used(connection, user_id, year) > MOST_A_YEAR:
            words = (
                say("There are {days} days of vacation a year: of {year} you have {time} left.")
                if before is None
                else say(
                    "There are {days} days of vacation a year: of {year} you have {time} left "
                    "beyond the vacation you are on."
                )
            )
            raise VacationError(
                words.format(days=MOST_A_YEAR.days, year=now.year, time=format_span(left_before))
            )
    shifted = rows.list_correspondence_turns(connection, user_id, now)
    rows.shift_deadlines(connection, shifted, end - (now if before is None else before))
    return find(connection, user_id, now), shifted


def _check_no_live_match(connection: Connection, user_id: int) -> None:
    live = rows.list_live(connection, user_id)
    if live:
        raise VacationError(
            say(
                "Game {number} is played with a live clock, which runs on: finish it first.",
                number=live[0],
            )
        )


def _used(connection: Connection, user_id: int, year: int) -> timedelta:
    """Return how much of a year a person is or has been on vacation."""
    first, last = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    return sum(
        (
            max(timedelta(), min(until, last) - max(began, first))
            for began, until in rows.list_periods(connection, user_id, first)
        ),
        timedelta(),
    )
