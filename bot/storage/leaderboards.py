"""Leaderboards: pages by key, never by counting rows from the top.

A page begins after the last entry of the one before it, which an index finds at
once however deep it lies.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from sqlalchemy import and_, bindparam, case, func, select, tuple_

from bot.storage.rating_tables import guild_member, rated_match, rating, rating_change
from bot.storage.schema import player, seat

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row, Select


# What an entry is ordered by, and its player.
Key = tuple[float, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Which leaderboard, and at what moment.

    Attributes:
        pool: The key of the variant.
        now: Who is on it at this moment.
        guild_id: Whose members only; None for everybody.
        since: Ordered by what was won since then; None for the ratings themselves.
        provisional: From which deviation on a change is no success.
    """

    pool: str
    now: datetime
    guild_id: int | None = None
    since: datetime | None = None
    provisional: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """A player on a leaderboard; `gain` on one with a period."""

    player_id: int
    name: str
    value: float
    deviation: float
    volatility: float
    games: int
    won: int
    drawn: int
    last_game_at: datetime
    gain: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doings:
    """What somebody has done in a pool since a moment."""

    won: int
    drawn: int
    lost: int
    gain: float | None


class Ranking(Protocol):
    """A leaderboard at one moment, in one transaction."""

    def part(self, key: Key | None, *, upwards: bool, limit: int) -> list[BoardRow]:
        """Return a part of it, the best first.

        Args:
            key: What the entry next to the part is ordered by, and its player; None to
                begin at an end.
            upwards: Whether the part lies above the key instead of below it.
            limit: How many at most.
        """

    def find(self, player_id: int) -> BoardRow | None:
        """Return a player's entry; None if they are not on it."""

    def count_above(self, key: Key | None) -> int:
        """Return how many are above a key; how many there are without one."""


def ranking_of(connection: Connection, board: Board) -> Ranking:
    """Return a leaderboard to look things up in."""
    if board.since is None:
        return RatingRanking(connection, board)
    return GainRanking(connection, board, board.since)


class RatingRanking:
    """Ordered by rating: an index holds it, and nothing is read but what is asked for."""

    def __init__(self, connection: Connection, board: Board) -> None:
        self._connection, self._board = connection, board

    def part(self, key: Key | None, *, upwards: bool, limit: int) -> list[BoardRow]:
        """Return a part of it, read from the index without sorting."""
        place = tuple_(rating.c.value, rating.c.player_id)
        listed = _listed(self._board)
        if key is not None:
            bound = tuple_(bindparam("key_value"), bindparam("key_player_id"))
            listed = listed.where(place > bound if upwards else place < bound)
        order = (rating.c.value, rating.c.player_id)
        listed = listed.order_by(*(order if upwards else (part.desc() for part in order)))
        rows = self._connection.execute(listed.limit(limit), self._given(key)).all()
        return [_to_row(row) for row in (reversed(rows) if upwards else rows)]

    def find(self, player_id: int) -> BoardRow | None:
        """Return a player's entry; None if they are not on it."""
        wanted = _listed(self._board).where(rating.c.player_id == bindparam("given_player_id"))
        given = self._given(None) | {"given_player_id": player_id}
        row = self._connection.execute(wanted, given).one_or_none()
        return None if row is None else _to_row(row)

    def count_above(self, key: Key | None) -> int:
        """Return how many are above a key; how many there are without one."""
        listed = _listed(self._board, columns=[rating.c.player_id])
        if key is not None:
            bound = tuple_(bindparam("key_value"), bindparam("key_player_id"))
            listed = listed.where(tuple_(rating.c.value, rating.c.player_id) > bound)
        counted = select(func.count()).select_from(listed.subquery())
        count: int = self._connection.execute(counted, self._given(key)).scalar_one()
        return count

    def _given(self, key: Key | None) -> dict[str, Any]:
        given = _given(self._board)
        return given if key is None else given | {"key_value": key[0], "key_player_id": key[1]}


class GainRanking:
    """Ordered by what was won since a moment: no index holds that, so it is computed once."""

    def __init__(self, connection: Connection, board: Board, since: datetime) -> None:
        self._connection, self._board = connection, board
        gain = _gain().label("gain")
        rows = connection.execute(
            _listed(board, columns=[rating.c.player_id, gain]),
            _given(board) | {"given_since": since, "given_provisional": board.provisional},
        )
        self._gains = {player_id: gain for player_id, gain in rows if gain is not None}
        # The worst first, as `bisect` wants it.
        self._places = sorted((gain, player_id) for player_id, gain in self._gains.items())

    def part(self, key: Key | None, *, upwards: bool, limit: int) -> list[BoardRow]:
        """Return a part of it, the best first."""
        if upwards:
            start = 0 if key is None else bisect_right(self._places, key)
            found = self._places[start : start + limit]
        else:
            end = len(self._places) if key is None else bisect_left(self._places, key)
            found = self._places[max(0, end - limit) : end]
        rows = self._rows([player_id for _, player_id in found])
        return [rows[player_id] for _, player_id in reversed(found)]

    def find(self, player_id: int) -> BoardRow | None:
        """Return a player's entry; None if they are not on it."""
        return self._rows([player_id])[player_id] if player_id in self._gains else None

    def count_above(self, key: Key | None) -> int:
        """Return how many are above a key; how many there are without one."""
        return len(self._places) - (0 if key is None else bisect_right(self._places, key))

    def _rows(self, players: list[int]) -> dict[int, BoardRow]:
        wanted = _listed(self._board).where(
            rating.c.player_id.in_(bindparam("given_players", expanding=True))
        )
        given = _given(self._board) | {"given_players": players}
        found = [_to_row(row) for row in self._connection.execute(wanted, given)]
        return {row.player_id: replace(row, gain=self._gains[row.player_id]) for row in found}


