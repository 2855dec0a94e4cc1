"""Ratings as rows: who has which, and what each match has changed.

Every function takes the connection of the transaction it is part of. What the
numbers mean is the business of `bot.ratings`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, func, insert, select, update

from bot.model.match import NOBODY
from bot.model.ratings.stored import ChangeRow, RatedMatchRow, RatingRow
from bot.storage.rating_tables import guild_member, rated_match, rating, rating_change
from bot.storage.schema import player

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection


_FIND = select(rating).where(
    rating.c.pool == bindparam("given_pool"), rating.c.player_id == bindparam("given_player_id")
)
_OF_PLAYER = (
    select(rating)
    .where(rating.c.player_id == bindparam("given_player_id"))
    .order_by(rating.c.games.desc(), rating.c.pool)
)
_UPDATE = (
    update(rating)
    .where(
        rating.c.pool == bindparam("given_pool"),
        rating.c.player_id == bindparam("given_player_id"),
    )
    .values(
        {
            name: bindparam(f"new_{name}")
            for name in rating.c.keys()  # noqa: SIM118  # a collection of columns is no dict
            if name not in ("pool", "player_id")
        }
    )
)
_INSERT = insert(rating)
_INSERT_MATCH = insert(rated_match)
_INSERT_CHANGE = insert(rating_change)
_FIND_MATCH = select(rated_match).where(rated_match.c.match_id == bindparam("given_match_id"))
_CHANGES = (
    select(rating_change)
    .where(rating_change.c.match_id == bindparam("given_match_id"))
    .order_by(rating_change.c.player_id)
)
_GRAPH = (
    select(rating_change)
    .where(
        rating_change.c.player_id == bindparam("given_player_id"),
        rating_change.c.pool == bindparam("given_pool"),
    )
    .order_by(rating_change.c.changed_at.desc(), rating_change.c.match_id.desc())
    .limit(bindparam("given_limit"))
)
_PAIR_COUNT = (
    select(func.count())
    .select_from(rated_match)
    .where(
        rated_match.c.first_id == bindparam("given_first_id"),
        rated_match.c.second_id == bindparam("given_second_id"),
        rated_match.c.ended_at > bindparam("given_since"),
        rated_match.c.reason.is_(None),
    )
)
_PAST = (
    select(rated_match)
    .where(
        rated_match.c.first_id == bindparam("given_player_id"), rated_match.c.second_id.is_(None)
    )
    .order_by(rated_match.c.ended_at.desc(), rated_match.c.match_id.desc())
    .limit(bindparam("given_limit"))
)
_MET = (
    select(rating_change.c.match_id)
    .where(
        rating_change.c.player_id == bindparam("given_player_id"),
        rating_change.c.pool == bindparam("given_pool"),
        rating_change.c.opponent_id.is_not_distinct_from(bindparam("given_opponent_id")),
        rating_change.c.level.is_not_distinct_from(bindparam("given_level")),
    )
    .limit(1)
)
_UNLIST = (
    update(rating).where(rating.c.listed_until <= bindparam("given_now")).values(listed_until=None)
)
_SEEN = (
    update(guild_member)
    .where(
        guild_member.c.guild_id == bindparam("given_guild_id"),
        guild_member.c.player_id == bindparam("given_player_id"),
    )
    .values(seen_at=bindparam("given_at"))
)
_INSERT_SEEN = insert(guild_member)
_IS_SEEN = select(guild_member.c.seen_at).where(
    guild_member.c.guild_id == bindparam("given_guild_id"),
    guild_member.c.player_id == bindparam("given_player_id"),
)
_FORGET_SEEN = delete(guild_member).where(
    guild_member.c.guild_id == bindparam("given_guild_id"),
    guild_member.c.player_id == bindparam("given_player_id"),
)


def find_rating(connection: Connection, pool: str, player_id: int) -> RatingRow | None:
    """Return a player's rating in a pool; None before the first game there."""
    given = {"given_pool": pool, "given_player_id": player_id}
    row = connection.execute(_FIND, given).mappings().one_or_none()
    return None if row is None else RatingRow(**row)


def list_ratings(connection: Connection, player_id: int) -> list[RatingRow]:
    """Return a player's ratings in all pools, the one with the most games first."""
    found = connection.execute(_OF_PLAYER, {"given_player_id": player_id}).mappings()
    return [RatingRow(**row) for row in found]


