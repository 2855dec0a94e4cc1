"""The one writer: every change of the database is made by this one task.

Callers hand in jobs and wait. The writer takes what has queued up, up to a limit,
and stores it in one transaction, so that one fsync serves many moves. A savepoint
around each job lets one fail without the others. Since no caller holds a
connection, cancelling a caller cannot leave a transaction half done.

A group runs as a whole in a thread of its own. An asynchronous driver would go to
its thread and back for every single statement, some fifteen times a move.
"""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import structlog
from sqlalchemy.exc import OperationalError

from bot.errors import RestartingError, StorageFailedError
from bot.operations import look_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection, Engine

T = TypeVar("T")

# At some 90 microseconds a job a full group takes as long as a few slow fsyncs: beyond
# that, jobs would wait for each other longer than they would for the disk.
MAX_GROUP: Final = 256

# While many store at once the writer waits so long for more to come along: a transaction and
# the way to the thread and back cost as much as several moves. Whoever is alone never waits.
LINGER_S: Final = 0.004

_MACHINES_FAULTS: Final = (OperationalError, sqlite3.OperationalError)  # and not the job's

log = structlog.get_logger(__name__)


class TransactionLostError(Exception):
    """SQLite has rolled the whole transaction back by itself, as on a full disk."""


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    """One caller's change, and where it waits for the result.

    The caller's context goes along: what is refused is said in the caller's language.
    """

    change: Callable[[Connection], T]
    done: asyncio.Future[T]
    context: Context = field(default_factory=copy_context)
    result: T | None = None
    error: Exception | None = None

    def run(self, connection: Connection) -> None:
        """Make the change, in the writer's thread."""
        self.result = self.context.run(self.change, connection)

    def fail(self, cause: Exception) -> None:
        """Note that it could not be stored."""
        self.error = self.context.run(StorageFailedError)
        self.error.__cause__ = cause

    def settle(self) -> None:
        """Tell the caller, after the commit, what became of the job."""
        if self.error is not None:
            self.done.set_exception(self.error)
        else:
            self.done.set_result(self.result)  # type: ignore[arg-type]  # T may include None


@dataclass(slots=True, eq=False)
class Writer:
    """Owns the only connection that may change anything. Made in a running loop."""

    engine: Engine
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="storage-writer")
    )
    _queue: asyncio.Queue[_Job[Any] | None] = field(default_factory=asyncio.Queue)
    _task: asyncio.Task[None] = field(init=False)
    _closing: bool = False

    def __post_init__(self) -> None:
        self._task = asyncio.create_task(self._work(), name="storage writer")

    async def write(self, run: Callable[[Connection], T]) -> T:
        """Run a job in a transaction and return its result once that is on disk.

        The job runs in the writer's thread: it uses the connection it is given and
        values that do not change. If it raises, what it did is undone and the error
        is raised here. A caller that is cancelled stops waiting; its job is carried
        out all the same.

        Raises:
            RestartingError: If the database is being closed.
            StorageFailedError: If it could not be stored, as on a full disk.
        """
        if self._closing:
            raise RestartingError
        job = _Job(run, asyncio.get_running_loop().create_future())
        job.done.add_done_callback(look_at)
        self._queue.put_nowait(job)
        return await asyncio.shield(job.done)

    async def empty_log(self) -> bool:
        """Store what is in the log in the database and cut the log to nothing.

        Returns:
            Whether that was done; nothing has changed if somebody reads from the log still.

        Raises:
            RestartingError: If the database is being closed.
        """
        if self._closing:
            raise RestartingError
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, _empty_log, self.engine)

    async def close(self) -> None:
        """Carry out every job that was handed in, then close the connection."""
        self._closing = True
        self._queue.put_nowait(None)
        await asyncio.shield(self._task)
        await asyncio.get_running_loop().run_in_executor(self._thread, self.engine.dispose)
        self._thread.shutdown()

    async def _work(self) -> None:
        last, is_busy = False, False
        while not last:
            group, last = await self._next_group(is_busy)
            is_busy = len(group) > 1
            if group:
                await self._store(group)

    async def _next_group(self, is_busy: bool) -> tuple[list[_Job[Any]], bool]:
        """Wait for a job and take those that have queued up behind it.

        Args:
            is_busy: Whether more are likely to come along soon.

        Returns:
            The jobs, and whether they are the last ones.
        """
        group: list[_Job[Any]] = []
        entry = await self._queue.get()
        if is_busy and not self._closing:
            await asyncio.sleep(LINGER_S)
        while entry is not None:
            group.append(entry)
            if len(group) == MAX_GROUP or self._queue.empty():
                return group, False
            entry = self._queue.get_nowait()
        return group, True

    async def _store(self, group: Sequence[_Job[Any]]) -> None:
        """Store a group in one transaction and settle each of its jobs."""
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, _run_group, self.engine, group)
        except Exception as error:
            _log_failure("nothing of a group could be stored", error, jobs=len(group))
            for job in group:
                job.fail(error)
        for job in group:
            job.settle()


def _run_group(engine: Engine, group: Sequence[_Job[Any]]) -> None:
    with engine.begin() as connection:
        for job in group:
            _run_job(connection, job)
        _check_transaction(connection)


def _empty_log(engine: Engine) -> bool:
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        (patience_ms,) = driver.execute("PRAGMA busy_timeout").fetchone()
        # Whoever reads is not waited for here: every move would wait along.
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            is_busy, *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError as error:
            _log_failure("the log could not be emptied", error)
            return False
        finally:
            driver.execute(f"PRAGMA busy_timeout = {patience_ms}")
    return not is_busy


def _run_job(connection: Connection, job: _Job[Any]) -> None:
    # By the driver itself: the library's own savepoints cost as much as storing a move.
    driver: Any = connection.connection.driver_connection
    driver.execute("SAVEPOINT job")
    try:
        job.run(connection)
        driver.execute("RELEASE SAVEPOINT job")
    except Exception as error:
        _check_transaction(connection)
        driver.execute("ROLLBACK TO SAVEPOINT job")
        driver.execute("RELEASE SAVEPOINT job")
        if isinstance(error, _MACHINES_FAULTS):
            _log_failure("a job could not be stored", error)
            job.fail(error)
        else:
            job.error = error


def _log_failure(event: str, error: Exception, **facts: int) -> None:
    """Log what went wrong; in one line if it is the disk, which may go on for hours."""
    if isinstance(error, OperationalError):
        log.error(event, reason=str(error.orig), statement=error.statement, **facts)
    elif isinstance(error, sqlite3.OperationalError):
        log.error(event, reason=str(error), **facts)
    else:
        log.error(event, exc_info=error, **facts)


def _check_transaction(connection: Connection) -> None:
    """Make sure that the transaction is still there to be committed.

    On some errors SQLite rolls back everything, and goes on outside a transaction
    as if nothing had happened: the jobs before would be reported as stored.

    Raises:
        TransactionLostError: If it is gone.
    """
    driver = connection.connection.driver_connection
    if not getattr(driver, "in_transaction", True):
        raise TransactionLostError
