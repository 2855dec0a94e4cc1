"""What is due: matches whose time is over, and players to be reminded of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, exists, func, or_, select, update

from bot.model.preferences import NOTICES_KEY, Notices
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
_IS_MUTED = exists().where(mute.c.match_id == match.c.id, mute.c.player_id == seat.c.player_id)
# Players who have chosen nothing are reminded too.
_REMINDERS = (
    select(match.c.id.label("match_id"), seat.c.player_id, player_setting.c.value.label("way"))
    .join(seat, (seat.c.match_id == match.c.id) & (seat.c.side == match.c.to_move))
    .outerjoin(
        player_setting,
        (player_setting.c.player_id == seat.c.player_id) & (player_setting.c.key == NOTICES_KEY),
    )
    .where(
        match.c.remind_at <= bindparam("given_now"),
        or_(match.c.deadline_at.is_(None), match.c.deadline_at > bindparam("given_now")),
        player_setting.c.value.is_distinct_from(Notices.NONE),
        ~_IS_MUTED,
    )
    .order_by(match.c.remind_at, match.c.id)
)
_REMINDED = update(match).where(match.c.id == bindparam("given_id"))


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
    return connection.execute(_NEXT, {"given_after": after}).scalar()


def find_next_reminder(connection: Connection, after: datetime) -> datetime | None:
    """Return the time of the first reminder after an instant."""
    return connection.execute(_NEXT_REMINDER, {"given_after": after}).scalar()


def list_reminders(connection: Connection, now: datetime) -> list[ReminderRow]:
    """Return the players to remind now, the longest waiting first."""
    found = connection.execute(_REMINDERS, {"given_now": now}).mappings()
    return [ReminderRow(**row) for row in found]


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
    connection.execute(_REMINDED, {"given_id": match_id, "remind_at": next_at})
    return told is not None and replace_news(connection, told, now)
