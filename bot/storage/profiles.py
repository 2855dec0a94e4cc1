"""Profiles of players, and the ratings of a match, from what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, case, func, select

from bot.model.match import MatchStatus
from bot.model.ratings import achievements
from bot.model.ratings.glicko import Rating
from bot.model.ratings.pools import Reason
from bot.model.ratings.profile import Between, HeadToHead, Profile, Record, Streak, count_records
from bot.model.ratings.rating import current_rating
from bot.model.ratings.values import (
    DRAWN,
    LOST,
    WON,
    MatchRating,
    PlayerRating,
    RatingChange,
    TallyRow,
)
from bot.storage import history, puzzles
from bot.storage import ratings as rows
from bot.storage.history import BOTH, OTHER, Wanted
from bot.storage.schema import match, player, seat

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row

    from bot.model.ratings.values import ChangeRow, RatingRow


FORM_LENGTH: Final = 10
BETWEEN_LENGTH: Final = 20
OPPONENT_COUNT: Final = 5


def find_match_rating(connection: Connection, match_id: int) -> MatchRating | None:
    """Return a match's effect on ratings; None if it is casual, or not over."""
    verdict = rows.find_rated_match(connection, match_id)
    if verdict is None:
        return None
    changes = tuple(
        _to_change(
            row,
            rows.count_games(connection, row),
            rows.find_rating(connection, row.pool, row.player_id),
        )
        for row in rows.list_changes(connection, match_id)
    )
    reason = None if verdict.reason is None else Reason(verdict.reason)
    return MatchRating(reason=reason, changes=changes)


def load_points(
    connection: Connection, user_id: int, pool: str, limit: int
) -> tuple[RatingChange, ...]:
    """Return a player's last rating changes in a pool, oldest first."""
    found = rows.list_graph(connection, user_id, pool, limit)
    stored = rows.find_rating(connection, pool, user_id)
    before = 0 if stored is None else stored.games - len(found)
    return tuple(
        _to_change(row, games, stored) for games, row in enumerate(found, start=before + 1)
    )


def load_profile(connection: Connection, user_id: int, now: datetime) -> Profile:
    """Return a player's profile."""
    given = {"given_player_id": user_id}
    stored = rows.list_ratings(connection, user_id)
    solver = puzzles.find_solver(connection, user_id)
    records = count_records(rows.read_as(connection, TallyRow, _TALLY, **given))
    longest_won = connection.execute(_LONGEST_WON, given).scalar() or 0
    deeds = achievements.Deeds(
        records=records,
        people_met=connection.execute(_PEOPLE_MET, given).scalar_one(),
        longest_won=longest_won,
        fewest_plies_won=connection.execute(_FEWEST_PLIES_WON, given).scalar_one(),
        rated_games=sum(row.games for row in stored),
        best_rating=max((row.best for row in stored if row.best is not None), default=None),
    )
    return Profile(
        ratings=tuple(to_player_rating(row, now) for row in stored),
        records=records,
        streak=rows.find_as(connection, Streak, _LAST_STREAK, **given),
        longest_won=longest_won,
        form=_read_form(connection, user_id, Wanted(), FORM_LENGTH),
        opponents=tuple(map(_to_head, connection.execute(_OPPONENTS, given))),
        achievements=achievements.earned(deeds),
        puzzles=None if solver is None else solver.at(now),
        daily=puzzles.load_streak(connection, user_id, now),
    )


def load_between(connection: Connection, user_id: int, other_id: int) -> Between:
    """Return the finished games of two people, from the first one's point of view."""
    tally = _TALLY.where(OTHER.c.player_id == other_id)
    return Between(
        records=count_records(rows.read_as(connection, TallyRow, tally, given_player_id=user_id)),
        form=_read_form(connection, user_id, Wanted(opponent_id=other_id), BETWEEN_LENGTH),
    )


def find_name(connection: Connection, player_id: int) -> str | None:
    """Return a player's last known name; None if they have never played."""
    return connection.execute(select(player.c.name).where(player.c.id == player_id)).scalar()


def _read_form(
    connection: Connection, user_id: int, wanted: Wanted, length: int
) -> tuple[str, ...]:
    last = history.list_history(connection, user_id, wanted, limit=length)
    return tuple(entry.result for entry in reversed(last))


def to_player_rating(row: RatingRow, now: datetime) -> PlayerRating:
    """Return a rating as it is at this moment."""
    return PlayerRating(
        pool=row.pool,
        rating=current_rating(row, now),
        games=row.games,
        best=row.best,
        is_placed=row.placed_after is not None,
    )


def _to_change(row: ChangeRow, games: int, stored: RatingRow | None) -> RatingChange:
    """Return a change as it is shown; its match was the player's game number `games`."""
    return RatingChange(
        player_id=row.player_id,
        before=Rating(
            value=row.value_before,
            deviation=row.deviation_before,
            volatility=row.volatility_before,
        ),
        after=Rating(
            value=row.value_after, deviation=row.deviation_after, volatility=row.volatility_after
        ),
        changed_at=row.changed_at,
        games=games,
        placed_after=None if stored is None else stored.placed_after,
    )


def _to_head(row: Row[Any]) -> HeadToHead:
    record = Record(won=row.won, drawn=row.drawn, lost=row.lost)
    return HeadToHead(player_id=row.player_id, name=row.name, record=record)


_RESULT: Final = case(
    (match.c.winner.is_(None), DRAWN), (match.c.winner == seat.c.side, WON), else_=LOST
)
_IS_MINE: Final = and_(
    seat.c.player_id == bindparam("given_player_id"),
    match.c.status == MatchStatus.FINISHED,
    # Somebody in both seats has played nobody.
    OTHER.c.player_id.is_distinct_from(seat.c.player_id),
)

_TALLY: Final = (
    select(
        match.c.variant_key,
        seat.c.side,
        OTHER.c.level,
        _RESULT.label("result"),
        func.count().label("count"),
    )
    .select_from(BOTH)
    .where(_IS_MINE)
    .group_by(match.c.variant_key, seat.c.side, OTHER.c.level, _RESULT)
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
    .select_from(BOTH)
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
_LAST_STREAK: Final = (
    select(_STREAKS.c.result, _STREAKS.c.length)
    .order_by(_STREAKS.c.last_at.desc(), _STREAKS.c.last_id.desc())
    .limit(1)
)
_LONGEST_WON: Final = select(func.max(_STREAKS.c.length)).where(_STREAKS.c.result == WON)


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
    .select_from(BOTH.join(player, player.c.id == OTHER.c.player_id))
    .where(_IS_MINE)
    .group_by(player.c.id, player.c.name)
    .order_by(func.count().desc(), player.c.id)
    .limit(OPPONENT_COUNT)
)
_PEOPLE_MET: Final = (
    select(func.count(OTHER.c.player_id.distinct())).select_from(BOTH).where(_IS_MINE)
)
_FEWEST_PLIES_WON: Final = (
    select(func.min(match.c.ply))
    .select_from(BOTH)
    .where(_IS_MINE, _RESULT == WON, match.c.end_reason == "board")
)
