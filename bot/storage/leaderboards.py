"""Leaderboards: pages, and a player's place.

A page begins after the last entry of the page before it, which an index finds quickly at any
depth; no rows are counted from the top.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, func, select, tuple_

from bot.model.ratings import glicko, pools
from bot.model.ratings.glicko import Rating
from bot.model.ratings.values import BoardEntry, BoardKey, BoardPage, BoardView, Period, Standing
from bot.storage import ratings as rows
from bot.storage.schema import guild_member, player, rated_match, rating, rating_change, seat
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, FromClause, Row, Select


# What an entry is ordered by, and its player.
Key = tuple[float, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Which leaderboard, and at what moment.

    Attributes:
        pool: The key of the variant.
        now: Who is on it at this moment.
        guild_id: Whose members only; None for everybody.
        period: Ordered by the ratings themselves, or by what was won in the last days.
    """

    pool: str
    now: datetime
    guild_id: int | None = None
    period: Period = Period.ALL

    @property
    def since(self) -> datetime:
        """From when on gains count; on a leaderboard of ratings those of a month are shown."""
        length = self.period.value or Period.MONTH.value
        assert length is not None
        return self.now - length


def page(
    connection: Connection,
    board: Board,
    *,
    after: BoardKey | None,
    before: BoardKey | None,
    limit: int,
) -> BoardPage:
    """Return the page below `after`, or above `before`, or the first.

    Ranks go on from the one in the key; on a page of its own a player's rank is
    counted.
    """
    ranking = _ranking_of(connection, board)
    return ranking.page(after, before, limit, ranking.counts(None)[0])


def view(
    connection: Connection,
    board: Board,
    player_id: int,
    *,
    after: BoardKey | None = None,
    before: BoardKey | None = None,
    around: bool = False,
    limit: int,
) -> BoardView:
    """Return a page and where a player is; with `around` the page that the player is on."""
    ranking = _ranking_of(connection, board)
    own = ranking.standing(player_id)
    if around and own.entry is not None:
        found = ranking.page_around(own.entry, own.total, limit)
    else:
        found = ranking.page(after, before, limit, own.total)
    return BoardView(page=found, own=own)


def standing(connection: Connection, board: Board, player_id: int) -> Standing:
    """Return a player's place on a leaderboard, or why they have none."""
    return _ranking_of(connection, board).standing(player_id)


def _ranking_of(connection: Connection, board: Board) -> _Ranking:
    return (_Ranking if board.period is Period.ALL else _GainRanking)(connection, board)


