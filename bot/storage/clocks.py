"""What is due: matches whose time is over, and players to be reminded of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select, update

from bot.storage.notices import news_writes
from bot.storage.schema import match, player_setting, seat
from bot.storage.writer import put

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
# Joined with what they have asked for: who has not is never reminded.
_REMINDERS = (
    select(match.c.id, seat.c.player_id, player_setting.c.value)
    .join(seat, (seat.c.match_id == match.c.id) & (seat.c.side == match.c.to_move))
    .join(player_setting, player_setting.c.player_id == seat.c.player_id)
    .where(
        match.c.remind_at <= bindparam("given_now"),
        match.c.deadline_at > bindparam("given_now"),
        player_setting.c.key == bindparam("given_key"),
        player_setting.c.value != bindparam("given_off"),
    )
    .order_by(match.c.deadline_at, match.c.id)
)
_REMINDED = update(match).where(match.c.id == bindparam("given_id")).values(remind_at=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderRow:
    """A player to be reminded of a match, in the way they have asked for."""

    match_id: int
    player_id: int
    way: str


def list_overdue(connection: Connection, now: datetime) -> list[int]:
    """Return the matches whose deadline has come, by deadline."""
    return list(connection.execute(_OVERDUE, {"given_now": now}).scalars())


def find_next(connection: Connection, after: datetime) -> datetime | None:
    """Return the earliest deadline after an instant."""
    found: datetime | None = connection.execute(_NEXT, {"given_after": after}).scalar_one()
    return found


def list_reminders(
    connection: Connection, *, now: datetime, key: str, off: str
) -> list[ReminderRow]:
    """Return whom to remind now, the most urgent first.

    Args:
        connection: Where to look.
        now: When.
        key: The setting of players that says in which way.
        off: The value of it that means not at all.
    """
    given = {"given_now": now, "given_key": key, "given_off": off}
    return [
        ReminderRow(match_id=match_id, player_id=player_id, way=way)
        for match_id, player_id, way in connection.execute(_REMINDERS, given)
    ]


def note_reminded(connection: Connection, reminded: News, now: datetime) -> None:
    """Remember that a player is reminded now, which they have to be told."""
    connection.execute(_REMINDED, {"given_id": reminded.match_id})
    put(connection, news_writes([reminded], [], now))
