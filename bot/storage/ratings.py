"""Ratings as rows: those of each player, and what each match has changed.

Every function takes the connection of the transaction it is part of. What the
numbers mean is the business of `bot.model.ratings`.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import delete, func, insert, literal, select, tuple_, update

from bot.model.match import NOBODY
from bot.model.ratings import pools
from bot.model.ratings.glicko import Rating
from bot.model.ratings.pools import PastGame
from bot.model.ratings.rating import RatingFacts, people_of, rate_match
from bot.model.ratings.values import ChangeRow, GuildPlayerRow, RatedMatchRow, RatingRow
from bot.storage.erasures import has_begun_anew
from bot.storage.schema import Instant, guild_player, rated_match, rating, rating_change
from bot.storage.writer import upsert

if TYPE_CHECKING:
    from datetime import datetime

    from _typeshed import DataclassInstance
    from sqlalchemy import Connection, Select, Table

    from bot.model.match import Match, Seat
    from engine import Side

T = TypeVar("T")


def rate(connection: Connection, match: Match, now: datetime) -> None:
    """Store what the end of a match means for ratings, and for the leaderboards of its server.

    Annulled matches change nothing; casual ones and those rated already do not change ratings.
    A match that was to be rated and does not count is stored with the reason.
    """
    people = people_of(match)
    if match.is_annulled:
        return
    if match.guild_id is not None and match.is_over and len(set(people)) == len(match.seats):
        for side, player_id in enumerate(people):
            _count_in_guild(connection, match, match.guild_id, player_id, side)
    if not (match.rated and match.is_over and people):
        return
    if find_rated_match(connection, match.id) is not None:
        return
    rated = rate_match(match, _load_facts(connection, match, people, now), now)
    connection.execute(insert(rated_match), asdict(rated.verdict))
    for stored in rated.ratings:
        store_row(connection, rating, stored)
        _place_in_guilds(connection, match.guild_id, stored)
    for change in rated.changes:
        connection.execute(insert(rating_change), asdict(change))
    if rated.ratings:
        # Players who have not played for too long leave the leaderboards.
        expired = update(rating).where(rating.c.listed_until <= now)
        connection.execute(expired.values(listed_until=None))


def _load_facts(
    connection: Connection, match: Match, people: tuple[int, ...], now: datetime
) -> RatingFacts:
    pair_games, past = 0, list[PastGame]()
    if len(people) == len(match.seats):
        pair_games = _count_pair_games(connection, people, now - pools.PAIR_WITHIN)
    else:
        past = _list_past_against_computer(connection, people[0])
    x, o = match.seats
    pool = pools.pool_of(match.rules)
    rating_x, has_x_met = _known(connection, pool, x, opponent=o)
    rating_o, has_o_met = _known(connection, pool, o, opponent=x)
    since = match.created_at - pools.LEAST_ACCOUNT_AGE
    return RatingFacts(
        pair_games=pair_games,
        past=tuple(past),
        begun_anew=has_begun_anew(connection, people, since),
        ratings=(rating_x, rating_o),
        has_met=(has_x_met, has_o_met),
    )


def _known(
    connection: Connection, pool: str | None, seat: Seat, *, opponent: Seat
) -> tuple[RatingRow | None, bool]:
    """Return a player's rating in a pool, and whether a game against an opponent has counted."""
    if pool is None or seat.player_id is None:
        return None, False
    met = select(rating_change.c.match_id).where(
        rating_change.c.player_id == seat.player_id,
        rating_change.c.pool == pool,
        rating_change.c.opponent_id.is_not_distinct_from(opponent.player_id),
        rating_change.c.level.is_not_distinct_from(opponent.level),
    )
    has_met = connection.execute(met.limit(1)).first() is not None
    return find_rating(connection, pool, seat.player_id), has_met


def _count_pair_games(connection: Connection, people: tuple[int, ...], since: datetime) -> int:
    """Return how many games of two people have counted since then."""
    low, high = sorted(people)
    counted = select(func.count()).where(
        rated_match.c.first_id == low,
        rated_match.c.second_id == high,
        rated_match.c.ended_at > since,
        rated_match.c.reason.is_(None),
    )
    return connection.execute(counted).scalar_one()


def _list_past_against_computer(connection: Connection, player_id: int) -> list[PastGame]:
    """Return a player's last matches against the computer that were meant to be rated."""
    past = (
        select(func.coalesce(rated_match.c.opening, "").label("opening"), rated_match.c.winner)
        .where(rated_match.c.first_id == player_id, rated_match.c.second_id.is_(None))
        .order_by(rated_match.c.ended_at.desc(), rated_match.c.match_id.desc())
        .limit(pools.REMEMBERED_GAMES)
    )
    return read_as(connection, PastGame, past)


def read_as(connection: Connection, kind: type[T], wanted: Select[Any], **given: Any) -> list[T]:
    """Return rows as instances of a class whose attributes are named like their columns."""
    return [kind(**row) for row in connection.execute(wanted, given).mappings()]


