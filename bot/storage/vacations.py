"""When players were on vacation and the bot was down; clocks stand still meanwhile."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, insert, literal, select, update

from bot.model.clocks import is_absence
from bot.model.match import MatchStatus
from bot.model.vacations import Vacation, change_vacation, vacation_at, year_begins
from bot.storage.preferences import find_setting, save_setting
from bot.storage.schema import Span, challenge, downtime, match, screen, seat, vacation
from bot.storage.writer import upsert

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

_HEARTBEAT: Final = "heartbeat"
_SEEN_FROM: Final = timedelta(hours=1)
_IS_LIVE: Final = match.c.clock.like("%+%")  # correspondence is written without a plus


def find_until(connection: Connection, player_id: int, now: datetime) -> datetime | None:
    """Return when a player's vacation ends; None if they are not away."""
    wanted = select(func.max(vacation.c.until)).where(_goes_on(player_id, now))
    return connection.execute(wanted).scalar()


def list_away(connection: Connection, now: datetime) -> dict[int, datetime]:
    """Return when the vacation of each player who is away ends, by their number."""
    wanted = select(vacation.c.player_id, func.max(vacation.c.until)).where(vacation.c.until > now)
    found = connection.execute(wanted.group_by(vacation.c.player_id))
    return {player_id: until for player_id, until in found}  # noqa: C416  # rows


def list_periods(
    connection: Connection, player_id: int, since: datetime
) -> list[tuple[datetime, datetime]]:
    """Return the vacations of a player that end after an instant, the oldest first."""
    wanted = select(vacation.c.began_at, vacation.c.until).where(_goes_on(player_id, since))
    found = connection.execute(wanted.order_by(vacation.c.began_at))
    return [(began_at, until) for began_at, until in found]


def _goes_on(player_id: int, after: datetime) -> ColumnElement[bool]:
    return (vacation.c.player_id == player_id) & (vacation.c.until > after)


def find_vacation(connection: Connection, player_id: int, now: datetime) -> Vacation:
    """Return the state of a player's vacation."""
    return vacation_at(list_periods(connection, player_id, year_begins(now)), now)


def set_vacation(
    connection: Connection, player_id: int, until: datetime | None, now: datetime
) -> tuple[Vacation, list[int]]:
    """Begin, change or end a vacation, and move the deadlines that it affects.

    Returns:
        The vacation after that, and the matches whose deadline was moved.

    Raises:
        VacationError: If it is not allowed.
    """
    periods = list_periods(connection, player_id, year_begins(now))
    live = select(match.c.id).join(seat).order_by(match.c.id)
    live = live.where(
        seat.c.player_id == player_id, match.c.status == MatchStatus.ONGOING, _IS_LIVE
    )
    live_matches = list(connection.execute(live).scalars())
    change = change_vacation(periods, until, now, live_matches=live_matches)
    if change is None:
        return vacation_at(periods, now), []
    # One replaces all that go on. If the host's clock was set back, some may begin later than now:
    # they would go on after their end, and each change would move deadlines by that time again.
    theirs, same = vacation.c.player_id == player_id, vacation.c.began_at == change.began_at
    connection.execute(delete(vacation).where(theirs, same | (vacation.c.until > now)))
    row = {"player_id": player_id, "began_at": change.began_at, "until": change.end}
    connection.execute(insert(vacation), row)
    # Take back only what a vacation has given. A deadline before its end was given nothing: when it
    # was set, the vacation seemed to be over, by a clock that was set back later.
    since = now if change.shift > timedelta() else change.end - change.shift
    shifted = list_correspondence_turns(connection, player_id, since)
    _shift_deadlines(connection, match.c.id.in_(shifted), change.shift)
    return change.after, shifted


def list_correspondence_turns(connection: Connection, player_id: int, now: datetime) -> list[int]:
    """Return the correspondence matches where a player is to move and has time left, by number."""
    wanted = (
        select(match.c.id)
        .join(seat)
        .where(
            match.c.deadline_at > now,
            seat.c.side == match.c.to_move,
            seat.c.player_id == player_id,
            ~_IS_LIVE,
        )
        .order_by(match.c.id)
    )
    return list(connection.execute(wanted).scalars())


def _shift_deadlines(connection: Connection, which: ColumnElement[bool], by: timedelta) -> None:
    """Move the deadlines of matches, as if their clocks had stood still."""
    shift = literal(by, Span)
    later = {column: column + shift for column in (match.c.deadline_at, match.c.remind_at)}
    connection.execute(update(match).where(which).values(later))


def come_back(connection: Connection, now: datetime) -> timedelta:
    """Note that the bot runs again, and give everybody the time that it was down.

    Returns:
        The time given: none after a short absence, or at the very first start.
    """
    last = find_setting(connection, _HEARTBEAT)
    note_running(connection, now)
    if last is None or not is_absence(datetime.fromisoformat(last), now):
        return timedelta()
    began_at = datetime.fromisoformat(last)
    gap = now - began_at
    # A clock that was set back may show the same moment again.
    upsert(connection, downtime, {"began_at": began_at}, {"ended_at": now})
    # Deadlines that had passed before that stay as they were.
    _shift_deadlines(connection, match.c.deadline_at > began_at, gap)
    # Boards with an old deadline are drawn again; after less than an hour, only live games'.
    concerned = match.c.deadline_at > began_at
    if gap < _SEEN_FROM:
        concerned &= _IS_LIVE
    shown = screen.c.match_id.in_(select(match.c.id).where(concerned))
    connection.execute(update(screen).where(shown).values(shown_revision=None))
    connection.execute(
        update(challenge)
        .where(challenge.c.status == "open", challenge.c.expires_at > began_at)
        .values(expires_at=challenge.c.expires_at + literal(gap, Span))
    )
    return gap


def note_running(connection: Connection, now: datetime) -> None:
    """Note that the bot runs."""
    save_setting(connection, _HEARTBEAT, now.isoformat(), now=now)
