"""Where the daily puzzle is to be posted: in which servers, from when on, and once a day."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import Integer, cast, delete, func, literal, or_, select

from bot.model.preferences import DAILY_HOUR_KEY, DAILY_KEY
from bot.model.puzzles import DAILY_HOUR, POSTED_WITHIN, start_of
from bot.storage.outbox import OutboxKind, OutboxRow, is_at, outbox_writes
from bot.storage.schema import daily_post, guild_setting, outbox
from bot.storage.writer import put, upsert

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.model.hosting import Shards

MOST_AT_ONCE: Final = 500
"""How many are entered per transaction: after an hour's downtime all are due, and moves wait."""

_MINUTE: Final = timedelta(minutes=1)
_A_DAY: Final = timedelta(days=1) // _MINUTE


def list_due(
    connection: Connection, now: datetime, home: Shards | None = None, guild_id: int | None = None
) -> list[OutboxRow]:
    """Return the posts that are due but not on their way yet, `MOST_AT_ONCE` at most.

    Only of the servers of `home`'s shards if it is given, or only of one server.
    """
    channel, hour = guild_setting.alias("channel"), guild_setting.alias("hour")
    server = channel.c.guild_id
    # As `post_at` says, in minutes.
    after_midnight = func.coalesce(cast(hour.c.value, Integer), DAILY_HOUR) * 60 + (
        server // 2**22 % 60
    )
    since = literal((now - start_of(0)) // _MINUTE) - after_midnight
    day, late = since // _A_DAY, since % _A_DAY
    is_hour = (hour.c.guild_id == server) & (hour.c.key == DAILY_HOUR_KEY)
    wanted = (
        select(server, channel.c.value, day)
        .select_from(
            channel.outerjoin(hour, is_hour).outerjoin(daily_post, daily_post.c.guild_id == server)
        )
        .where(
            channel.c.key == DAILY_KEY,
            late < POSTED_WITHIN // _MINUTE,
            or_(daily_post.c.day.is_(None), daily_post.c.day < day),
            is_at(home, server),
        )
        .limit(MOST_AT_ONCE)
    )
    if guild_id is not None:
        wanted = wanted.where(server == guild_id)
    return [
        OutboxRow(OutboxKind.DAILY, due, int(channel_id), server_id)
        for server_id, channel_id, due in connection.execute(wanted)
        if channel_id.isdecimal()
    ]


def enter_due(connection: Connection, now: datetime, home: Shards | None = None) -> list[OutboxRow]:
    """Put what is due into the outbox, once for a server and a day, and return it."""
    found = list_due(connection, now, home)
    for each in found:
        put(connection, outbox_writes(each))
        _note(connection, each)
    return found


def skip_due(connection: Connection, guild_id: int, now: datetime) -> None:
    """Post nothing until the server's newly chosen hour comes next."""
    for each in list_due(connection, now, guild_id=guild_id):
        _note(connection, each)


def forget_posts(connection: Connection, guild_id: int) -> None:
    """Forget a server's past and pending posts of daily puzzles."""
    connection.execute(delete(daily_post).where(daily_post.c.guild_id == guild_id))
    of_server = (outbox.c.kind == OutboxKind.DAILY) & (outbox.c.message_id == guild_id)
    connection.execute(delete(outbox).where(of_server))


def _note(connection: Connection, due: OutboxRow) -> None:
    upsert(connection, daily_post, {"guild_id": due.message_id}, {"day": due.number})
