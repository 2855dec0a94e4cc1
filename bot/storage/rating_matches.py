"""Rating a match in the transaction that ends it: either both are stored or neither is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.model.ratings import pools
from bot.model.ratings.pools import PastGame
from bot.model.ratings.rating import RatingFacts, people_of, rate_match
from bot.storage import ratings as rows
from bot.storage.erasures import has_begun_anew

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.model.match import Match
    from bot.model.ratings.stored import RatingRow


def rate(connection: Connection, match: Match, now: datetime) -> None:
    """Store what the end of a match means for ratings, and who has been seen in its server.

    Nothing happens to the ratings by casual matches and by those that have been rated already.
    A match that was to be rated and does not count is remembered with the reason.
    """
    people = people_of(match)
    if match.guild_id is not None:
        rows.note_member(connection, match.guild_id, people, now)
    if not (match.rated and match.is_over and people):
        return
    if rows.find_rated_match(connection, match.id) is not None:
        return
    rated = rate_match(match, _load_facts(connection, match, people, now), now)
    rows.insert_rated_match(connection, rated.verdict)
    for rating in rated.ratings:
        rows.save_rating(connection, rating)
    for change in rated.changes:
        rows.insert_change(connection, change)
    if rated.ratings:
        rows.unlist_expired(connection, now)


def _load_facts(
    connection: Connection, match: Match, people: tuple[int, ...], now: datetime
) -> RatingFacts:
    pair_games, past = 0, []
    if len(people) == len(match.seats):
        first, second = people
        pair_games = rows.count_pair_games(connection, first, second, now - pools.PAIR_WITHIN)
    else:
        for row in rows.list_past_against_computer(connection, people[0], pools.REMEMBERED_GAMES):
            past.append(PastGame(opening=row.opening or "", winner=row.winner))
    pool = pools.pool_of(match.rules)
    ratings: list[RatingRow | None] = [None, None]
    has_met = [False, False]
    for side, seat in enumerate(match.seats):
        if pool is not None and seat.player_id is not None:
            opponent = match.seats[1 - side]
            ratings[side] = rows.find_rating(connection, pool, seat.player_id)
            has_met[side] = rows.has_met(
                connection,
                pool,
                seat.player_id,
                opponent_id=opponent.player_id,
                level=opponent.level,
            )
    since = match.created_at - pools.LEAST_ACCOUNT_AGE
    return RatingFacts(
        pair_games=pair_games,
        past=tuple(past),
        begun_anew=has_begun_anew(connection, people, since),
        ratings=(ratings[0], ratings[1]),
        has_met=(has_met[0], has_met[1]),
    )
