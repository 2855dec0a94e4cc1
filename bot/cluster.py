"""Searches on other machines: dask's workers, and this process's threads where none answers."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import structlog

from bot.host_errors import StartError
from bot.model.errors import OverloadedError, RestartingError
from bot.operations import WorkQueue, look_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from distributed import Client

T = TypeVar("T")

_GRACE: Final = 1.1
_GRACE_S: Final = 0.25
"""An answer may take its expected time by this factor, plus this many seconds."""

_LOOK_S: Final = 2.0
"""How often the workers are counted, and a lost scheduler is looked for."""

_PATIENCE_S: Final = 5.0

_STOP_S: Final = 0.5
"""The pause between attempts to cancel its task, until it ends."""

log = structlog.get_logger(__name__)


class _NoAnswerError(Exception):
    """The cluster is away, the worker has failed, or it is too late."""


@asynccontextmanager
async def open_cluster(address: str | None) -> AsyncIterator[Cluster | None]:
    """Use the workers of the scheduler at `address`, if any; see `check_installed`."""
    if address is None:
        yield None
        return
    check_installed()
    cluster = Cluster(address)
    staying = asyncio.create_task(cluster.stay(), name="cluster")
    try:
        yield cluster
    finally:
        await cluster.close()
        while not staying.done():  # dask swallows a cancellation while it closes a connection
            staying.cancel()
            await asyncio.wait({staying}, timeout=_STOP_S)


def check_installed() -> None:
    """Raise `StartError` if dask is not there; it is not imported."""
    if importlib.util.find_spec("distributed") is None:
        raise StartError(
            "SEARCH_URL sends searches to other machines. That needs distributed, which is not "
            "installed: pip install -r deploy/requirements-cluster.txt."
        )


class Cluster(WorkQueue):
    """The dask workers there are at the moment, and a queue of work for them.

    Args:
        address: Of the scheduler, such as `tcp://10.0.0.5:8786`.

    Attributes:
        threads: How many threads its workers have together; 0 while it is away.
        answered: How many answers have come.
        failed: How many have not come, or not in time.
    """

    def __init__(self, address: str) -> None:
        super().__init__(threads=1, most=1, quick_s=0.0)
        self._address = address
        self._client: Client | None = None
        self._asked: set[asyncio.Task[Any]] = set()
        self._is_said = False
        self.threads = self.answered = self.failed = 0

    @staticmethod
    def seconds_within(left_s: float) -> float:
        """Return how long work may take if its outcome is to be known within `left_s`."""
        return (left_s - _GRACE_S) / _GRACE

    async def ask(
        self,
        work: Callable[[], T],
        *,
        expected_s: float,
        longest_wait_s: float,
        who: int | None = None,
    ) -> T | None:
        """Have a worker call `work`, and return its result; all else is as for `run`.

        `work` is a function that can be imported there, with its arguments, which are sent along.
        They must limit how long it takes, as nothing stops it from here.

        Returns:
            None if there is no answer in time: the work has to be done here.

        Raises:
            RestartingError: If the bot is stopping.
        """
        if not self.threads:
            return None
        try:
            return await self.run(
                work, expected_s=expected_s, longest_wait_s=longest_wait_s, who=who
            )
        except (_NoAnswerError, OverloadedError):
            return None

    def _begin(self, work: Callable[[], T], expected_s: float) -> asyncio.Future[T]:
        task = asyncio.create_task(self._send(work, expected_s))
        self._asked.add(task)
        task.add_done_callback(self._asked.discard)
        return task

    async def _send(self, work: Callable[[], T], expected_s: float) -> T:
        if not self.threads or self._client is None or self._client.status != "running":
            raise _NoAnswerError
        try:
            # Where several bots share workers, the shortest goes first there too.
            asked = self._client.submit(work, pure=False, priority=-expected_s)
            try:
                result: T = await _in_time(asked, _GRACE * expected_s + _GRACE_S)
            finally:
                asked.release()  # if it was not begun it never will be
        except asyncio.CancelledError:
            raise RestartingError from None  # `close` alone does that
        except Exception as error:  # of any kind: the work is then done here, or fails here
            self.failed += 1
            log.info("no answer of a worker", reason=repr(error))
            raise _NoAnswerError from error
        self.answered += 1
        return result

    async def stay(self) -> None:
        """Stay connected, and reconnect whenever the scheduler is lost."""
        while True:
            reason = "the connection was lost"
            try:
                async with _connected(self._address) as self._client:
                    while self._client.status == "running":
                        self._count(await _count_threads(self._client))
                        await asyncio.sleep(_LOOK_S)
            except Exception as error:  # dask raises many kinds if there is no scheduler
                reason = str(error) or type(error).__name__
            self._client = None
            self._count(0, reason)
            await asyncio.sleep(_LOOK_S)

    def _count(self, threads: int, reason: str = "no worker is there") -> None:
        """Note how many threads there are; log when the first comes and the last goes."""
        if threads and not self.threads:
            log.info("searches go to workers", scheduler=self._address, threads=threads)
            self._is_said = False
        elif not threads and not self._is_said:
            log.warning("searches stay here", scheduler=self._address, reason=reason)
            self._is_said = True
        self.threads = threads
        self._threads = self._most = max(1, threads)  # if 0, waiting jobs run and learn of it
        self._give_turns()

    async def close(self) -> None:
        """Send no more work, and wait for no answers."""
        await super().close()
        for task in self._asked:
            task.cancel()


async def ask_workers(address: str) -> int:
    """Return how many threads a scheduler's workers have; raise `OSError` without an answer."""
    async with _connected(address) as client:
        return await _count_threads(client)


@asynccontextmanager
async def _connected(address: str) -> AsyncIterator[Client]:
    client_of = await asyncio.to_thread(_load)
    client = client_of(address, asynchronous=True, set_as_default=False, timeout=_PATIENCE_S)
    try:
        async with client:
            yield client
    finally:
        await client.close()  # dask does not if it is cancelled while it connects


def _load() -> Any:
    """Import dask, which takes half a second, and silence its log, which reports every attempt."""
    from distributed import Client

    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").addFilter(_is_ours)
    return Client


def _is_ours(record: logging.LogRecord) -> bool:
    """Return whether a line is not about a task that dask left behind when its scheduler died."""
    error = record.exc_info[1] if record.exc_info else None
    return not type(error).__module__.startswith("distributed.")


async def _count_threads(client: Client) -> int:
    threads = await _in_time(client.nthreads(), _PATIENCE_S)
    return sum(threads.values())


async def _in_time(answer: Awaitable[T], seconds: float) -> T:
    """Wait for dask, but no longer than `seconds`.

    It may swallow a cancellation and wait forever, or cancel itself: here only a cancellation by
    the caller counts as one.

    Raises:
        TimeoutError: If there is no answer by then, or there will be none.
    """
    waiting = asyncio.ensure_future(answer)
    waiting.add_done_callback(look_at)
    try:
        await asyncio.wait({waiting}, timeout=seconds)
    finally:
        is_done = waiting.done() and not waiting.cancelled()
        waiting.cancel()
    if not is_done:
        raise TimeoutError
    return waiting.result()
