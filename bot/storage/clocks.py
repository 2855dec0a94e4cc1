"""What is due: matches whose time is over, and players to be reminded of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, func, or_, select, update

from bot.storage.notices import replace_news
from bot.storage.schema import match, mute, player_setting, seat

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.model.notices import News


_OVERDUE = (
    select(match.c.id)
    .where(match.c.deadline_at <= bindparam("given_now"))
    .order_by(match.c.deadline_at, match.c.id)
)
_NEXT = select(func.min(match.c.deadline_at)).where(match.c.deadline_at > bindparam("given_after"))
_NEXT_REMINDER = select(func.min(match.c.remind_at)).where(
    match.c.remind_at > bindparam("given_after")
)
_MUTED = select(mute.c.match_id).where(
    mute.c.match_id == match.c.id, mute.c.player_id == seat.c.player_id
)
# Players who have chosen nothing are reminded too.
_REMINDERS = (
    select(match.c.id, seat.c.player_id, player_setting.c.value)
    .join(seat, (seat.c.match_id == match.c.id) & (seat.c.side == match.c.to_move))
    .outerjoin(
        player_setting,
        and_(
            player_setting.c.player_id == seat.c.player_id,
            player_setting.c.key == bindparam("given_key"),
        ),
    )
    .where(
        match.c.remind_at <= bindparam("given_now"),
        or_(match.c.deadline_at.is_(None), match.c.deadline_at > bindparam("given_now")),
        player_setting.c.value.is_distinct_from(bindparam("given_off")),
        ~_MUTED.exists(),
    )
    .order_by(match.c.remind_at, match.c.id)
)
_REMINDED = (
    update(match)
    .where(match.c.id == bindparam("given_id"))
    .values(remind_at=bindparam("given_next"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderRow:
    """A player to be reminded of a match, and in which way if they have chosen one."""

    match_id: int
    player_id: int
    way: str | None


def list_overdue(connection: Connection, now: datetime) -> list[int]:
    """Return the matches whose deadline has come, by deadline."""
    return list(connection.execute(_OVERDUE, {"given_now": now}).scalars())


def find_next(connection: Connection, after: datetime) -> datetime | None:
    """Return the earliest deadline after an instant."""
    found: datetime | None = connection.execute(_NEXT, {"given_after": after}).scalar_one()
    return found


def find_next_reminder(connection: Connection, after: datetime) -> datetime | None:
    """Return the time of the first reminder after an instant."""
    given = {"given_after": after}
    found: datetime | None = connection.execute(_NEXT_REMINDER, given).scalar_one()
    return found


def list_reminders(
    connection: Connection, *, now: datetime, key: str, off: str
) -> list[ReminderRow]:
    """Return the players to remind now, the longest waiting first.

    Args:
        connection: Where to look.
        now: When.
        key: The player setting that says how to remind them.
        off: The value of it that means no reminders.
    """
    given = {"given_now": now, "given_key": key, "given_off": off}
    return [
        ReminderRow(match_id=match_id, player_id=player_id, way=way)
        for match_id, player_id, way in connection.execute(_REMINDERS, given)
    ]


def note_reminded(
    connection: Connection,
    match_id: int,
    told: News | None,
    *,
    next_at: datetime | None,
    now: datetime,
) -> bool:
    """Note that a player is reminded now, what to tell them, and when to remind them again.

    Return whether they are to be told something.
    """
    connection.execute(_REMINDED, {"given_id": match_id, "given_next": next_at})
    return told is not None and replace_news(connection, told, now)
