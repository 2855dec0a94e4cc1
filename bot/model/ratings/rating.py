"""What the end of a match does to ratings. Pure: facts in, changes out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
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
    """How the end of a match changes ratings: not at all if the verdict has a reason."""

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


def current_rating(row: RatingRow, now: datetime) -> Rating:
    """Return a stored rating as it is at this moment."""
    return glicko.after_time(Rating.of(row), now - row.last_game_at)


def _rate(
    match: Match, side: Side, facts: RatingFacts, now: datetime
) -> tuple[RatingRow, ChangeRow]:
    """Return the new rating of the player of a side, and what has changed in it."""
    pool = pools.pool_of(match.rules)
    assert pool is not None, "a game without a pool does not count"
    player_id, opponent = match.seats[side].player_id, match.seats[other(side)]
    assert player_id is not None, "the computer's rating is fixed"
    old = facts.ratings[side] or RatingRow(pool=pool, player_id=player_id, last_game_at=now)
    # Both from the moment before the end: neither change depends on the other's new rating.
    before = current_rating(old, now)
    if opponent.level is None:
        theirs = facts.ratings[other(side)]
        against = Rating() if theirs is None else current_rating(theirs, now)
        is_telling = pools.is_telling(0 if theirs is None else theirs.opponents)
    else:
        against, is_telling = rating_of_level(opponent.level, pool), pools.is_telling(None)
    score = _DRAWN if match.winner is None else _WON if match.winner == side else _LOST
    after = glicko.after_game(Rating.of(old), against, score, now - old.last_game_at)
    games, telling = old.games + 1, old.telling + is_telling
    opponents = old.opponents + (not facts.has_met[side])
    best, placed_after = old.best, old.placed_after
    if not pools.is_provisional(after):
        best = after.value if best is None else max(best, after.value)
    if placed_after is None and pools.is_placed(after, games):
        placed_after = games
    rating = replace(
        old,
        **asdict(after),
        games=games,
        opponents=opponents,
        telling=telling,
        best=best,
        last_game_at=now,
        listed_until=pools.listed_until(
            after, games=games, opponents=opponents, telling=telling, last_game_at=now
        ),
        won=old.won + (score == _WON),
        drawn=old.drawn + (score == _DRAWN),
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
