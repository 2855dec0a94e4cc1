"""What has been said to players about their matches, and whom no message reaches, as rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from bot.storage.people_schema import notice, unreached
from bot.storage.schema import match

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRow:
    """A message that calls a player to a match."""

    match_id: int
    player_id: int
    channel_id: int
    message_id: int


def forget_ended(connection: Connection) -> None:
    """Forget the notices of matches that are over."""
    ended = select(match.c.id).where(match.c.status != "ongoing")
    connection.execute(delete(notice).where(notice.c.match_id.in_(ended)))


def list_notices(connection: Connection) -> list[NoticeRow]:
    """Return the notices that stand."""
    wanted = select(notice.c.match_id, notice.c.player_id, notice.c.channel_id, notice.c.message_id)
    return [NoticeRow(**row) for row in connection.execute(wanted).mappings()]


def save_notice(connection: Connection, row: NoticeRow, now: datetime) -> None:
    """Remember a notice; it takes the place of one to the same player about the same match."""
    remove_notice(connection, row.match_id, row.player_id)
    values = {
        "match_id": row.match_id,
        "player_id": row.player_id,
        "channel_id": row.channel_id,
        "message_id": row.message_id,
        "sent_at": now,
    }
    connection.execute(insert(notice), values)


def remove_notice(connection: Connection, match_id: int, player_id: int) -> None:
    """Forget a notice."""
    this = (notice.c.match_id == match_id) & (notice.c.player_id == player_id)
    connection.execute(delete(notice).where(this))


def list_unreached(connection: Connection) -> list[int]:
    """Return whom a direct message did not reach and who has not been told so."""
    return list(connection.execute(select(unreached.c.player_id)).scalars())


def save_unreached(connection: Connection, player_id: int, now: datetime) -> None:
    """Remember that a direct message did not reach a player."""
    remove_unreached(connection, player_id)
    connection.execute(insert(unreached), {"player_id": player_id, "noted_at": now})


def remove_unreached(connection: Connection, player_id: int) -> None:
    """Forget that again."""
    connection.execute(delete(unreached).where(unreached.c.player_id == player_id))


def open_notices(connection: Connection) -> tuple[list[NoticeRow], list[int]]:
    """Forget what matches that are over have left; return what stands, and who is unreached."""
    forget_ended(connection)
    return list_notices(connection), list_unreached(connection)
