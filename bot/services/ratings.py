"""Everything that can be asked about ratings, and the one thing that changes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.clock import Clock, system_clock
from bot.model.ratings import pools
from bot.model.ratings.pools import Reason
from bot.model.ratings.profile import Between, Profile
from bot.model.ratings.values import MatchRating, Period, PlayerRating, RatingChange
from bot.storage import boards, history, profiles, statistics
from bot.storage import ratings as rows
from bot.storage.history import HistoryRow, Wanted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.model.ratings.values import BoardKey, BoardPage, BoardView, Standing
    from bot.storage import Database
    from engine import Rules

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

    async def note_member(self, user_id: int, guild_id: int) -> None:
        """Remember that a player is in a server, so that its leaderboard shows them.

        Somebody who has never played is not remembered: there is nothing to show.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now = self.clock()
        await self.database.write(rows.note_known_member, guild_id, user_id, now)

    async def forget_member(self, user_id: int, guild_id: int) -> None:
        """Take somebody from a server's leaderboard, as when they have left it.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        await self.database.write(rows.forget_member, guild_id, user_id)

    async def delete_player(self, user_id: int) -> None:
        """Forget somebody's ratings; those of their opponents stay as they are.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        await self.database.write(rows.delete_player, user_id)

    # Before and after a match.

    def why_not_rated(self, rules: Rules, user_ids: Iterable[int]) -> Reason | None:
        """Return why a match that starts now could not be rated; None if it can."""
        return pools.why_not_before(rules, user_ids, self.clock())

    async def rating_of(self, user_id: int, pool: str) -> PlayerRating:
        """Return how strong somebody is thought to be now; a new player's rating if unknown."""
        row = await self.database.read(rows.find_rating, pool, user_id)
        return profiles.to_player_rating(row, pool, user_id, self.clock())

    async def changes_of(self, match_id: int) -> MatchRating | None:
        """Return what a match meant for ratings; None if it is casual, or not over."""
        return await self.database.read(profiles.find_match_rating, match_id)

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
        return await self.database.read(boards.page, board, after=after, before=before, limit=limit)

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
            boards.view, board, user_id, after=after, before=before, around=around, limit=limit
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
        return await self.database.read(boards.standing, board, user_id)

    # A player's games.

    async def name_of(self, user_id: int) -> str | None:
        """Return what somebody was last called; None if they have never played."""
        return await self.database.read(statistics.find_name, user_id)

    async def between(self, user_id: int, other_id: int) -> Between:
        """Return the finished games of two people, from the view of the first."""
        return await self.database.read(profiles.load_between, user_id, other_id)

    async def profile_of(self, user_id: int, *, versus: int | None = None) -> Profile:
        """Return what is known of a player, empty if they have never played.

        Args:
            user_id: Who.
            versus: With how it went against this person.
        """
        now = self.clock()
        return await self.database.read(profiles.load_profile, user_id, versus, now)

    async def points_of(
        self, user_id: int, pool: str, limit: int = GRAPH_LENGTH
    ) -> tuple[RatingChange, ...]:
        """Return somebody's last changes in a pool, oldest first: the points of a graph."""
        found = await self.database.read(rows.list_graph, user_id, pool, limit)
        return tuple(map(profiles.to_change, found))

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
            history.list_history, user_id, wanted, before=before, after=after, limit=limit + 1
        )
        more = len(found) > limit
        entries = tuple(found[-limit:] if after is not None else found[:limit])
        older, newer = (True, more) if after is not None else (more, before is not None)
        return HistoryPage(
            entries=entries,
            before=entries[-1].match_id if entries and older else None,
            after=entries[0].match_id if entries and newer else None,
        )
