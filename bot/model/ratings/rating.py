"""What the end of a match does to ratings. Pure: facts in, changes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.model.ratings import glicko, pools
from bot.model.ratings.glicko import Rating
from bot.model.ratings.pools import FinishedGame, PastGame
from bot.model.ratings.values import ChangeRow, RatedMatchRow, RatingRow, rating_of_level
from engine import Game, Side, other

if TYPE_CHECKING:
    from datetime import datetime

    from bot.model.match import Match

_WON: Final = 1.0
_DRAWN: Final = 0.5
_LOST: Final = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingFacts:
    """What was stored before a match ended.

    Attributes:
        pair_games: How many games of its two people have counted lately.
        past: The last games of its person against the computer.
        begun_anew: Whether one of its people has had their data deleted lately.
        ratings: Those of X and O in its pool; None before the first game there.
        has_met: Whether X and O have met this opponent in that pool.
    """

    pair_games: int = 0
    past: tuple[PastGame, ...] = ()
    begun_anew: bool = False
    ratings: tuple[RatingRow | None, RatingRow | None] = (None, None)
    has_met: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedMatch:
    """How the end of a match changes ratings.

    Attributes:
        verdict: Whether it counts.
        ratings: The new ratings of its people; none if it does not count.
        changes: What has changed in them.
    """

    verdict: RatedMatchRow
    ratings: tuple[RatingRow, ...] = ()
    changes: tuple[ChangeRow, ...] = ()


def people_of(match: Match) -> tuple[int, ...]:
    """Return the people who have a seat in a match."""
    return tuple(seat.player_id for seat in match.seats if seat.player_id is not None)


def rate_match(match: Match, facts: RatingFacts, now: datetime) -> RatedMatch:
    """Return how a match that was to be rated and has just ended changes ratings."""
    people = people_of(match)
    reason = pools.why_not(
        FinishedGame(
            rules=match.rules,
            people=people,
            started_at=match.created_at,
            moves_played=match.ply - len(Game(match.rules, match.opening_code).moves),
            opening=pools.opening_of(match.moves),
            winner=match.winner,
            pair_games=facts.pair_games,
            begun_anew=facts.begun_anew,
            past=facts.past,
        )
    )
    against_computer = len(people) < len(match.seats)
    rated = RatedMatch(
        verdict=RatedMatchRow(
            match_id=match.id,
            reason=reason,
            first_id=min(people),
            second_id=None if against_computer else max(people),
            opening=pools.opening_of(match.moves) if against_computer else None,
            winner=match.winner,
            ended_at=now,
        )
    )
    if reason is not None:
        return rated
    ratings, changes = [], []
    for side, seat in enumerate(match.seats):
        if seat.player_id is not None:
            rating, change = _rate(match, side, facts, now)
            ratings.append(rating)
            changes.append(change)
    return replace(rated, ratings=tuple(ratings), changes=tuple(changes))


def current_rating(row: RatingRow | None, now: datetime) -> Rating:
    """Return a stored rating as it is at this moment; a new player's if there is none."""
    if row is None:
        return Rating()
    stored = Rating(value=row.value, deviation=row.deviation, volatility=row.volatility)
    return glicko.after_time(stored, now - row.last_game_at)


def _rate(
    match: Match, side: Side, facts: RatingFacts, now: datetime
) -> tuple[RatingRow, ChangeRow]:
    """Return the new rating of the player of a side, and what has changed in it."""
    pool = pools.pool_of(match.rules)
    assert pool is not None, "a game without a pool does not count"
    player_id, opponent = match.seats[side].player_id, match.seats[other(side)]
    assert player_id is not None, "the computer's rating is fixed"
    stored, theirs = facts.ratings[side], facts.ratings[other(side)]
    # Both from the moment before the end: neither change depends on the other's new rating.
    before = current_rating(stored, now)
    against = (
        current_rating(theirs, now)
        if opponent.level is None
        else rating_of_level(opponent.level, pool)
    )
    score = _DRAWN if match.winner is None else _WON if match.winner == side else _LOST
    after = _after(stored, against, score, now)
    games = 1 if stored is None else stored.games + 1
    opponents = _opponents_of(stored) + (not facts.has_met[side])
    is_telling = pools.is_telling(_opponents_of(theirs) if opponent.level is None else None)
    telling = (0 if stored is None else stored.telling) + is_telling
    best = None if stored is None else stored.best
    if not pools.is_provisional(after):
        best = after.value if best is None else max(best, after.value)
    placed_after = None if stored is None else stored.placed_after
    if placed_after is None and pools.is_placed(after, games):
        placed_after = games
    rating = RatingRow(
        pool=pool,
        player_id=player_id,
        value=after.value,
        deviation=after.deviation,
        volatility=after.volatility,
        games=games,
        opponents=opponents,
        telling=telling,
        best=best,
        last_game_at=now,
        listed_until=pools.listed_until(
            after, games=games, opponents=opponents, telling=telling, last_game_at=now
        ),
        won=(0 if stored is None else stored.won) + (score == _WON),
        drawn=(0 if stored is None else stored.drawn) + (score == _DRAWN),
        placed_after=placed_after,
    )
    change = ChangeRow(
        match_id=match.id,
        player_id=player_id,
        pool=pool,
        opponent_id=opponent.player_id,
        level=opponent.level,
        value_before=before.value,
        deviation_before=before.deviation,
        volatility_before=before.volatility,
        value_after=after.value,
        deviation_after=after.deviation,
        volatility_after=after.volatility,
        changed_at=now,
    )
    return rating, change


def _opponents_of(row: RatingRow | None) -> int:
    return 0 if row is None else row.opponents


def _after(row: RatingRow | None, opponent: Rating, score: float, now: datetime) -> Rating:
    if row is None:
        return glicko.after_games(
            Rating(), (glicko.Encounter(opponent=opponent, score=score),), periods=0.0
        )
    stored = Rating(value=row.value, deviation=row.deviation, volatility=row.volatility)
    return glicko.after_game(stored, opponent, score, now - row.last_game_at)
