"""The queries of leaderboards; statements are built once, as that takes longer than to run them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, func, select, tuple_

from bot.model.match import MatchStatus
from bot.model.ratings import pools
from bot.storage.schema import guild_player, match, player, rated_match, rating, rating_change, seat

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, FromClause, Select

_RATING: Final = (
    rating.c.value,
    rating.c.deviation,
    rating.c.volatility,
    rating.c.games,
    rating.c.last_game_at,
    rating.c.placed_after,
)
_RATED: Final = (*_RATING, rating.c.won, rating.c.drawn, rating.c.games.label("played"))


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The players on a leaderboard, in no order, and the columns that an index orders them by."""

    select: Select[Any]
    place: ColumnElement[float]
    player_id: ColumnElement[int]

    @property
    def key(self) -> ColumnElement[Any]:
        """The key that pages begin after."""
        return tuple_(self.place, self.player_id)


LISTED: Final = Source(
    select(rating.c.player_id, rating.c.value.label("place"), *_RATED).where(
        rating.c.pool == bindparam("given_pool"),
        rating.c.listed_until > bindparam("given_now"),
    ),
    rating.c.value,
    rating.c.player_id,
)

_IN_GUILD: Final = and_(
    guild_player.c.guild_id == bindparam("given_guild_id"),
    guild_player.c.pool == bindparam("given_pool"),
)
_OWN_RATING: Final = and_(
    rating.c.pool == guild_player.c.pool, rating.c.player_id == guild_player.c.player_id
)

HERE: Final = Source(
    select(guild_player.c.player_id, guild_player.c.careful.label("place"), *_RATED)
    .join(rating, _OWN_RATING)
    .where(_IN_GUILD, guild_player.c.careful.is_not(None)),
    guild_player.c.careful,
    guild_player.c.player_id,
)

WINNERS: Final = Source(
    select(
        guild_player.c.player_id,
        guild_player.c.wins.label("place"),
        *_RATING,
        guild_player.c.won,
        guild_player.c.drawn,
        guild_player.c.games.label("played"),
    )
    .outerjoin(rating, _OWN_RATING)
    .where(_IN_GUILD, guild_player.c.wins.is_not(None)),
    guild_player.c.wins,
    guild_player.c.player_id,
)

_BOUND: Final = tuple_(bindparam("key_value"), bindparam("key_player_id"))
UNSURE: Final = -1_000_000.0  # below every gain


@cache
def part_of(source: Source, has_key: bool, upwards: bool) -> Select[Any]:
    """Select a part of a leaderboard: below a key, above it, or from an end."""
    listed = source.select
    if has_key:
        listed = listed.where(source.key > _BOUND if upwards else source.key < _BOUND)
    order = (source.place, source.player_id)
    listed = listed.order_by(*(order if upwards else (part.desc() for part in order)))
    return _shown(listed.limit(bindparam("given_limit")))


@cache
def of_players(source: Source) -> Select[Any]:
    """Select the entries of some players."""
    among = source.player_id.in_(bindparam("given_players", expanding=True))
    return _shown(source.select.where(among))


@cache
def counts_of(source: Source) -> Select[Any]:
    """Select how many entries there are, and how many of them are above a key."""
    counted: tuple[Any, ...] = (func.count(), func.count().filter(source.key > _BOUND))
    where = source.select.whereclause
    assert where is not None, "all of them ask for a pool"
    # Ratings are not needed to count the players of a server.
    return select(*counted).select_from(source.player_id.table).where(where)


@cache
def gains_of(source: Source) -> Select[Any]:
    """Select everybody with the points they have won since a moment."""
    found = source.select.subquery()
    wanted = select(found.c.player_id, found.c.place, _gain(found).label("gain"))
    if source is HERE:
        wanted = wanted.where(_has_played(found))
    gains = wanted.cte().prefix_with("MATERIALIZED")
    return select(gains) if source is HERE else select(gains).where(gains.c.gain.is_not(None))


def _shown(listed: Select[Any]) -> Select[Any]:
    """Return rows with the player's name and the points they have won recently."""
    found = listed.subquery()
    named = found.join(player, player.c.id == found.c.player_id)
    return select(found, player.c.name, _gain(found).label("gain")).select_from(named)


def _gain(found: FromClause) -> ColumnElement[float]:
    """Return how many points a player has won since a moment; null without a game since.

    Games with a provisional rating are left out: a new player's rating jumps towards its right
    value, which would win every month. Only games change a rating, so the gain is the difference
    of two values; adding up all changes took ten times as long.
    """
    then = (
        select(rating_change.c.value_before)
        .where(_lately(found), rating_change.c.deviation_before < pools.PROVISIONAL_DEVIATION)
        .order_by(rating_change.c.changed_at, rating_change.c.match_id)
        .limit(1)
        .correlate(found)
        .scalar_subquery()
    )
    return found.c.value - then


def _lately(found: FromClause) -> ColumnElement[bool]:
    return and_(
        rating_change.c.player_id == found.c.player_id,
        rating_change.c.pool == bindparam("given_pool"),
        rating_change.c.changed_at >= bindparam("given_since"),
    )


def _has_played(found: FromClause) -> ColumnElement[bool]:
    return select(rating_change.c.match_id).where(_lately(found)).correlate(found).exists()


def _tally(winner: ColumnElement[int | None]) -> tuple[ColumnElement[int], ...]:
    """Count the games of a seat, by result."""
    games = func.count()
    won, drawn = games.filter(winner == seat.c.side), games.filter(winner.is_(None))
    return games.label("games"), won.label("won"), drawn.label("drawn")


_other = seat.alias("other")
RESULTS: Final = (
    select(
        seat.c.player_id,
        *_tally(match.c.winner),
    )
    .select_from(match)
    .join(seat, seat.c.match_id == match.c.id)
    .join(_other, and_(_other.c.match_id == match.c.id, _other.c.side != seat.c.side))
    # Stand-ins for people who have left have no row there.
    .join(guild_player, and_(guild_player.c.player_id == seat.c.player_id, _IN_GUILD))
    .where(
        match.c.guild_id == bindparam("given_guild_id"),
        match.c.variant_key == bindparam("given_pool"),
        match.c.ended_at >= bindparam("given_since"),
        match.c.status == MatchStatus.FINISHED,
        guild_player.c.wins.is_not(None),
        _other.c.player_id != seat.c.player_id,
    )
    .group_by(seat.c.player_id)
)

DOINGS: Final = (
    select(
        rating_change.c.player_id,
        *_tally(rated_match.c.winner),
    )
    .join(rated_match, rated_match.c.match_id == rating_change.c.match_id)
    .join(
        seat,
        and_(
            seat.c.match_id == rating_change.c.match_id,
            seat.c.player_id == rating_change.c.player_id,
        ),
    )
    .where(
        rating_change.c.player_id.in_(bindparam("given_players", expanding=True)),
        rating_change.c.pool == bindparam("given_pool"),
        rating_change.c.changed_at >= bindparam("given_since"),
    )
    .group_by(rating_change.c.player_id)
)