def save_rating(connection: Connection, row: RatingRow) -> None:
    """Store a player's rating instead of the one before."""
    values = asdict(row)
    given = {"given_pool": values.pop("pool"), "given_player_id": values.pop("player_id")}
    given |= {f"new_{name}": value for name, value in values.items()}
    if connection.execute(_UPDATE, given).rowcount == 0:
        connection.execute(_INSERT, asdict(row))


def find_rated_match(connection: Connection, match_id: int) -> RatedMatchRow | None:
    """Return whether a match counts; None if it was never looked at."""
    found = connection.execute(_FIND_MATCH, {"given_match_id": match_id}).mappings().one_or_none()
    return None if found is None else RatedMatchRow(**found)


def insert_rated_match(connection: Connection, row: RatedMatchRow) -> None:
    """Store whether a match counts."""
    connection.execute(_INSERT_MATCH, asdict(row))


def count_pair_games(connection: Connection, first_id: int, second_id: int, since: datetime) -> int:
    """Return how many games of two people have counted since then."""
    low, high = sorted((first_id, second_id))
    given = {"given_first_id": low, "given_second_id": high, "given_since": since}
    count: int = connection.execute(_PAIR_COUNT, given).scalar_one()
    return count


def list_past_against_computer(
    connection: Connection, player_id: int, limit: int
) -> list[RatedMatchRow]:
    """Return a player's last matches against the computer that were meant to be rated."""
    given = {"given_player_id": player_id, "given_limit": limit}
    return [RatedMatchRow(**row) for row in connection.execute(_PAST, given).mappings()]


def has_met(
    connection: Connection, pool: str, player_id: int, *, opponent_id: int | None, level: int | None
) -> bool:
    """Tell whether a game of a player against an opponent has counted in a pool."""
    given = {
        "given_player_id": player_id,
        "given_pool": pool,
        "given_opponent_id": opponent_id,
        "given_level": level,
    }
    return connection.execute(_MET, given).first() is not None


def insert_change(connection: Connection, row: ChangeRow) -> None:
    """Store what a match has made of a rating."""
    connection.execute(_INSERT_CHANGE, asdict(row))


def list_changes(connection: Connection, match_id: int) -> list[ChangeRow]:
    """Return what a match has made of its players' ratings."""
    found = connection.execute(_CHANGES, {"given_match_id": match_id}).mappings()
    return [ChangeRow(**row) for row in found]


def list_graph(connection: Connection, player_id: int, pool: str, limit: int) -> list[ChangeRow]:
    """Return a player's last changes in a pool, the oldest of them first."""
    given = {"given_player_id": player_id, "given_pool": pool, "given_limit": limit}
    found = [ChangeRow(**row) for row in connection.execute(_GRAPH, given).mappings()]
    return found[::-1]


def unlist_expired(connection: Connection, now: datetime) -> None:
    """Take from the leaderboards who has not played for too long."""
    connection.execute(_UNLIST, {"given_now": now})


def note_member(
    connection: Connection, guild_id: int, player_ids: Sequence[int], now: datetime
) -> None:
    """Remember that players have been seen in a server."""
    for player_id in player_ids:
        given = {"given_guild_id": guild_id, "given_player_id": player_id, "given_at": now}
        if connection.execute(_SEEN, given).rowcount == 0:
            row = {"guild_id": guild_id, "player_id": player_id, "seen_at": now}
            connection.execute(_INSERT_SEEN, row)


def note_known_member(connection: Connection, guild_id: int, player_id: int, now: datetime) -> None:
    """Remember that somebody has been seen in a server, if they have ever played."""
    known = select(player.c.id).where(player.c.id == player_id)
    if connection.execute(known).first() is not None:
        note_member(connection, guild_id, (player_id,), now)


def is_member(connection: Connection, guild_id: int, player_id: int) -> bool:
    """Tell whether a player has been seen in a server."""
    given = {"given_guild_id": guild_id, "given_player_id": player_id}
    return connection.execute(_IS_SEEN, given).first() is not None


def forget_member(connection: Connection, guild_id: int, player_id: int) -> None:
    """Forget that a player has been seen in a server, as when they have left it."""
    given = {"given_guild_id": guild_id, "given_player_id": player_id}
    connection.execute(_FORGET_SEEN, given)


def delete_player(connection: Connection, player_id: int) -> None:
    """Forget a player's ratings, their history, and where they were seen.

    What their opponents won or lost stays, against nobody in particular.
    """
    for table in (rating, rating_change, guild_member):
        connection.execute(delete(table).where(table.c.player_id == player_id))
    for column in (rating_change.c.opponent_id, rated_match.c.first_id, rated_match.c.second_id):
        connection.execute(
            update(column.table).where(column == player_id).values({column.name: NOBODY})
        )