def find_as(connection: Connection, kind: type[T], wanted: Select[Any], **given: Any) -> T | None:
    """Return the first row as `read_as` does; None if there is none."""
    return next(iter(read_as(connection, kind, wanted, **given)), None)


def store_row(connection: Connection, table: Table, row: DataclassInstance) -> None:
    """Insert a row, or update the one with its primary key."""
    values = asdict(row)
    upsert(
        connection, table, {each.name: values.pop(each.name) for each in table.primary_key}, values
    )


def find_rating(connection: Connection, pool: str, player_id: int) -> RatingRow | None:
    """Return a player's rating in a pool; None before the first game there."""
    wanted = select(rating).where(rating.c.pool == pool, rating.c.player_id == player_id)
    return find_as(connection, RatingRow, wanted)


def list_ratings(connection: Connection, player_id: int) -> list[RatingRow]:
    """Return a player's ratings in all pools, the one with the most games first."""
    wanted = select(rating).where(rating.c.player_id == player_id)
    return read_as(connection, RatingRow, wanted.order_by(rating.c.games.desc(), rating.c.pool))


def find_rated_match(connection: Connection, match_id: int) -> RatedMatchRow | None:
    """Return the verdict on whether a match counts; None if there is none."""
    wanted = select(rated_match).where(rated_match.c.match_id == match_id)
    return find_as(connection, RatedMatchRow, wanted)


def list_changes(connection: Connection, match_id: int) -> list[ChangeRow]:
    """Return how a match has changed its players' ratings."""
    wanted = select(rating_change).where(rating_change.c.match_id == match_id)
    return read_as(connection, ChangeRow, wanted.order_by(rating_change.c.player_id))


def count_games(connection: Connection, row: ChangeRow) -> int:
    """Return how many of a player's games had counted in a pool after a change."""
    counted = select(func.count()).where(
        rating_change.c.player_id == row.player_id,
        rating_change.c.pool == row.pool,
        tuple_(rating_change.c.changed_at, rating_change.c.match_id)
        <= tuple_(literal(row.changed_at, Instant), row.match_id),
    )
    return connection.execute(counted).scalar_one()


def list_graph(connection: Connection, player_id: int, pool: str, limit: int) -> list[ChangeRow]:
    """Return a player's last changes in a pool, the oldest of them first."""
    wanted = (
        select(rating_change)
        .where(rating_change.c.player_id == player_id, rating_change.c.pool == pool)
        .order_by(rating_change.c.changed_at.desc(), rating_change.c.match_id.desc())
        .limit(limit)
    )
    return read_as(connection, ChangeRow, wanted)[::-1]


def find_guild_player(
    connection: Connection, guild_id: int, pool: str, player_id: int
) -> GuildPlayerRow | None:
    """Return what a player has played in a server; None before the first game there."""
    wanted = select(guild_player).where(
        guild_player.c.guild_id == guild_id,
        guild_player.c.pool == pool,
        guild_player.c.player_id == player_id,
    )
    return find_as(connection, GuildPlayerRow, wanted)


def _count_in_guild(
    connection: Connection, match: Match, guild_id: int, player_id: int, side: Side
) -> None:
    """Add a game between two people to what one of them has played in a server."""
    pool = pools.pool_of(match.rules)
    if pool is None:
        return
    stored = find_guild_player(connection, guild_id, pool, player_id)
    row = stored or GuildPlayerRow(guild_id=guild_id, pool=pool, player_id=player_id)
    games = row.games + 1
    won, drawn = row.won + (match.winner == side), row.drawn + (match.winner is None)
    wins = pools.wins_place(won, games - won - drawn)
    store_row(connection, guild_player, replace(row, games=games, won=won, drawn=drawn, wins=wins))


def _place_in_guilds(connection: Connection, guild_id: int | None, stored: RatingRow) -> None:
    """Update a rating on the leaderboards of servers, and put it on that of this one."""
    values = {"careful": pools.careful(Rating.of(stored))}
    elsewhere = update(guild_player).where(
        guild_player.c.player_id == stored.player_id,
        guild_player.c.pool == stored.pool,
        guild_player.c.careful.is_not(None),
    )
    connection.execute(elsewhere.values(values))
    if guild_id is not None:
        key = {"guild_id": guild_id, "pool": stored.pool, "player_id": stored.player_id}
        none = {"games": 0, "won": 0, "drawn": 0}
        upsert(connection, guild_player, key, values, if_new=none)


def delete_player(connection: Connection, player_id: int) -> None:
    """Forget a player's ratings, their history, and what they played in servers.

    What their opponents won or lost stays, without the name of the player.
    """
    for table in (rating, rating_change, guild_player):
        connection.execute(delete(table).where(table.c.player_id == player_id))
    for column in (rating_change.c.opponent_id, rated_match.c.first_id, rated_match.c.second_id):
        connection.execute(
            update(column.table).where(column == player_id).values({column.name: NOBODY})
        )
