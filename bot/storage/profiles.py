"""What is told of a player and of a match's ratings, put together from what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.model.ratings import achievements
from bot.model.ratings.glicko import Rating
from bot.model.ratings.pools import Reason
from bot.model.ratings.profile import Between, HeadToHead, Profile, Record, Streak, count_records
from bot.model.ratings.rating import current_rating
from bot.model.ratings.values import MatchRating, PlayerRating, RatingChange
from bot.storage import history, statistics
from bot.storage import ratings as rows
from bot.storage.history import Wanted

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.model.ratings.stored import ChangeRow, RatingRow
    from bot.model.ratings.tally import OpponentRow, StreakRow

FORM_LENGTH: Final = 10
BETWEEN_LENGTH: Final = 20
OPPONENT_COUNT: Final = 5


def find_match_rating(connection: Connection, match_id: int) -> MatchRating | None:
    """Return what a match meant for ratings; None if it is casual, or not over."""
    verdict = rows.find_rated_match(connection, match_id)
    if verdict is None:
        return None
    changes = tuple(map(to_change, rows.list_changes(connection, match_id)))
    reason = None if verdict.reason is None else Reason(verdict.reason)
    return MatchRating(reason=reason, changes=changes)


def load_profile(
    connection: Connection, user_id: int, versus: int | None, now: datetime
) -> Profile:
    """Return what is known of a player, and how it went against another."""
    stored = rows.list_ratings(connection, user_id)
    records = count_records(statistics.tally(connection, user_id))
    longest = statistics.longest_won(connection, user_id)
    last = history.list_history(connection, user_id, Wanted(), limit=FORM_LENGTH)
    opponents = statistics.list_opponents(connection, user_id, OPPONENT_COUNT)
    met = None if versus is None else statistics.find_opponent(connection, user_id, versus)
    deeds = achievements.Deeds(
        records=records,
        people_met=statistics.count_people_met(connection, user_id),
        longest_won=0 if longest is None else longest.length,
        fewest_plies_won=statistics.fewest_plies_won(connection, user_id),
        rated_games=sum(row.games for row in stored),
        best_rating=max((row.best for row in stored if row.best is not None), default=None),
    )
    return Profile(
        player_id=user_id,
        ratings=tuple(to_player_rating(row, row.pool, user_id, now) for row in stored),
        records=records,
        streak=_to_streak(statistics.last_streak(connection, user_id)),
        longest_won=_to_streak(longest),
        form=tuple(entry.result for entry in reversed(last)),
        opponents=tuple(map(_to_head, opponents)),
        versus=None if met is None else _to_head(met),
        achievements=achievements.earned(deeds),
    )


def load_between(connection: Connection, user_id: int, other_id: int) -> Between:
    """Return the finished games of two people, from the view of the first."""
    wanted = Wanted(opponent_id=other_id)
    last = history.list_history(connection, user_id, wanted, limit=BETWEEN_LENGTH)
    return Between(
        records=count_records(statistics.tally(connection, user_id, other_id)),
        form=tuple(entry.result for entry in reversed(last)),
    )


def to_player_rating(row: RatingRow | None, pool: str, user_id: int, now: datetime) -> PlayerRating:
    """Return a rating as it is at this moment; a new player's if none is stored."""
    return PlayerRating(
        pool=pool,
        player_id=user_id,
        rating=current_rating(row, now),
        games=0 if row is None else row.games,
        best=None if row is None else row.best,
        last_game_at=None if row is None else row.last_game_at,
    )


def to_change(row: ChangeRow) -> RatingChange:
    """Return what a match has made of a rating."""
    return RatingChange(
        match_id=row.match_id,
        player_id=row.player_id,
        pool=row.pool,
        before=Rating(
            value=row.value_before,
            deviation=row.deviation_before,
            volatility=row.volatility_before,
        ),
        after=Rating(
            value=row.value_after, deviation=row.deviation_after, volatility=row.volatility_after
        ),
        changed_at=row.changed_at,
    )


def _to_streak(row: StreakRow | None) -> Streak | None:
    if row is None:
        return None
    return Streak(result=row.result, length=row.length, last_at=row.last_at)


def _to_head(row: OpponentRow) -> HeadToHead:
    record = Record(won=row.won, drawn=row.drawn, lost=row.lost)
    return HeadToHead(player_id=row.player_id, name=row.name, record=record)
