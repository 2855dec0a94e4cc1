"""The computer player: the engine's search in worker threads, within a budget."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, Self

import structlog

from bot.model.errors import ComputerFailedError, RestartingError
from bot.model.starting import find_level
from engine import choose_move

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from engine import Level, Position, SearchReport

    Search = Callable[[Position, Level, threading.Event, float], SearchReport]

# What a search gets that has waited its whole time away in the queue: enough to look.
_LEAST_SECONDS: Final = 0.02

log = structlog.get_logger(__name__)


class SearchStoppedError(Exception):
    """The search was told to stop because nobody needs its result any more."""


def _search_in(threads: int) -> Search:
    """Return a search that may use so many threads for one position."""

    def search(
        position: Position, level: Level, stop: threading.Event, max_seconds: float
    ) -> SearchReport:
        return choose_move(position, level, stop=stop, max_seconds=max_seconds, threads=threads)

    return search


class ComputerPlayers:
    """A pool of threads that think. Use it as a context manager.

    Args:
        threads: How many positions are thought about at once.
        seconds: The time from a request to its answer, waiting for a thread included.
        search_threads: How many threads think about one position where that is of use.
        search: What finds a move; replaced in tests.
    """

    def __init__(
        self,
        *,
        threads: int,
        seconds: float,
        search_threads: int = 1,
        search: Search | None = None,
    ) -> None:
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="computer")
        self._seconds = seconds
        self._search = search or _search_in(search_threads)
        self._stops: set[threading.Event] = set()
        self._closing = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def think(
        self, position: Position, level: int, *, stop: threading.Event | None = None
    ) -> SearchReport:
        """Think about `position` and return the move to make and what it is worth.

        Args:
            position: Must not be over.
            level: The number of a playing strength.
            stop: Set it to end the search early; it is set if the caller is cancelled.

        Raises:
            UnknownLevelError: If there is no such level.
            SearchStoppedError: If `stop` was set.
            RestartingError: If the pool is closing.
            ComputerFailedError: If the search broke; what it raised has been logged.
        """
        if self._closing:
            raise RestartingError
        strength = find_level(level)
        stop = threading.Event() if stop is None else stop
        deadline = time.monotonic() + self._seconds
        self._stops.add(stop)
        try:
            future = self._pool.submit(self._think, position, strength, stop, deadline)
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            stop.set()
            if not self._closing or not future.cancelled():
                raise
            # The pool was closed before the search began; the caller was not cancelled.
            raise RestartingError from None
        except SearchStoppedError:
            if self._closing:
                raise RestartingError from None
            raise
        except Exception as error:
            log.exception("search failed", level=level, ply=position.ply)
            raise ComputerFailedError from error
        finally:
            self._stops.discard(stop)

    async def close(self) -> None:
        """Stop every search and wait for the threads to end."""
        self._closing = True
        for stop in self._stops:
            stop.set()
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)

    def _think(
        self, position: Position, level: Level, stop: threading.Event, deadline: float
    ) -> SearchReport:
        """Search in the calling thread; what the time spent waiting for it has left."""
        if stop.is_set():
            raise SearchStoppedError
        seconds = max(_LEAST_SECONDS, deadline - time.monotonic())
        report = self._search(position, level, stop, seconds)
        if stop.is_set():  # broken off half way: the move was not thought through
            raise SearchStoppedError
        return report
