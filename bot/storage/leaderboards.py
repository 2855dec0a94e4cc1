"""Leaderboards: pages by key, never by counting rows from the top.

A page begins after the last entry of the one before it, which an index finds at
once however deep it lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select, tuple_

from bot.storage.rating_tables import guild_member, rating, rating_change
from bot.storage.schema import player

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row, Select


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
    last_game_at: datetime
    gain: float | None


def list_board(
    connection: Connection,
    board: Board,
    *,
    key: tuple[float, int] | None,
    upwards: bool,
    limit: int,
) -> list[BoardRow]:
    """Return a part of a leaderboard, the best first.

    Args:
        connection: Where to look.
        board: Which one.
        key: What the entry next to the part is ordered by, and its player; None to
            begin at an end.
        upwards: Whether the part lies above the key instead of below it.
        limit: How many at most.
    """
    listed, order = _listed(board)
    place = tuple_(order, rating.c.player_id)
    if key is not None:
        bound = tuple_(bindparam("key_value"), bindparam("key_player_id"))
        listed = listed.where(place > bound if upwards else place < bound)
    direction = (order, rating.c.player_id)
    listed = listed.order_by(*(direction if upwards else (part.desc() for part in direction)))
    given: dict[str, Any] = _given(board)
    if key is not None:
        given |= {"key_value": key[0], "key_player_id": key[1]}
    rows = connection.execute(listed.limit(limit), given).all()
    return [_to_row(row) for row in (reversed(rows) if upwards else rows)]


def find_on_board(connection: Connection, board: Board, player_id: int) -> BoardRow | None:
    """Return a player's entry on a leaderboard; None if they are not on it."""
    listed, _ = _listed(board)
    row = connection.execute(
        listed.where(rating.c.player_id == bindparam("given_player_id")),
        _given(board) | {"given_player_id": player_id},
    ).one_or_none()
    return None if row is None else _to_row(row)


def count_above(connection: Connection, board: Board, key: tuple[float, int] | None) -> int:
    """Return how many are above a key on a leaderboard; how many there are without one."""
    listed, order = _listed(board, names=False)
    given = _given(board)
    if key is not None:
        bound = tuple_(bindparam("key_value"), bindparam("key_player_id"))
        listed = listed.where(tuple_(order, rating.c.player_id) > bound)
        given |= {"key_value": key[0], "key_player_id": key[1]}
    counted = select(func.count()).select_from(listed.subquery())
    count: int = connection.execute(counted, given).scalar_one()
    return count


def _listed(board: Board, *, names: bool = True) -> tuple[Select[Any], ColumnElement[float]]:
    """Return who is on a leaderboard, in no order, and what they are ordered by."""
    order: ColumnElement[float] = rating.c.value
    source: Any = rating
    columns: list[Any] = [rating.c.player_id]
    if names:
        source = source.join(player, player.c.id == rating.c.player_id)
        columns += [
            player.c.name,
            rating.c.value,
            rating.c.deviation,
            rating.c.volatility,
            rating.c.games,
            rating.c.last_game_at,
        ]
    if board.guild_id is not None:
        source = source.join(guild_member, guild_member.c.player_id == rating.c.player_id)
    if board.since is not None:
        gains = _gains().subquery()
        source = source.join(gains, gains.c.player_id == rating.c.player_id)
        order = gains.c.gain
        columns.append(gains.c.gain)
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
    return listed, order


def _gains() -> Select[Any]:
    """Return what everybody has won since a moment.

    Changes of a provisional rating are leaps towards the right value and no success:
    whoever has just come would win every month.
    """
    gain = func.sum(rating_change.c.value_after - rating_change.c.value_before)
    return (
        select(rating_change.c.player_id, gain.label("gain"))
        .where(
            rating_change.c.pool == bindparam("given_pool"),
            rating_change.c.changed_at >= bindparam("given_since"),
            rating_change.c.deviation_before < bindparam("given_provisional"),
        )
        .group_by(rating_change.c.player_id)
    )


def _given(board: Board) -> dict[str, Any]:
    given: dict[str, Any] = {"given_pool": board.pool, "given_now": board.now}
    if board.guild_id is not None:
        given["given_guild_id"] = board.guild_id
    if board.since is not None:
        given |= {"given_since": board.since, "given_provisional": board.provisional}
    return given


def _to_row(row: Row[Any]) -> BoardRow:
    return BoardRow(**({"gain": None} | dict(row._mapping)))