_SHOWN: Final[tuple[Any, ...]] = (
    rating.c.player_id,
    player.c.name,
    rating.c.value,
    rating.c.deviation,
    rating.c.volatility,
    rating.c.games,
    rating.c.won,
    rating.c.drawn,
    rating.c.last_game_at,
)


def _listed(board: Board, columns: Sequence[Any] = _SHOWN) -> Select[Any]:
    """Return who is on a leaderboard, in no order."""
    source: Any = rating
    if columns is _SHOWN:
        source = source.join(player, player.c.id == rating.c.player_id)
    if board.guild_id is not None:
        source = source.join(guild_member, guild_member.c.player_id == rating.c.player_id)
    listed = (
        select(*columns)
        .select_from(source)
        .where(
            rating.c.pool == bindparam("given_pool"),
            rating.c.listed_until > bindparam("given_now"),
        )
    )
    if board.guild_id is not None:
        listed = listed.where(guild_member.c.guild_id == bindparam("given_guild_id"))
    return listed


def _gain() -> ColumnElement[float]:
    """Return what somebody has won since a moment; null without a game since.

    Games with a provisional rating are passed over: they are leaps towards the right value and
    no success, and whoever has just come would win every month. A rating moves by games only,
    so that two values tell the gain: adding up every change took ten times as long.
    """
    then = (
        select(rating_change.c.value_before)
        .where(
            rating_change.c.player_id == rating.c.player_id,
            rating_change.c.pool == rating.c.pool,
            rating_change.c.changed_at >= bindparam("given_since"),
            rating_change.c.deviation_before < bindparam("given_provisional"),
        )
        .order_by(rating_change.c.changed_at, rating_change.c.match_id)
        .limit(1)
        .correlate(rating)
        .scalar_subquery()
    )
    return rating.c.value - then


_score = case(
    (rated_match.c.winner.is_(None), "drawn"),
    (rated_match.c.winner == seat.c.side, "won"),
    else_="lost",
)
_DOINGS = (
    select(rating_change.c.player_id, _score.label("result"), func.count().label("count"))
    .select_from(
        rating_change.join(rated_match, rated_match.c.match_id == rating_change.c.match_id).join(
            seat,
            and_(
                seat.c.match_id == rating_change.c.match_id,
                seat.c.player_id == rating_change.c.player_id,
            ),
        )
    )
    .where(
        rating_change.c.player_id.in_(bindparam("given_players", expanding=True)),
        rating_change.c.pool == bindparam("given_pool"),
        rating_change.c.changed_at >= bindparam("given_since"),
    )
    .group_by(rating_change.c.player_id, _score)
)


def doings_since(
    connection: Connection, board: Board, since: datetime, players: Collection[int]
) -> dict[int, Doings]:
    """Return what the players of a page have done since a moment; who has not played is missing."""
    given = {"given_pool": board.pool, "given_since": since, "given_players": list(players)}
    counts: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for player_id, result, count in connection.execute(_DOINGS, given):
        counts[player_id][result] = count
    gains = _gains_since(connection, board, given)
    return {
        player_id: Doings(
            won=found.get("won", 0),
            drawn=found.get("drawn", 0),
            lost=found.get("lost", 0),
            gain=gains.get(player_id),
        )
        for player_id, found in counts.items()
    }


def _gains_since(
    connection: Connection, board: Board, given: Mapping[str, Any]
) -> dict[int, float | None]:
    wanted = select(rating.c.player_id, _gain()).where(
        rating.c.pool == bindparam("given_pool"),
        rating.c.player_id.in_(bindparam("given_players", expanding=True)),
    )
    rows = connection.execute(wanted, dict(given) | {"given_provisional": board.provisional})
    return {row[0]: row[1] for row in rows}


def _given(board: Board) -> dict[str, Any]:
    given: dict[str, Any] = {"given_pool": board.pool, "given_now": board.now}
    if board.guild_id is not None:
        given["given_guild_id"] = board.guild_id
    return given


def _to_row(row: Row[Any]) -> BoardRow:
    return BoardRow(**({"gain": None} | dict(row._mapping)))
