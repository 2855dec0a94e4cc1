"""What the end of a match does to ratings, in the transaction that ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.ratings import glicko, pools
from bot.ratings.computer import rating_of_level
from bot.ratings.glicko import Rating
from bot.ratings.pools import FinishedGame, PastGame, Reason
from bot.storage import ratings as rows
from bot.storage.erasing import has_begun_anew
from engine import Game

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.matches.model import Match, Seat

_WON: Final = 1.0
_DRAWN: Final = 0.5
_LOST: Final = 0.0


def apply(connection: Connection, match: Match, now: datetime) -> None:
    """Rate a match that has just ended; nothing if it is casual or has been rated.

    To be called in the transaction that ends the match: either both are stored or
    neither is.
    """
    people = tuple(seat.player_id for seat in match.seats if seat.player_id is not None)
    if match.guild_id is not None:
        rows.note_member(connection, match.guild_id, people, now)
    if not (match.rated and match.is_over and people):
        return
    if rows.find_rated_match(connection, match.id) is not None:
        return
    reason = _why_not(connection, match, people, now)
    _store_verdict(connection, match, people, reason, now)
    if reason is None:
        _rate(connection, match, now)


def current_rating(row: rows.RatingRow | None, now: datetime) -> Rating:
    """Return what a stored rating is worth at this moment; a new player's without one."""
    if row is None:
        return Rating()
    stored = Rating(value=row.value, deviation=row.deviation, volatility=row.volatility)
    return glicko.after_time(stored, now - row.last_game_at)


def _why_not(
    connection: Connection, match: Match, people: tuple[int, ...], now: datetime
) -> Reason | None:
    given = len(Game(match.rules, match.opening_code).moves)
    pair_games, past = 0, []
    if len(people) == len(match.seats):
        first, second = people
        since = now - pools.PAIR_WITHIN
        pair_games = rows.count_pair_games(connection, first, second, since)
    else:
        for row in rows.list_past_against_computer(connection, people[0], pools.REMEMBERED_GAMES):
            past.append(PastGame(opening=row.opening or "", winner=row.winner))
    return pools.why_not(
        FinishedGame(
            rules=match.rules,
            people=people,
            started_at=match.created_at,
            moves_played=match.ply - given,
            opening=pools.opening_of(match.moves),
            winner=match.winner,
            pair_games=pair_games,
            begun_anew=has_begun_anew(
                connection, people, match.created_at - pools.LEAST_ACCOUNT_AGE
            ),
            past=past,
        )
    )


def _store_verdict(
    connection: Connection,
    match: Match,
    people: tuple[int, ...],
    reason: Reason | None,
    now: datetime,
) -> None:
    against_computer = len(people) < len(match.seats)
    rows.insert_rated_match(
        connection,
        rows.RatedMatchRow(
            match_id=match.id,
            reason=reason,
            first_id=min(people),
            second_id=None if against_computer else max(people),
            opening=pools.opening_of(match.moves) if against_computer else None,
            winner=match.winner,
            ended_at=now,
        ),
    )


def _rate(connection: Connection, match: Match, now: datetime) -> None:
    """Change the ratings of a match's people by it."""
    pool = pools.pool_of(match.rules)
    assert pool is not None, "a game without a pool does not count"
    stored = [
        None if seat.player_id is None else rows.find_rating(connection, pool, seat.player_id)
        for seat in match.seats
    ]
    # Both from the moment before the end: no one's change goes by the other's new rating.
    before = [
        current_rating(row, now) if seat.level is None else rating_of_level(seat.level, pool)
        for seat, row in zip(match.seats, stored, strict=True)
    ]
    for side, seat in enumerate(match.seats):
        if seat.player_id is not None:
            score = _DRAWN if match.winner is None else _WON if match.winner == side else _LOST
            row, opponent = stored[side], match.seats[1 - side]
            after = _after(row, before[1 - side], score, now)
            telling = pools.is_telling(
                _opponents_of(stored[1 - side]) if opponent.level is None else None
            )
            _store_rating(
                connection, row, after, seat.player_id, pool, opponent, score, telling, now
            )
            _store_change(connection, match, seat.player_id, opponent, before[side], after, now)
    rows.unlist_expired(connection, now)


def _opponents_of(row: rows.RatingRow | None) -> int:
    return 0 if row is None else row.opponents


def _after(row: rows.RatingRow | None, opponent: Rating, score: float, now: datetime) -> Rating:
    if row is None:
        return glicko.after_games(
            Rating(), (glicko.Encounter(opponent=opponent, score=score),), periods=0.0
        )
    stored = Rating(value=row.value, deviation=row.deviation, volatility=row.volatility)
    return glicko.after_game(stored, opponent, score, now - row.last_game_at)


def _store_rating(
    connection: Connection,
    row: rows.RatingRow | None,
    after: Rating,
    player_id: int,
    pool: str,
    opponent: Seat,
    score: float,
    is_telling: bool,
    now: datetime,
) -> None:
    met = rows.has_met(
        connection, pool, player_id, opponent_id=opponent.player_id, level=opponent.level
    )
    games = 1 if row is None else row.games + 1
    opponents = _opponents_of(row) + (not met)
    telling = (0 if row is None else row.telling) + is_telling
    best = None if row is None else row.best
    if not pools.is_provisional(after):
        best = after.value if best is None else max(best, after.value)
    rows.save_rating(
        connection,
        rows.RatingRow(
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
            won=(0 if row is None else row.won) + (score == _WON),
            drawn=(0 if row is None else row.drawn) + (score == _DRAWN),
        ),
    )


def _store_change(
    connection: Connection,
    match: Match,
    player_id: int,
    opponent: Seat,
    before: Rating,
    after: Rating,
    now: datetime,
) -> None:
    pool = pools.pool_of(match.rules)
    assert pool is not None, "it has just been rated in one"
    rows.insert_change(
        connection,
        rows.ChangeRow(
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
        ),
    )
