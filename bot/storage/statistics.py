"""What somebody's finished matches amount to, counted by the database.

Casual games count here as well as rated ones: this is about what was played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, case, func, select

from bot.model.ratings.tally import DRAWN, FINISHED, LOST, WON, OpponentRow, StreakRow, TallyRow
from bot.storage.schema import match, player, seat

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

_other = seat.alias("other")
_OWN: Final = seat.join(match, match.c.id == seat.c.match_id)
_BOTH: Final = _OWN.join(
    _other, and_(_other.c.match_id == match.c.id, _other.c.side == 1 - seat.c.side)
)
_RESULT: Final = case(
    (match.c.winner.is_(None), DRAWN), (match.c.winner == seat.c.side, WON), else_=LOST
)
_IS_MINE: Final = and_(
    seat.c.player_id == bindparam("given_player_id"),
    match.c.status == FINISHED,
    # Somebody in both seats has played nobody.
    _other.c.player_id.is_distinct_from(seat.c.player_id),
)

_TALLY: Final = (
    select(
        match.c.variant_key,
        seat.c.side,
        _other.c.level,
        _RESULT.label("result"),
        func.count().label("count"),
    )
    .select_from(_BOTH)
    .where(_IS_MINE)
    .group_by(match.c.variant_key, seat.c.side, _other.c.level, _RESULT)
)

_in_order = (match.c.ended_at, match.c.id)
_numbered = (
    select(
        _RESULT.label("result"),
        match.c.id,
        match.c.ended_at,
        (
            func.row_number().over(order_by=_in_order)
            - func.row_number().over(partition_by=_RESULT, order_by=_in_order)
        ).label("island"),
    )
    .select_from(_BOTH)
    .where(_IS_MINE)
    .subquery()
)
# Results in a row keep the distance between their two numbers: one group is one streak.
_STREAKS: Final = (
    select(
        _numbered.c.result,
        func.count().label("length"),
        func.max(_numbered.c.ended_at).label("last_at"),
        func.max(_numbered.c.id).label("last_id"),
    )
    .group_by(_numbered.c.result, _numbered.c.island)
    .subquery()
)
_STREAK_COLUMNS: Final = (_STREAKS.c.result, _STREAKS.c.length, _STREAKS.c.last_at)
_LAST_STREAK: Final = (
    select(*_STREAK_COLUMNS).order_by(_STREAKS.c.last_at.desc(), _STREAKS.c.last_id.desc()).limit(1)
)
_LONGEST_WON: Final = (
    select(*_STREAK_COLUMNS)
    .where(_STREAKS.c.result == WON)
    .order_by(_STREAKS.c.length.desc(), _STREAKS.c.last_at.desc())
    .limit(1)
)


def _count_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


_OPPONENTS: Final = (
    select(
        player.c.id.label("player_id"),
        player.c.name,
        _count_if(_RESULT == WON).label("won"),
        _count_if(_RESULT == DRAWN).label("drawn"),
        _count_if(_RESULT == LOST).label("lost"),
    )
    .select_from(_BOTH.join(player, player.c.id == _other.c.player_id))
    .where(_IS_MINE)
    .group_by(player.c.id, player.c.name)
    .order_by(func.count().desc(), player.c.id)
)
_PEOPLE_MET: Final = (
    select(func.count(_other.c.player_id.distinct())).select_from(_BOTH).where(_IS_MINE)
)
_FEWEST_PLIES_WON: Final = (
    select(func.min(match.c.ply))
    .select_from(_BOTH)
    .where(_IS_MINE, _RESULT == WON, match.c.end_reason == "board")
)


def tally(connection: Connection, player_id: int, other_id: int | None = None) -> list[TallyRow]:
    """Return how often a player's matches ended how, by variant, side and kind of opponent.

    Args:
        connection: Where to look.
        player_id: Whose.
        other_id: Those against this person only.
    """
    wanted, given = _TALLY, {"given_player_id": player_id}
    if other_id is not None:
        wanted = wanted.where(_other.c.player_id == bindparam("given_other_id"))
        given["given_other_id"] = other_id
    return [TallyRow(**row) for row in connection.execute(wanted, given).mappings()]


def find_name(connection: Connection, player_id: int) -> str | None:
    """Return what somebody was last called; None if they have never played."""
    wanted = select(player.c.name).where(player.c.id == bindparam("given_player_id"))
    name: str | None = connection.execute(wanted, {"given_player_id": player_id}).scalar()
    return name


def last_streak(connection: Connection, player_id: int) -> StreakRow | None:
    """Return the streak that a player's last match belongs to."""
    return _streak(connection, _LAST_STREAK, player_id)


def longest_won(connection: Connection, player_id: int) -> StreakRow | None:
    """Return a player's longest streak of wins, the newest of equals."""
    return _streak(connection, _LONGEST_WON, player_id)


def list_opponents(connection: Connection, player_id: int, limit: int) -> list[OpponentRow]:
    """Return the people that somebody has played most often, and how it went."""
    found = connection.execute(_OPPONENTS.limit(limit), {"given_player_id": player_id})
    return [OpponentRow(**row) for row in found.mappings()]


def find_opponent(connection: Connection, player_id: int, other_id: int) -> OpponentRow | None:
    """Return how it went between two people; None if they have not finished a match."""
    wanted = _OPPONENTS.where(_other.c.player_id == bindparam("given_other_id"))
    given = {"given_player_id": player_id, "given_other_id": other_id}
    row = connection.execute(wanted, given).mappings().one_or_none()
    return None if row is None else OpponentRow(**row)


def fewest_plies_won(connection: Connection, player_id: int) -> int | None:
    """Return the length of the shortest match that a player has won on the board."""
    given = {"given_player_id": player_id}
    count: int | None = connection.execute(_FEWEST_PLIES_WON, given).scalar_one()
    return count


def _streak(connection: Connection, wanted: Any, player_id: int) -> StreakRow | None:
    row = connection.execute(wanted, {"given_player_id": player_id}).mappings().one_or_none()
    return None if row is None else StreakRow(**row)


def count_people_met(connection: Connection, player_id: int) -> int:
    """Return how many different people somebody has finished a match with."""
    count: int = connection.execute(_PEOPLE_MET, {"given_player_id": player_id}).scalar_one()
    return count
