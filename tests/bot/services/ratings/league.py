"""People who play rated matches, directly in the tables and without a board.

A match is rated by its seats, its length, its winner and its rules: the moves here
are numbers that differ as much as a test wants.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import insert

from bot.model.match import Match, MatchStatus, Seat
from bot.model.ratings.values import RatingRow
from bot.services.ratings import RatingBook
from bot.storage.preferences import save_player
from bot.storage.profiles import to_player_rating
from bot.storage.ratings import find_rating, rate
from bot.storage.schema import match, seat
from engine import Position, Rules
from engine.records import EndReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from bot.model.ratings.values import BoardPage, PlayerRating, Standing
    from bot.storage import Database

T = TypeVar("T")

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
OLD_ACCOUNT = 100_000_000_000_000_000  # of 2015
GUILD = 500


def person(number: int) -> int:
    """Return the number of an account that is old enough."""
    return OLD_ACCOUNT + number


def account_made(when: datetime) -> int:
    """Return a number that Discord could have given out at `when`."""
    return ((when - datetime(2015, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)) << 22


async def rating_of(book: RatingBook, user_id: int, pool: str) -> PlayerRating:
    """Return somebody's current rating; a new player's rating if unknown."""
    row, now = await book.database.read(find_rating, pool, user_id), book.clock()
    new = RatingRow(pool=pool, player_id=user_id, last_game_at=now)
    return to_player_rating(row or new, now)


async def leaderboard(book: RatingBook, pool: str, **asked: Any) -> BoardPage:
    """Return a page of a leaderboard as a stranger sees it."""
    return (await book.view_of(person(0), pool, **asked)).page


async def rank_of(book: RatingBook, user_id: int, pool: str, **asked: Any) -> Standing:
    """Return somebody's place on a leaderboard, or why they have none."""
    return (await book.view_of(user_id, pool, **asked)).own


def level(number: int) -> Seat:
    return Seat(name=f"Computer, level {number}", level=number)


class League:
    """Ends matches on one connection, as the service does within a transaction."""

    def __init__(self, connection: Connection, book: RatingBook, now: datetime = START) -> None:
        self.connection = connection
        self.book = book
        self.now = now

    def wait(self, **length: float) -> None:
        self.now += timedelta(**length)

    def join(self, player_id: int, name: str | None = None) -> Seat:
        name = f"Player {player_id - OLD_ACCOUNT}" if name is None else name
        save_player(self.connection, player_id=player_id, name=name, seen_at=self.now)
        return Seat(name=name, player_id=player_id)

    def end(
        self,
        x: int | Seat,
        o: int | Seat,
        winner: int | None,
        *,
        rules: Rules | None = None,
        moves: tuple[int, ...] | None = None,
        rated: bool = True,
        guild_id: int | None = None,
    ) -> Match:
        """End a match between two people, or against the computer, and rate it."""
        seats = tuple(taken if isinstance(taken, Seat) else self.join(taken) for taken in (x, o))
        rules = Rules() if rules is None else rules
        match_id = self._insert(rules, seats, winner, rated, guild_id)
        moves = (match_id, *range(1, 30)) if moves is None else moves
        ended = self._match(match_id, rules, (seats[0], seats[1]), winner, moves, rated, guild_id)
        rate(self.connection, ended, self.now)
        return ended

    def _insert(
        self,
        rules: Rules,
        seats: tuple[Seat, ...],
        winner: int | None,
        rated: bool,
        guild_id: int | None,
    ) -> int:
        match_id: int = self.connection.execute(
            insert(match).returning(match.c.id),
            {
                "variant_key": rules.key,
                "rules": rules.key,
                "status": MatchStatus.FINISHED,
                "ply": 30,
                "winner": winner,
                "end_reason": EndReason.BOARD,
                "rated": int(rated),
                "guild_id": guild_id,
                "created_at": self.now,
                "updated_at": self.now,
                "ended_at": self.now,
            },
        ).scalar_one()
        self.connection.execute(
            insert(seat),
            [
                {
                    "match_id": match_id,
                    "side": side,
                    "player_id": taken.player_id,
                    "level": taken.level,
                }
                for side, taken in enumerate(seats)
            ],
        )
        return match_id

    def _match(
        self,
        match_id: int,
        rules: Rules,
        seats: tuple[Seat, Seat],
        winner: int | None,
        moves: tuple[int, ...],
        rated: bool,
        guild_id: int | None,
    ) -> Match:
        return Match(
            id=match_id,
            variant_key=rules.key,
            rules=rules,
            opening_code=None,
            seats=seats,
            moves=moves,
            events=(),
            position=Position.initial(Rules()),
            status=MatchStatus.FINISHED,
            winner=winner,
            end_reason=EndReason.BOARD,
            previous_id=None,
            guild_id=guild_id,
            channel_id=None,
            message_id=None,
            created_at=self.now,
            updated_at=self.now,
            ended_at=self.now,
            rated=rated,
        )


class Evening:
    """A league on an open database, and a book that uses the league's time."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.now = START
        self.book = RatingBook(database, lambda: self.now)

    async def play(self, happen: Callable[[League], T]) -> T:
        """Let matches end in one transaction, and time pass as they say."""

        def job(connection: Connection) -> tuple[T, datetime]:
            league = League(connection, self.book, self.now)
            return happen(league), league.now

        result, self.now = await self.database.write(job)
        return result
