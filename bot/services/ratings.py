"""Everything that can be asked about ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.clock import Clock, system_clock
from bot.model.ratings import pools
from bot.model.ratings.pools import Reason
from bot.model.ratings.profile import Between, Profile
from bot.model.ratings.values import BoardKind, MatchRating, Period, RatingChange
from bot.storage import history, leaderboards, profiles
from bot.storage.history import HistoryRow, Wanted
from bot.storage.leaderboards import Board
from bot.storage.profiles import find_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.model.ratings.values import BoardKey, BoardView
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
    """The ratings of all players, and the results of their games.

    Args:
        database: Where they are kept.
        clock: Tells the time; ratings become less certain with it.
    """

    database: Database
    clock: Clock = system_clock

    # Before and after a match.

    def why_not_rated(self, rules: Rules, user_ids: Iterable[int]) -> Reason | None:
        """Return why a match that starts now could not be rated; None if it can."""
        return pools.why_not_before(rules, user_ids, self.clock())

    async def changes_of(self, match_id: int) -> MatchRating | None:
        """Return what a match meant for ratings; None if it is casual, or not over."""
        return await self.database.read(profiles.find_match_rating, match_id)

    # Leaderboards.

    async def view_of(
        self,
        user_id: int,
        pool: str,
        *,
        guild_id: int | None = None,
        period: Period = Period.ALL,
        kind: BoardKind = BoardKind.RATING,
        after: BoardKey | None = None,
        before: BoardKey | None = None,
        around: bool = False,
        limit: int = 10,
    ) -> BoardView:
        """Return a page of a leaderboard of the pool, and the viewer's place on it.

        Args:
            user_id: Who looks.
            pool: The key of the variant.
            guild_id: Only players who have played in this server; None for all who qualify.
            period: The ratings themselves, or what was won in the last days.
            kind: Whether it is ordered by ratings or by games won; the latter only in a server.
            after: The page below this entry; None for the first.
            before: The page above this entry; not together with `after`.
            around: The page with the viewer's own entry, if they are on the leaderboard.
            limit: The length of the page.

        Raises:
            ValueError: If both `after` and `before` are given.
        """
        board = Board(pool=pool, now=self.clock(), guild_id=guild_id, period=period, kind=kind)
        return await self.database.read(
            leaderboards.view,
            board,
            user_id,
            after=after,
            before=before,
            around=around,
            limit=limit,
        )

    # A player's games.

    async def name_of(self, user_id: int) -> str | None:
        """Return a player's last known name; None if they have never played."""
        return await self.database.read(find_name, user_id)

    async def between(self, user_id: int, other_id: int) -> Between:
        """Return the finished games of two people, from the view of the first."""
        return await self.database.read(profiles.load_between, user_id, other_id)

    async def profile_of(self, user_id: int) -> Profile:
        """Return what is known of a player, empty if they have never played."""
        return await self.database.read(profiles.load_profile, user_id, self.clock())

    async def points_of(
        self, user_id: int, pool: str, limit: int = GRAPH_LENGTH
    ) -> tuple[RatingChange, ...]:
        """Return a player's last rating changes in a pool, oldest first."""
        return await self.database.read(profiles.load_points, user_id, pool, limit)

    async def history_of(
        self,
        user_id: int,
        filters: Wanted | None = None,
        before: int | None = None,
        limit: int = 10,
        *,
        after: int | None = None,
    ) -> HistoryPage:
        """Return a page of a player's finished matches, the newest first.

        `before` and `after` are those of the page next to it, one of them at most.
        """
        wanted = Wanted() if filters is None else filters
        # One more than asked for says whether there is another page.
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