class _Ranking:
    """A leaderboard by rating, in one transaction; an index holds the order."""

    def __init__(self, connection: Connection, board: Board) -> None:
        self.connection, self.board = connection, board
        self.in_guild = board.guild_id is not None
        self.given: dict[str, Any] = {
            "given_pool": board.pool,
            "given_now": board.now,
            "given_since": board.since,
        }
        if self.in_guild:
            self.given["given_guild_id"] = board.guild_id

    def part(self, key: Key | None, *, upwards: bool, limit: int) -> list[Row[Any]]:
        """Return a part of it, the best first.

        Args:
            key: What the entry next to the part is ordered by, and its player; None to
                begin at an end.
            upwards: Whether the part lies above the key instead of below it.
            limit: How many at most.
        """
        given = self.given | {"given_limit": limit}
        if key is not None:
            given |= {"key_value": key[0], "key_player_id": key[1]}
        found = self.connection.execute(_part(self.in_guild, key is not None, upwards), given)
        return sorted(found, key=lambda row: (row.value, row.player_id), reverse=True)

    def find(self, player_id: int) -> Row[Any] | None:
        """Return a player's entry; None if they are not on it."""
        return self._rows([player_id]).get(player_id)

    def counts(self, key: Key | None) -> tuple[int, int]:
        """Return how many there are, and how many of them above a key."""
        value, player_id = (None, None) if key is None else key
        given = self.given | {"key_value": value, "key_player_id": player_id}
        total, above = self.connection.execute(_counts(self.in_guild), given).one()
        return total, above

    def page(
        self, after: BoardKey | None, before: BoardKey | None, limit: int, total: int
    ) -> BoardPage:
        """Return the page below `after`, or above `before`, or the first."""
        if after is not None and before is not None:
            raise ValueError(f"a page lies after or before a key, not both: {after}, {before}")
        key = after or before
        upwards = before is not None
        # One more than asked for says whether there is another page.
        found = self.part(
            None if key is None else (key.value, key.player_id), upwards=upwards, limit=limit + 1
        )
        more = len(found) > limit
        if more:
            found = found[1:] if upwards else found[:-1]
        if before is not None:
            first_rank = max(before.rank - len(found), 1)
        else:
            first_rank = 1 if after is None else after.rank + 1
        entries = self._entries(found, first_rank)
        above = more if upwards else after is not None
        below = True if upwards else more
        return BoardPage(
            entries=entries,
            total=total,
            before=entries[0].key if entries and above else None,
            after=entries[-1].key if entries and below else None,
        )

    def page_around(self, own: BoardEntry, total: int, limit: int) -> BoardPage:
        """Return a page with an entry in its middle, or as near to it as the ends allow."""
        key = (own.key.value, own.player_id)
        wanted_above = max(limit // 2, limit - 1 - (total - own.rank))
        above = self.part(key, upwards=True, limit=min(wanted_above, own.rank - 1))
        below = self.part(key, upwards=False, limit=limit - 1 - len(above))
        first = own.rank - len(above)
        entries = (*self._entries(above, first), own, *self._entries(below, own.rank + 1))
        return BoardPage(
            entries=entries,
            total=total,
            before=entries[0].key if first > 1 else None,
            after=entries[-1].key if own.rank + len(below) < total else None,
        )

    def standing(self, player_id: int) -> Standing:
        """Return a player's place, or why they have none."""
        row = self.find(player_id)
        if row is None:
            why_not = _why_not(self.connection, self.board, player_id)
            return Standing(entry=None, total=self.counts(None)[0], why_not=why_not)
        key = row.value if self.board.period is Period.ALL else row.gain
        total, above = self.counts((key, player_id))
        (entry,) = self._entries([row], above + 1)
        return Standing(entry=entry, total=total, why_not=None)

    def _rows(self, player_ids: list[int]) -> dict[int, Row[Any]]:
        given = self.given | {"given_players": player_ids}
        found = self.connection.execute(_of_players(self.in_guild), given)
        return {row.player_id: row for row in found}

    def _entries(self, found: Iterable[Row[Any]], first_rank: int) -> tuple[BoardEntry, ...]:
        return tuple(
            BoardEntry(
                rank=rank,
                player_id=row.player_id,
                name=row.name,
                rating=glicko.after_time(
                    Rating(value=row.value, deviation=row.deviation, volatility=row.volatility),
                    self.board.now - row.last_game_at,
                ),
                games=row.games,
                gain=None if self.board.period is Period.ALL else row.gain,
                last_game_at=row.last_game_at,
                won=row.won,
                drawn=row.drawn,
                lost=row.games - row.won - row.drawn,
                trend=row.gain,
            )
            for rank, row in enumerate(found, start=first_rank)
        )


class _GainRanking(_Ranking):
    """A leaderboard by points won since a moment: computed once, as no index holds that order."""

    def __init__(self, connection: Connection, board: Board) -> None:
        super().__init__(connection, board)
        found = connection.execute(_gains(self.in_guild), self.given)
        # Lowest first, for `bisect`.
        self._places: list[Key] = sorted((gain, player_id) for player_id, gain in found)
        self._players = {player_id for _, player_id in self._places}

    def part(self, key: Key | None, *, upwards: bool, limit: int) -> list[Row[Any]]:
        """Return a part of it, the best first."""
        if upwards:
            start = 0 if key is None else bisect_right(self._places, key)
            found = self._places[start : start + limit]
        else:
            end = len(self._places) if key is None else bisect_left(self._places, key)
            found = self._places[max(0, end - limit) : end]
        rows = self._rows([player_id for _, player_id in found])
        return [rows[player_id] for _, player_id in reversed(found)]

    def find(self, player_id: int) -> Row[Any] | None:
        """Return a player's entry; None if they are not on it."""
        return super().find(player_id) if player_id in self._players else None

    def counts(self, key: Key | None) -> tuple[int, int]:
        """Return how many there are, and how many of them above a key."""
        total = len(self._places)
        return total, total - (total if key is None else bisect_right(self._places, key))

    def _entries(self, found: Iterable[Row[Any]], first_rank: int) -> tuple[BoardEntry, ...]:
        """Return entries with how the games since that moment ended."""
        entries = super()._entries(found, first_rank)
        given = self.given | {"given_players": [entry.player_id for entry in entries]}
        done = {row.player_id: row for row in self.connection.execute(_DOINGS, given)}
        return tuple(
            replace(entry, won=row.won, drawn=row.drawn, lost=row.games - row.won - row.drawn)
            for entry in entries
            for row in (done[entry.player_id],)
        )


def _why_not(connection: Connection, board: Board, player_id: int) -> Sentence:
    row = rows.find_rating(connection, board.pool, player_id)
    if row is None:
        return pools.games_needed(0)
    sentence = pools.why_not_listed(
        Rating(value=row.value, deviation=row.deviation, volatility=row.volatility),
        games=row.games,
        opponents=row.opponents,
        telling=row.telling,
        last_game_at=row.last_game_at,
        now=board.now,
    )
    if sentence is not None:
        return sentence
    if board.guild_id is not None and not rows.is_member(connection, board.guild_id, player_id):
        return say("No game has been played in this server yet.")
    return say("No game has counted in this time since the rating became certain.")


# Statements are built once, those of a server and those of all servers: to build one takes longer
# than to run it.

_PLACE: Final = tuple_(rating.c.value, rating.c.player_id)
_BOUND: Final = tuple_(bindparam("key_value"), bindparam("key_player_id"))


def _listed(in_guild: bool) -> Select[Any]:
    """Return who is on a leaderboard, in no order."""
    wanted = select(
        rating.c.player_id,
        rating.c.value,
        rating.c.deviation,
        rating.c.volatility,
        rating.c.games,
        rating.c.won,
        rating.c.drawn,
        rating.c.last_game_at,
    ).where(
        rating.c.pool == bindparam("given_pool"),
        rating.c.listed_until > bindparam("given_now"),
    )
    if not in_guild:
        return wanted
    return wanted.join(guild_member, guild_member.c.player_id == rating.c.player_id).where(
        guild_member.c.guild_id == bindparam("given_guild_id")
    )


@cache
def _part(in_guild: bool, has_key: bool, upwards: bool) -> Select[Any]:
    listed = _listed(in_guild)
    if has_key:
        listed = listed.where(_PLACE > _BOUND if upwards else _PLACE < _BOUND)
    order = (rating.c.value, rating.c.player_id)
    listed = listed.order_by(*(order if upwards else (part.desc() for part in order)))
    return _shown(listed.limit(bindparam("given_limit")))


@cache
def _of_players(in_guild: bool) -> Select[Any]:
    among = rating.c.player_id.in_(bindparam("given_players", expanding=True))
    return _shown(_listed(in_guild).where(among))


@cache
def _counts(in_guild: bool) -> Select[Any]:
    counted: tuple[Any, ...] = (func.count(), func.count().filter(_PLACE > _BOUND))
    return _listed(in_guild).with_only_columns(*counted).select_from(rating)


@cache
def _gains(in_guild: bool) -> Select[Any]:
    found = _listed(in_guild).subquery()
    gains = select(found.c.player_id, _gain(found).label("gain")).cte().prefix_with("MATERIALIZED")
    return select(gains).where(gains.c.gain.is_not(None))


def _shown(listed: Select[Any]) -> Select[Any]:
    """Return rows with the player's name and what they have won lately."""
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
        .where(
            rating_change.c.player_id == found.c.player_id,
            rating_change.c.pool == bindparam("given_pool"),
            rating_change.c.changed_at >= bindparam("given_since"),
            rating_change.c.deviation_before < pools.PROVISIONAL_DEVIATION,
        )
        .order_by(rating_change.c.changed_at, rating_change.c.match_id)
        .limit(1)
        .correlate(found)
        .scalar_subquery()
    )
    return found.c.value - then


_DOINGS: Final = (
    select(
        rating_change.c.player_id,
        func.count().label("games"),
        func.count().filter(rated_match.c.winner == seat.c.side).label("won"),
        func.count().filter(rated_match.c.winner.is_(None)).label("drawn"),
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
