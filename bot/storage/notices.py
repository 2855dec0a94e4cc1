"""What players are told about their matches, and what they have been told, as rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, delete, exists, insert, select, update

from bot.model.notices import News, NewsKind
from bot.storage.outbox import is_at
from bot.storage.schema import match, mute, news, notice, seat, unreached
from bot.storage.writer import Statement, Write, put, upsert

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Table

    from bot.model.hosting import Shards


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRow:
    """A message that calls a player to a match."""

    match_id: int
    player_id: int
    channel_id: int
    message_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsRow:
    """Something that a player has not been told yet; `tried_at` is when it was first sent."""

    news: News
    noted_at: datetime
    tried_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenNotices:
    """The notices that stand and the news still to be told, at the start.

    Attributes:
        standing: The messages that call players to matches.
        outdated: Those of our shards whose reader is not to move there; an offer may stand.
        unreached: Players whom a direct message did not reach and who have not been told so.
        untold: The news that our shards still have to tell, the oldest first.
        muted: Which matches are muted by whom: the match's number, then the player's.
    """

    standing: list[NoticeRow]
    outdated: list[NoticeRow]
    unreached: list[int]
    untold: list[NewsRow]
    muted: set[tuple[int, int]]


# Of all news about one match only the latest is told; anything older is forgotten with it.
FORGET_NEWS: Final = Statement(
    delete(news).where(
        news.c.match_id == bindparam("given_match_id"),
        news.c.player_id == bindparam("given_player_id"),
        (news.c.kind == bindparam("given_kind")) | (news.c.revision < bindparam("given_revision")),
        news.c.revision <= bindparam("given_revision"),
    ),
    rank=30,
)
ADD_NEWS: Final = Statement(insert(news), rank=31)


def news_writes(told: Iterable[News], over: Iterable[News], now: datetime) -> list[Write]:
    """Return the writes that store news to tell, and remove news that no longer has to be."""
    told = list(told)
    added = tuple(
        {
            "match_id": each.match_id,
            "player_id": each.user_id,
            "kind": each.kind,
            "revision": each.revision,
            "noted_at": now,
        }
        for each in told
    )
    removed = tuple(
        {
            "given_match_id": each.match_id,
            "given_player_id": each.user_id,
            "given_kind": each.kind,
            "given_revision": each.revision,
        }
        for each in (*told, *over)
    )
    return [
        Write(statement, rows)
        for statement, rows in ((FORGET_NEWS, removed), (ADD_NEWS, added))
        if rows
    ]


def replace_news(connection: Connection, told: News, now: datetime) -> bool:
    """Store news in place of all other news about the same match and player.

    Return whether it was stored: nobody is called for waiting who may have been told other news.
    """
    theirs = _is_of(news, told.match_id, told.user_id)
    is_tried = select(exists().where(theirs, news.c.tried_at.is_not(None)))
    if told.kind is NewsKind.WAITING and connection.execute(is_tried).scalar_one():
        return False
    connection.execute(delete(news).where(theirs))
    put(connection, news_writes([told], [], now))
    return True


def note_tried(connection: Connection, tried: News, now: datetime) -> bool:
    """Remember that something is being sent: from now on it may have arrived.

    Return whether it still has to be told: another process may have told it, or removed it.
    """
    this = _is_of(news, tried.match_id, tried.user_id) & (news.c.kind == tried.kind)
    connection.execute(update(news).where(this, news.c.tried_at.is_(None)).values(tried_at=now))
    return bool(connection.scalar(select(exists().where(this))))


def finish_news(
    connection: Connection, done: News, sent: NoticeRow | None, now: datetime
) -> NoticeRow | None:
    """Remember that news was told, or need not be told, and the message that stands now.

    Older news of the same match is not told any more.

    Returns:
        The message to delete: that of another process sent meanwhile, or `sent` if it is older.
    """
    theirs = _is_of(news, done.match_id, done.user_id)
    connection.execute(delete(news).where(theirs, news.c.revision <= done.revision))
    if sent is None:
        return None
    other, _is_muted = find_notice(connection, sent.match_id, sent.player_id)
    if other is not None:
        if other.message_id >= sent.message_id:
            return sent if other != sent else None
        remove_notice(connection, other)
    connection.execute(insert(notice), asdict(sent) | {"sent_at": now})
    return other


def remove_notice(connection: Connection, said: NoticeRow) -> None:
    """Forget a notice, but not one that has taken its place."""
    this = _is_of(notice, said.match_id, said.player_id)
    connection.execute(delete(notice).where(this, notice.c.message_id == said.message_id))


def save_mute(connection: Connection, match_id: int, player_id: int, now: datetime) -> None:
    """Remember that a player has muted a match."""
    this = {"match_id": match_id, "player_id": player_id}
    upsert(connection, mute, this, {"muted_at": now})


def remove_mute(connection: Connection, match_id: int, player_id: int) -> None:
    """Forget that a player has muted a match."""
    connection.execute(delete(mute).where(_is_of(mute, match_id, player_id)))


def save_unreached(connection: Connection, player_id: int, now: datetime) -> None:
    """Remember that a direct message did not reach a player."""
    upsert(connection, unreached, {"player_id": player_id}, {"noted_at": now})


def remove_unreached(connection: Connection, player_id: int) -> None:
    """Forget that a direct message did not reach a player."""
    connection.execute(delete(unreached).where(unreached.c.player_id == player_id))


def list_unreached(connection: Connection) -> list[int]:
    """Return the players whom a direct message did not reach and who have not been told so."""
    return list(connection.execute(select(unreached.c.player_id)).scalars())


_STANDING = select(notice.c.match_id, notice.c.player_id, notice.c.channel_id, notice.c.message_id)


def find_notice(
    connection: Connection, match_id: int, player_id: int
) -> tuple[NoticeRow | None, bool]:
    """Return the message that calls a player to a match, and whether they have muted it."""
    wanted = _STANDING.where(_is_of(notice, match_id, player_id))
    found = connection.execute(wanted).mappings().one_or_none()
    is_muted = connection.scalar(select(exists().where(_is_of(mute, match_id, player_id))))
    return None if found is None else NoticeRow(**found), bool(is_muted)


def _is_of(table: Table, match_id: int, player_id: int) -> ColumnElement[bool]:
    """Select the rows of a player in a match."""
    return (table.c.match_id == match_id) & (table.c.player_id == player_id)


def open_notices(connection: Connection, home: Shards | None = None) -> OpenNotices:
    """Return the standing notices, who is unreached or has muted, and our shards' untold news."""
    standing, is_ours = _STANDING, is_at(home, match.c.guild_id)
    idle = (
        standing.join(match, match.c.id == notice.c.match_id)
        .join(seat, (seat.c.match_id == match.c.id) & (seat.c.player_id == notice.c.player_id))
        # A player called before anything happened may be waiting for the other to begin.
        .where(match.c.to_move.is_distinct_from(seat.c.side), match.c.updated_at > notice.c.sent_at)
        .where(is_ours)
    )
    wanted = select(news).join(match).where(is_ours).order_by(news.c.noted_at)
    untold = connection.execute(wanted)
    return OpenNotices(
        standing=[NoticeRow(**row) for row in connection.execute(standing).mappings()],
        outdated=[NoticeRow(**row) for row in connection.execute(idle).mappings()],
        unreached=list_unreached(connection),
        untold=[
            NewsRow(
                news=News(
                    kind=NewsKind(row.kind),
                    match_id=row.match_id,
                    user_id=row.player_id,
                    revision=row.revision,
                ),
                noted_at=row.noted_at,
                tried_at=row.tried_at,
            )
            for row in untold
        ],
        muted={(row.match_id, row.player_id) for row in connection.execute(select(mute))},
    )
