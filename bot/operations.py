"""Work that is finished once it has been begun, whoever stops waiting for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from bot.model.errors import RestartingError

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class Operations:
    """Runs each operation as a task of its own, shielded from its caller.

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
        task.add_done_callback(self._running.discard)
        task.add_done_callback(look_at)
        return await asyncio.shield(task)

    def check_open(self) -> None:
        """Make sure that operations are taken still.

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
    """Look at a result that nobody may be waiting for any more.

    Asyncio takes an error that was never looked at for a mistake; here it is the
    error of a caller who was cancelled.
    """
    if not done.cancelled():
        done.exception()
