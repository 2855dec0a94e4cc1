"""The analyst: hints, refutations and reviews, in threads of its own.

So they never take the computer players' threads.
"""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import TYPE_CHECKING, Final, Self, TypeVar

import structlog
from cachetools import LRUCache

from bot.clock import Clock, system_clock
from bot.model.errors import RestartingError
from bot.operations import Workers
from bot.storage import history as rows
from engine import (
    Analysis,
    Hint,
    Limit,
    Refutation,
    analyse_game,
    best_moves,
    refute,
    restored_analysis,
)

if TYPE_CHECKING:
    from bot.cluster import Cluster
    from bot.model.match import Match
    from bot.storage import Database
    from engine import Game, Position


T = TypeVar("T")

HINT_COUNT: Final = 3
HINT_SECONDS: Final = 0.8
REFUTATION_SECONDS: Final = 0.05
REVIEW_SECONDS: Final = 8.0
"""How long a whole review may take, shared by its positions."""

MOST_SECONDS_A_MOVE: Final = 0.15

LONGEST_WAIT_S: Final = 40.0
"""Anybody whose review or hint would take longer to begin is told to come back later."""


class Analyst:
    """Thinks about positions that no game waits for. Use it as a context manager.

    Raises an OverloadedError if too many wait already, and a RestartingError if it is closing.

    Args:
        cluster: Workers elsewhere that do so while they are there.
    """

    def __init__(self, cluster: Cluster | None = None) -> None:
        self._cluster = cluster
        self.workers = Workers(
            "analyst", threads=1, quick_s=HINT_SECONDS, longest_wait_s=LONGEST_WAIT_S
        )
        self._stop = threading.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._stop.set()
        await self.workers.close()

    async def hints(self, position: Position, *, who: int | None = None) -> tuple[Hint, ...]:
        """Return the best moves of a position that is not over, best first; `who` has asked."""
        limit = Limit(seconds=HINT_SECONDS)
        hints = partial(best_moves, position, limit, HINT_COUNT)
        return await self._run(hints, HINT_SECONDS, who)

    async def refutation(self, position: Position, *, who: int | None = None) -> Refutation:
        """Return the reply to the last move, a wrong one in a puzzle; `who` has tried it."""
        return await self._run(partial(refute, position), REFUTATION_SECONDS, who)

    async def review(self, game: Game, *, who: int | None = None) -> Analysis:
        """Analyse a whole game, because `who` has asked."""
        positions = len(game.moves) + 1
        seconds = min(MOST_SECONDS_A_MOVE, REVIEW_SECONDS / positions)
        review = partial(analyse_game, game, Limit(seconds=seconds))
        found = await self._run(review, max(seconds * positions, 2 * HINT_SECONDS), who)
        if not found.complete:
            raise RestartingError
        return found

    async def _run(self, work: partial[T], expected_s: float, who: int | None) -> T:
        result = None
        if self._cluster is not None:
            result = await self._cluster.ask(
                work, expected_s=expected_s, longest_wait_s=LONGEST_WAIT_S, who=who
            )
        if result is None:
            here = partial(work, stop=self._stop)
            result = await self.workers.run(here, expected_s=expected_s, who=who)
        if self._stop.is_set():
            raise RestartingError
        return result


log = structlog.get_logger(__name__)

MOST_KEPT: Final = 64
"""How many whole reviews stay in memory, about 50 KB each for the longest games."""


class ReviewBook:
    """The analyst's reviews of finished matches.

    The chances and the best moves are stored: a match is analysed once, and everybody
    who looks at it later gets the same review.
    """

    def __init__(self, database: Database, analyst: Analyst, clock: Clock = system_clock) -> None:
        self._database = database
        self._analyst = analyst
        self._clock = clock
        self._known: LRUCache[int, Analysis] = LRUCache(MOST_KEPT)
        self._running: dict[int, asyncio.Task[Analysis]] = {}

    async def review(self, match: Match, *, who: int | None = None) -> Analysis:
        """Analyse a finished match for `who`; takes seconds the first time.

        Everybody who asks for the same match at once waits for the same review. Errors are the
        analyst's.
        """
        known = self._known.get(match.id)
        if known is not None:
            return known
        stored = await self._database.read(rows.find_review, match.id)
        if stored is not None and len(stored.best_moves) == len(stored.chances) - 1:
            return await self._remembered(match, stored)
        task = self._running.get(match.id)
        if task is None:
            task = asyncio.create_task(self._make(match, who))
            self._running[match.id] = task
            task.add_done_callback(lambda done: self._finished(match.id, done))
        # A caller who stops waiting must not stop the others' review.
        return await asyncio.shield(task)

    async def chances_of(self, match_id: int) -> tuple[float, ...] | None:
        """Return X's chances in each position from the opening on.

        None if the match was never reviewed.
        """
        stored = await self._database.read(rows.find_review, match_id)
        return None if stored is None else stored.chances

    async def _make(self, match: Match, who: int | None) -> Analysis:
        analysis = await self._analyst.review(match.game, who=who)
        best_moves = tuple(each.best_move for each in analysis.reviews)
        chances = tuple(round(chance, 3) for chance in analysis.chances)
        found = rows.StoredReview(chances, best_moves)
        await self._database.write(rows.save_review, match.id, found, self._clock())
        return await self._remembered(match, found)

    async def _remembered(self, match: Match, found: rows.StoredReview) -> Analysis:
        """Return the review that was stored: everybody sees the same, also after a restart."""
        restored = await asyncio.to_thread(
            restored_analysis, match.game, found.chances, found.best_moves
        )
        return self._known.setdefault(match.id, restored)

    def _finished(self, match_id: int, task: asyncio.Task[Analysis]) -> None:
        del self._running[match_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            # Callers that wait get the error; there may be none any more.
            log.info("review failed", match=match_id, error=type(error).__name__)
