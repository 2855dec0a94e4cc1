"""Everything that can be asked about ratings, and the one thing that changes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.clock import Clock, system_clock
from bot.ratings import achievements, applying, boards, pools
from bot.ratings.applying import current_rating
from bot.ratings.glicko import Rating
from bot.ratings.model import MatchRating, Period, PlayerRating, RatingChange
from bot.ratings.pools import Reason
from bot.ratings.profile import Between, HeadToHead, Profile, Record, Streak, count_records
from bot.storage import history, statistics
from bot.storage import ratings as rows
from bot.storage.history import HistoryRow, Wanted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.matches.model import Match
    from bot.ratings.model import BoardKey, BoardPage, BoardView, Standing
    from bot.storage import Database
    from bot.storage.statistics import OpponentRow, StreakRow
    from engine import Rules

FORM_LENGTH: Final = 10
BETWEEN_LENGTH: Final = 20
OPPONENT_COUNT: Final = 5
GRAPH_LENGTH: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage:
    """A page of finished matches.

    Attributes:
        entries: The newest first.
        before: Give this as `before` to get the next page; None on the last.
        after: Give this as `after` to get the page of newer ones; None on the first.
    """

    entries: tuple[HistoryRow, ...]
    before: int | None
    after: int | None = None


@dataclass(frozen=True, slots=True)
class RatingBook:
    """The ratings of all players, and what their games came to.

    Args:
        database: Where they are kept.
        clock: Tells the time, by which ratings become unsure.
    """

    database: Database
    clock: Clock = system_clock

    # Changing.

    def apply(self, connection: Connection, match: Match, now: datetime) -> None:
        """Rate a match that has just ended, in the transaction that ends it.

        Nothing happens to casual matches and to those that have been rated already. A
        match that was to be rated and does not count is remembered with the reason.
        """
        applying.apply(connection, match, now)

    async def note_member(self, user_id: int, guild_id: int) -> None:
        """Remember that a player is in a server, so that its leaderboard shows them.

        Somebody who has never played is not remembered: there is nothing to show.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now = self.clock()
        await self.database.write(lambda c: rows.note_known_member(c, guild_id, user_id, now))

    async def forget_member(self, user_id: int, guild_id: int) -> None:
        """Take somebody from a server's leaderboard, as when they have left it.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        await self.database.write(lambda c: rows.forget_member(c, guild_id, user_id))

    async def delete_player(self, user_id: int) -> None:
        """Forget somebody's ratings; those of their opponents stay as they are.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        await self.database.write(lambda c: rows.delete_player(c, user_id))

    # Before and after a match.

    def why_not_rated(self, rules: Rules, user_ids: Iterable[int]) -> Reason | None:
        """Return why a match that starts now could not be rated; None if it can."""
        return pools.why_not_before(rules, user_ids, self.clock())

    async def rating_of(self, user_id: int, pool: str) -> PlayerRating:
        """Return how strong somebody is thought to be now; a new player's rating if unknown."""
        row = await self.database.read(lambda c: rows.find_rating(c, pool, user_id))
        return _player_rating(row, pool, user_id, self.clock())

    async def changes_of(self, match_id: int) -> MatchRating | None:
        """Return what a match meant for ratings; None if it is casual, or not over."""
        return await self.database.read(lambda c: _match_rating(c, match_id))

    # Leaderboards.

    async def leaderboard(
        self,
        pool: str,
        *,
        guild_id: int | None = None,
        period: Period = Period.ALL,
        after: BoardKey | None = None,
        before: BoardKey | None = None,
        limit: int = 10,
    ) -> BoardPage:
        """Return a page of a leaderboard.

        Args:
            pool: The key of the variant.
            guild_id: Whose members only; None for everybody.
            period: The ratings themselves, or what was won in the last days.
            after: The page below this entry; None for the first.
            before: The page above this entry; not together with `after`.
            limit: The length of the page.

        Raises:
            ValueError: If both `after` and `before` are given.
        """
        board = boards.board_of(pool, guild_id, period, self.clock())
        return await self.database.read(
            lambda c: boards.page(c, board, after=after, before=before, limit=limit)
        )

    async def view_of(
        self,
        user_id: int,
        pool: str,
        *,
        guild_id: int | None = None,
        period: Period = Period.ALL,
        after: BoardKey | None = None,
        before: BoardKey | None = None,
        around: bool = False,
        limit: int = 10,
    ) -> BoardView:
        """Return a page of a leaderboard as somebody sees it: with where they are on it.

        Args:
            user_id: Who looks.
            pool: The key of the variant.
            guild_id: Whose members only; None for everybody.
            period: The ratings themselves, or what was won in the last days.
            after: The page below this entry; None for the first.
            before: The page above this entry; not together with `after`.
            around: The page they are on themselves, if they are on the leaderboard.
            limit: The length of the page.

        Raises:
            ValueError: If both `after` and `before` are given.
        """
        board = boards.board_of(pool, guild_id, period, self.clock())
        return await self.database.read(
            lambda c: boards.view(
                c, board, user_id, after=after, before=before, around=around, limit=limit
            )
        )

    async def rank_of(
        self,
        user_id: int,
        pool: str,
        guild_id: int | None = None,
        period: Period = Period.ALL,
    ) -> Standing:
        """Return where somebody is on a leaderboard, or what keeps them from it."""
        board = boards.board_of(pool, guild_id, period, self.clock())
        return await self.database.read(lambda c: boards.standing(c, board, user_id))

    # A player's games.

    async def name_of(self, user_id: int) -> str | None:
        """Return what somebody was last called; None if they have never played."""
        return await self.database.read(lambda c: statistics.find_name(c, user_id))

    async def between(self, user_id: int, other_id: int) -> Between:
        """Return the finished games of two people, from the view of the first."""
        return await self.database.read(lambda c: _between(c, user_id, other_id))

    async def profile_of(self, user_id: int, *, versus: int | None = None) -> Profile:
        """Return what is known of a player, empty if they have never played.

        Args:
            user_id: Who.
            versus: With how it went against this person.
        """
        now = self.clock()
        return await self.database.read(lambda c: _profile(c, user_id, versus, now))

    async def points_of(
        self, user_id: int, pool: str, limit: int = GRAPH_LENGTH
    ) -> tuple[RatingChange, ...]:
        """Return somebody's last changes in a pool, oldest first: the points of a graph."""
        found = await self.database.read(lambda c: rows.list_graph(c, user_id, pool, limit))
        return tuple(map(_to_change, found))

    async def history_of(
        self,
        user_id: int,
        filters: Wanted | None = None,
        before: int | None = None,
        limit: int = 10,
        *,
        after: int | None = None,
    ) -> HistoryPage:
        """Return a page of somebody's finished matches, the newest first.

        Args:
            user_id: Whose.
            filters: Which of them; None for all.
            before: What the page above has said; None for the first.
            limit: The length of the page.
            after: What a page of older ones has said; not together with `before`.
        """
        wanted = Wanted() if filters is None else filters
        # One more than asked for tells whether there is another page.
        found = await self.database.read(
            lambda c: history.list_history(
                c, user_id, wanted, before=before, after=after, limit=limit + 1
            )
        )
        more = len(found) > limit
        entries = tuple(found[-limit:] if after is not None else found[:limit])
        older, newer = (True, more) if after is not None else (more, before is not None)
        return HistoryPage(
            entries=entries,
            before=entries[-1].match_id if entries and older else None,
            after=entries[0].match_id if entries and newer else None,
        )


