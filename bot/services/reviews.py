"""Reviews of finished matches: thought out once, however many ask."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import structlog
from cachetools import LRUCache

from bot.clock import Clock, system_clock
from bot.storage import reviews as rows

if TYPE_CHECKING:
    from bot.model.match import Match
    from bot.services.analyst import Analyst
    from bot.storage import Database
    from engine import Analysis

log = structlog.get_logger(__name__)

MOST_KEPT: Final = 64
"""So many whole reviews stay in memory, some 50 KB each for the longest games."""


class ReviewBook:
    """What the analyst has found out about finished matches.

    A whole review is kept for a while; how the chances went is stored, so that
    a replay shows it whenever it is watched.

    Args:
        database: Where the chances are kept.
        analyst: Who thinks.
        clock: Tells when a review was made.
    """

    def __init__(self, database: Database, analyst: Analyst, clock: Clock = system_clock) -> None:
        self._database = database
        self._analyst = analyst
        self._clock = clock
        self._known: LRUCache[int, Analysis] = LRUCache(MOST_KEPT)
        self._running: dict[int, asyncio.Task[Analysis]] = {}

    async def review(self, match: Match) -> Analysis:
        """Analyse a finished match; takes seconds the first time.

        Many who ask for the same match at once wait for the same review.

        Raises:
            RestartingError: If the bot is stopping.
        """
        known = self._known.get(match.id)
        if known is not None:
            return known
        task = self._running.get(match.id)
        if task is None:
            task = asyncio.create_task(self._make(match))
            self._running[match.id] = task
            task.add_done_callback(lambda done: self._finished(match.id, done))
        # Who stops waiting must not stop the others' review.
        return await asyncio.shield(task)

    async def chances_of(self, match_id: int) -> tuple[float, ...] | None:
        """Return what X could expect in each position from the opening on.

        None if the match was never reviewed.
        """
        return await self._database.read(rows.find_chances, match_id)

    async def _make(self, match: Match) -> Analysis:
        analysis = await self._analyst.review(match.game)
        now = self._clock()
        await self._database.write(rows.save_chances, match.id, analysis.chances, now)
        self._known[match.id] = analysis
        return analysis

    def _finished(self, match_id: int, task: asyncio.Task[Analysis]) -> None:
        del self._running[match_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            # Whoever waits is told; nobody may be waiting any more.
            log.info("review failed", match=match_id, error=type(error).__name__)
