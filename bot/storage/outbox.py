"""The outbox: what is still to be sent besides boards; and what was announced.

Every function takes the connection of the transaction that it is part of.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, case, delete, func, insert, select, true, update

from bot.model.preferences import FEED_KEY
from bot.storage.preferences import load_guild_settings
from bot.storage.schema import BigId, announcement, challenge, match, outbox
from bot.storage.writer import Statement, Write, put, upsert

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

    from bot.model.hosting import Shards


class OutboxKind(StrEnum):
    """What is to be done with a message. Stored as text: add members, never rename."""

    CHALLENGE = "challenge"  # show what has become of the challenge
    POINTER = "pointer"  # lead to where the board of the match is now
    THREAD = "thread"  # move the match to a thread below the message
    CALL = "call"  # write to the person challenged there
    BEGUN = "begun"  # tell the server's feed that the match has begun
    RESULT = "result"  # tell it how the match has ended
    DAILY = "daily"  # post the puzzle of the day


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """Something to be sent, or a message to be edited.

    Two rows are equal if they have the same kind and message.

    Attributes:
        kind: What is to be done.
        number: The number of the match or challenge; the day of a daily puzzle.
        channel_id: The channel of the message, or the one that it is posted to.
        message_id: The message to edit, or to lead to; the match's number for a new one, the
            server's for a daily puzzle.
        tried_at: When a new one was sent for the first time, if it may have arrived.
        entry: Identifies each time that it was entered; None: the last, whichever it is.
    """

    kind: OutboxKind
    number: int = field(compare=False)
    channel_id: int = field(compare=False)
    message_id: int
    tried_at: datetime | None = field(default=None, compare=False)
    entry: int | None = field(default=None, compare=False)


LEAVE = Statement(
    delete(outbox).where(
        outbox.c.kind == bindparam("given_kind"),
        outbox.c.message_id == bindparam("given_message_id"),
        outbox.c.entry == func.coalesce(bindparam("given_entry", type_=BigId), outbox.c.entry),
    ),
    rank=40,
)
_ENTER = Statement(insert(outbox), rank=41)


def outbox_writes(row: OutboxRow) -> list[Write]:
    """Return the writes that enter a row into the outbox."""
    entered = asdict(row) | {"entry": secrets.randbits(62)}
    return [*leave_writes(replace(row, entry=None)), Write(_ENTER, (entered,))]


def leave_writes(row: OutboxRow) -> list[Write]:
    """Return the writes that remove an outbox row once it was sent or given up.

    What enters in the same transaction stays, as does what another process has entered since the
    row was read: it has to be sent again.
    """
    this = {"given_kind": row.kind, "given_message_id": row.message_id, "given_entry": row.entry}
    return [Write(LEAVE, (this,))]


def is_at(home: Shards | None, guild_id: ColumnElement[int | None]) -> ColumnElement[bool]:
    """Return whether a server's events come to some shards; always true if `home` is None."""
    if home is None:
        return true()
    shard = func.coalesce(guild_id, 0) // 2**22 % home.count  # as `Shards.serve` says
    return shard.in_(sorted(home.numbers))


_OF_CHALLENGES: Final = (OutboxKind.CHALLENGE, OutboxKind.CALL)
_SERVER_OF_ENTRY: Final = case(
    (
        outbox.c.kind.in_(_OF_CHALLENGES),
        select(challenge.c.guild_id).where(challenge.c.id == outbox.c.number).scalar_subquery(),
    ),
    (outbox.c.kind == OutboxKind.DAILY, outbox.c.message_id),
    else_=select(match.c.guild_id).where(match.c.id == outbox.c.number).scalar_subquery(),
)


def list_outbox(
    connection: Connection, row: OutboxRow | None = None, *, home: Shards | None = None
) -> list[OutboxRow]:
    """Return the rows that some shards still have to send, or only `row` if it is among them."""
    wanted = select(outbox).order_by(outbox.c.message_id).where(is_at(home, _SERVER_OF_ENTRY))
    if row is not None:
        wanted = wanted.where(outbox.c.kind == row.kind, outbox.c.message_id == row.message_id)
    found = connection.execute(wanted).mappings()
    return [OutboxRow(**{**each, "kind": OutboxKind(each["kind"])}) for each in found]


def note_tried(connection: Connection, row: OutboxRow, tried_at: datetime | None) -> None:
    """Note since when something may have been sent; None: it certainly was not."""
    this = (outbox.c.kind == row.kind) & (outbox.c.message_id == row.message_id)
    connection.execute(update(outbox).where(this).values(tried_at=tried_at))


def announce(connection: Connection, kind: OutboxKind, match_id: int, guild_id: int | None) -> None:
    """Announce a match between people in its server's feed, if the server has one."""
    if guild_id is None:
        return
    channel = load_guild_settings(connection, guild_id).get(FEED_KEY)
    if channel is not None and channel.isdecimal():
        put(connection, outbox_writes(OutboxRow(kind, match_id, int(channel), match_id)))


def find_announcement(connection: Connection, match_id: int) -> tuple[int, int] | None:
    """Return the channel and the message that announce a match; None if there is none."""
    wanted = select(announcement.c.channel_id, announcement.c.message_id)
    found = connection.execute(wanted.where(announcement.c.match_id == match_id)).one_or_none()
    return None if found is None else (found.channel_id, found.message_id)


def save_announcement(
    connection: Connection, match_id: int, channel_id: int, message_id: int
) -> None:
    """Remember which message announces a match."""
    values = {"channel_id": channel_id, "message_id": message_id}
    upsert(connection, announcement, {"match_id": match_id}, values)
