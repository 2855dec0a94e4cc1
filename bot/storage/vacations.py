"""When people are away, and the bot itself: rows that let clocks stand still."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, func, insert, literal, select, update

from bot.model.vacations import Vacation, change_vacation, is_absence, vacation_at, year_begins
from bot.storage.people_schema import challenge, downtime, vacation
from bot.storage.schema import Span, match, seat
from bot.storage.settings import find_setting, save_setting

if TYPE_CHECKING:
    from sqlalchemy import Connection

_HEARTBEAT: Final = "heartbeat"

_UNTIL = select(func.max(vacation.c.until)).where(
    vacation.c.player_id == bindparam("given_id"),
    vacation.c.until > bindparam("given_now"),
)
_AWAY = (
    select(vacation.c.player_id, func.max(vacation.c.until))
    .where(vacation.c.until > bindparam("given_now"))
    .group_by(vacation.c.player_id)
)
_PERIODS = (
    select(vacation.c.began_at, vacation.c.until)
    .where(vacation.c.player_id == bindparam("given_id"), vacation.c.until > bindparam("given_at"))
    .order_by(vacation.c.began_at)
)
_CHANGE = (
    update(vacation)
    .where(
        vacation.c.player_id == bindparam("given_id"),
        vacation.c.until > bindparam("given_now"),
    )
    .values(until=bindparam("given_until"))
)


def find_until(connection: Connection, player_id: int, now: datetime) -> datetime | None:
    """Return until when a player is away; None if they are not."""
    found: datetime | None = connection.execute(
        _UNTIL, {"given_id": player_id, "given_now": now}
    ).scalar_one()
    return found


def list_away(connection: Connection, now: datetime) -> dict[int, datetime]:
    """Return until when each player who is away will be, by their number."""
    found: dict[int, datetime] = dict(connection.execute(_AWAY, {"given_now": now}).all())
    return found


def list_periods(
    connection: Connection, player_id: int, since: datetime
) -> list[tuple[datetime, datetime]]:
    """Return the vacations of a player that end after an instant, the oldest first."""
    given = {"given_id": player_id, "given_at": since}
    return [(began, until) for began, until in connection.execute(_PERIODS, given)]


def save_vacation(
    connection: Connection, player_id: int, *, until: datetime, now: datetime
) -> None:
    """Begin a vacation, or give the one under way another end."""
    given = {"given_id": player_id, "given_now": now, "given_until": until}
    if connection.execute(_CHANGE, given).rowcount == 0:
        connection.execute(
            insert(vacation), {"player_id": player_id, "began_at": now, "until": until}
        )


def find_vacation(connection: Connection, player_id: int, now: datetime) -> Vacation:
    """Return how it stands with a player's vacation."""
    return vacation_at(list_periods(connection, player_id, year_begins(now)), now)


def set_vacation(
    connection: Connection, player_id: int, until: datetime | None, now: datetime
) -> tuple[Vacation, list[int]]:
    """Begin, change or end a vacation, and move the deadlines that it concerns.

    Returns:
        How it stands then, and the matches whose deadline has been moved.

    Raises:
        VacationError: If it cannot be had.
    """
    periods = list_periods(connection, player_id, year_begins(now))
    live = list_live(connection, player_id)
    change = change_vacation(periods, until, now, live_matches=live)
    if change is None:
        return vacation_at(periods, now), []
    save_vacation(connection, player_id, until=change.end, now=now)
    shifted = list_correspondence_turns(connection, player_id, now)
    shift_deadlines(connection, shifted, change.shift)
    return change.after, shifted


def list_correspondence_turns(connection: Connection, player_id: int, now: datetime) -> list[int]:
    """Return the matches by correspondence that wait for a player in time, by number."""
    wanted = (
        select(match.c.id)
        .join(seat)
        .where(
            match.c.deadline_at > now,
            seat.c.side == match.c.to_move,
            seat.c.player_id == player_id,
            match.c.clock.not_like("%+%"),  # live clocks are written with a plus
        )
        .order_by(match.c.id)
    )
    return list(connection.execute(wanted).scalars())


def list_live(connection: Connection, player_id: int) -> list[int]:
    """Return a player's ongoing matches with a live clock, by number."""
    wanted = (
        select(match.c.id)
        .join(seat)
        .where(
            match.c.status == "ongoing",
            seat.c.player_id == player_id,
            match.c.clock.like("%+%"),  # correspondence is written without a plus
        )
        .order_by(match.c.id)
    )
    return list(connection.execute(wanted).scalars())


def save_downtime(connection: Connection, *, began_at: datetime, ended_at: datetime) -> None:
    """Remember that the bot was away, and let everything that ran stand still meanwhile.

    What had run out before that stays as it was.
    """
    connection.execute(insert(downtime), {"began_at": began_at, "ended_at": ended_at})
    gap = ended_at - began_at
    shift_deadlines(connection, list_timed(connection, began_at), gap)
    connection.execute(
        update(challenge)
        .where(challenge.c.status == "open", challenge.c.expires_at > began_at)
        .values(expires_at=challenge.c.expires_at + literal(gap, Span))
    )


def list_timed(connection: Connection, after: datetime) -> list[int]:
    """Return the matches whose deadline is later than an instant, by number."""
    wanted = select(match.c.id).where(match.c.deadline_at > after).order_by(match.c.id)
    return list(connection.execute(wanted).scalars())


def shift_deadlines(connection: Connection, match_ids: list[int], by: timedelta) -> None:
    """Let the clocks of these matches stand still for so long."""
    for start in range(0, len(match_ids), 500):
        portion = match_ids[start : start + 500]
        connection.execute(
            update(match)
            .where(match.c.id.in_(portion))
            .values(
                deadline_at=match.c.deadline_at + literal(by, Span),
                remind_at=match.c.remind_at + literal(by, Span),
            )
        )


def come_back(connection: Connection, now: datetime) -> timedelta:
    """Note that the bot runs again, and give everybody the time that it was away.

    Returns:
        What was given: nothing after a short absence, or at the very first start.
    """
    last = find_setting(connection, _HEARTBEAT)
    note_running(connection, now)
    if last is None or not is_absence(datetime.fromisoformat(last), now):
        return timedelta()
    began_at = datetime.fromisoformat(last)
    save_downtime(connection, began_at=began_at, ended_at=now)
    return now - began_at


def note_running(connection: Connection, now: datetime) -> None:
    """Note that the bot runs."""
    save_setting(connection, _HEARTBEAT, now.isoformat(), now=now)
