"""The analyst: hints and reviews, thought out in a thread of their own.

One thread, so that a long review never takes the computer players' time.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, Self, TypeVar

from bot.model.errors import RestartingError
from engine import Analysis, Hint, Limit, analyse_game, best_moves

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from engine import Game, Position

T = TypeVar("T")

HINT_COUNT: Final = 3
HINT_SECONDS: Final = 0.8
REVIEW_SECONDS: Final = 8.0
"""What a whole review may take, shared by its positions."""

MOST_SECONDS_A_MOVE: Final = 0.15


class Analyst:
    """Thinks about positions that nobody waits in front of. Use it as a context manager."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="analyst")
        self._stop = threading.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)

    async def hints(self, position: Position) -> tuple[Hint, ...]:
        """Return the best moves of a position that is not over, best first.

        Raises:
            RestartingError: If the analyst is closing.
        """
        limit = Limit(seconds=HINT_SECONDS)
        return await self._run(lambda: best_moves(position, limit, HINT_COUNT, stop=self._stop))

    async def review(self, game: Game) -> Analysis:
        """Look a whole game over.

        Raises:
            RestartingError: If the analyst is closing.
        """
        seconds = min(MOST_SECONDS_A_MOVE, REVIEW_SECONDS / (len(game.moves) + 1))
        limit = Limit(seconds=seconds)
        found = await self._run(lambda: analyse_game(game, limit, stop=self._stop))
        if not found.complete:
            raise RestartingError
        return found

    async def _run(self, work: Callable[[], T]) -> T:
        if self._stop.is_set():
            raise RestartingError
        result = await asyncio.wrap_future(self._pool.submit(work))
        if self._stop.is_set():
            raise RestartingError
        return result
