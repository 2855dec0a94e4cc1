"""Work that is finished once it has begun, even if its caller is cancelled."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bot.model.errors import RestartingError

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class Operations:
    """Runs each operation as a task of its own, which goes on if its caller is cancelled.

    A caller that is cancelled between taking a lock and the end of a write would
    let the next one in too early; here only the waiting is cancelled.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._closing = False

    async def run(self, operation: Coroutine[Any, Any, T]) -> T:
        """Carry out `operation` and return what it returns.

        Raises:
            RestartingError: If `close` has been called.
        """
        try:
            self.check_open()
        except RestartingError:
            operation.close()
            raise
        task = asyncio.create_task(operation)
        self._running.add(task)
        # What `asyncio.shield` does, in half as many steps of the event loop.
        waiting: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        task.add_done_callback(partial(self._finish, waiting))
        return await waiting

    def _finish(self, waiting: asyncio.Future[T], done: asyncio.Task[T]) -> None:
        self._running.discard(done)
        if waiting.done():
            look_at(done)
        elif done.cancelled():
            waiting.cancel()
        elif (error := done.exception()) is not None:
            waiting.set_exception(error)
        else:
            waiting.set_result(done.result())

    def check_open(self) -> None:
        """Check that operations are accepted.

        Raises:
            RestartingError: If `close` has been called.
        """
        if self._closing:
            raise RestartingError

    async def close(self) -> None:
        """Take no more and wait until everything that was begun is done."""
        self._closing = True
        while self._running:
            await asyncio.wait(self._running)


def look_at(done: asyncio.Future[Any]) -> None:
    """Mark a result as seen that may have no caller any more.

    Asyncio would log an error that was never looked at; its caller was cancelled.
    """
    if not done.cancelled():
        done.exception()