def _player_rating(
    row: rows.RatingRow | None, pool: str, user_id: int, now: datetime
) -> PlayerRating:
    return PlayerRating(
        pool=pool,
        player_id=user_id,
        rating=current_rating(row, now),
        games=0 if row is None else row.games,
        best=None if row is None else row.best,
        last_game_at=None if row is None else row.last_game_at,
    )


def _match_rating(connection: Connection, match_id: int) -> MatchRating | None:
    verdict = rows.find_rated_match(connection, match_id)
    if verdict is None:
        return None
    changes = tuple(map(_to_change, rows.list_changes(connection, match_id)))
    reason = None if verdict.reason is None else Reason(verdict.reason)
    return MatchRating(reason=reason, changes=changes)


def _to_change(row: rows.ChangeRow) -> RatingChange:
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


def _profile(connection: Connection, user_id: int, versus: int | None, now: datetime) -> Profile:
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
        ratings=tuple(_player_rating(row, row.pool, user_id, now) for row in stored),
        records=records,
        streak=_to_streak(statistics.last_streak(connection, user_id)),
        longest_won=_to_streak(longest),
        form=tuple(entry.result for entry in reversed(last)),
        opponents=tuple(map(_to_head, opponents)),
        versus=None if met is None else _to_head(met),
        achievements=achievements.earned(deeds),
    )


def _between(connection: Connection, user_id: int, other_id: int) -> Between:
    wanted = Wanted(opponent_id=other_id)
    last = history.list_history(connection, user_id, wanted, limit=BETWEEN_LENGTH)
    return Between(
        records=count_records(statistics.tally(connection, user_id, other_id)),
        form=tuple(entry.result for entry in reversed(last)),
    )


def _to_streak(row: StreakRow | None) -> Streak | None:
    if row is None:
        return None
    return Streak(result=row.result, length=row.length, last_at=row.last_at)


def _to_head(row: OpponentRow) -> HeadToHead:
    record = Record(won=row.won, drawn=row.drawn, lost=row.lost)
    return HeadToHead(player_id=row.player_id, name=row.name, record=record)
