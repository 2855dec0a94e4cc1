"""The one writer: every change of the database is made by this one task.

Callers hand in batches of rows, or functions of `bot.storage` that have to read before they
write. The writer takes what has queued up, up to a limit, and stores it in one transaction, so
that one fsync serves many moves. Rows of all batches go together: each statement runs once for a
group. Where that fails, the group is gone through again, each in a savepoint, so that one
conflict costs nobody else anything. Since no caller holds a connection, cancelling a caller
cannot leave a transaction half done.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Hashable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from bot.model.errors import RestartingError, StorageFailedError
from bot.storage.writes import Batch, put

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

T = TypeVar("T")
Procedure: TypeAlias = Callable[[Connection], T]
"""What has to read before it writes: runs alone, in a savepoint, between the batches."""

# Beyond that, batches would wait for each other longer than they would for the disk.
MAX_GROUP: Final = 256

# While many store at once the writer waits so long for more to come along: a transaction and
# the way to the driver's thread and back cost as much as many moves. Whoever is alone never waits.
LINGER_S: Final = 0.004

_MACHINES_FAULTS: Final = (OperationalError, sqlite3.OperationalError)  # and not the caller's

log = structlog.get_logger(__name__)


class TransactionLostError(Exception):
    """SQLite has rolled the whole transaction back by itself, as on a full disk."""


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    """What one caller wants written, and where the caller waits for the result.

    The caller's context goes along: what is refused is said in the caller's language.
    """

    what: Batch | Procedure[T]
    done: asyncio.Future[T]
    context: Context = field(default_factory=copy_context)
    result: T | None = None
    error: Exception | None = None

    @property
    def key(self) -> Hashable | None:
        """What it is about, if it may not share a group with another about the same."""
        return self.what.key if isinstance(self.what, Batch) else None

    async def run(self, connection: AsyncConnection) -> None:
        """Make the change."""
        if isinstance(self.what, Batch):
            await connection.run_sync(put, self.what.writes)
        else:
            self.result = await connection.run_sync(self._call, self.what)

    def _call(self, connection: Connection, procedure: Procedure[T]) -> T:
        return self.context.run(procedure, connection)

    def fail(self, cause: Exception) -> None:
        """Note that it could not be stored."""
        self.error = self.context.run(StorageFailedError)
        self.error.__cause__ = cause

    def settle(self) -> None:
        """Tell the caller, after the commit, what became of it; some have stopped waiting."""
        if self.done.cancelled():
            return
        if self.error is not None:
            self.done.set_exception(self.error)
        else:
            self.done.set_result(self.result)  # type: ignore[arg-type]  # T may include None


@dataclass(slots=True, eq=False)
class Writer:
    """Owns the only connection that may change anything. Made in a running loop."""

    engine: AsyncEngine
    _queue: asyncio.Queue[_Job[Any] | None] = field(default_factory=asyncio.Queue)
    _held: list[_Job[Any]] = field(default_factory=list)
    _task: asyncio.Task[None] = field(init=False)
    _closing: bool = False

    def __post_init__(self) -> None:
        self._task = asyncio.create_task(self._work(), name="storage writer")

    async def write(self, what: Batch | Procedure[T]) -> T:
        """Store a batch, or what a procedure makes of what it reads, and return its result.

        A procedure uses the connection it is given and values that do not change; if it
        raises, what it did is undone and the error is raised here. A caller that is cancelled
        stops waiting; what it handed in is stored all the same.

        Raises:
            ConflictError: If a strict statement of a batch has not met the rows it was made for.
            RestartingError: If the database is being closed.
            StorageFailedError: If it could not be stored, as on a full disk.
        """
        if self._closing:
            raise RestartingError
        job: _Job[T] = _Job(what, asyncio.get_running_loop().create_future())
        self._queue.put_nowait(job)
        return await job.done

    async def empty_log(self) -> bool:
        """Store what is in the log in the database and cut the log to nothing.

        Returns:
            Whether that was done; nothing has changed if somebody reads from the log still.

        Raises:
            RestartingError: If the database is being closed.
        """
        if self._closing:
            raise RestartingError
        return await _empty_log(self.engine)

    async def close(self) -> None:
        """Store everything that was handed in, then close the connection."""
        self._closing = True
        self._queue.put_nowait(None)
        await asyncio.shield(self._task)
        await self.engine.dispose()

    async def _work(self) -> None:
        last, is_busy = False, False
        while not last or self._held:
            group, ended = await self._next_group(is_busy, last)
            last = last or ended
            is_busy = len(group) > 1
            if group:
                await self._store(group)

    async def _next_group(self, is_busy: bool, last: bool) -> tuple[list[_Job[Any]], bool]:
        """Wait for a job and take those that have queued up behind it.

        Two about the same thing are in two groups, one after the other.

        Args:
            is_busy: Whether more are likely to come along soon.
            last: Whether nothing comes any more.

        Returns:
            The jobs, and whether nothing comes after them.
        """
        group: list[_Job[Any]] = []
        keys: set[Hashable] = set()
        waiting, self._held = self._held, []
        if waiting or last:
            entry = waiting.pop(0) if waiting else None
        else:
            entry = await self._queue.get()
            if is_busy and not self._closing:
                await asyncio.sleep(LINGER_S)
        while entry is not None:
            if entry.key in keys:
                self._held.append(entry)
            else:
                group.append(entry)
                if entry.key is not None:
                    keys.add(entry.key)
            if len(group) == MAX_GROUP or not (waiting or not self._queue.empty()):
                self._held += waiting
                return group, last
            entry = waiting.pop(0) if waiting else self._queue.get_nowait()
        return group, True

    async def _store(self, group: Sequence[_Job[Any]]) -> None:
        """Store a group in one transaction and settle each of its jobs."""
        try:
            try:
                await self._run(group, each=False)
            except _GroupFailedError:
                await self._run(group, each=True)
        except Exception as error:
            _log_failure("nothing of a group could be stored", error, jobs=len(group))
            for job in group:
                job.fail(error)
        for job in group:
            job.settle()

    async def _run(self, group: Sequence[_Job[Any]], *, each: bool) -> None:
        """Store a group: the rows of all batches together, or each by itself.

        Raises:
            _GroupFailedError: If a batch could not be stored together with the others.
        """
        async with self.engine.begin() as connection:
            alone = group
            if not each:
                batches = [job.what for job in group if isinstance(job.what, Batch)]
                alone = [job for job in group if not isinstance(job.what, Batch)]
                try:
                    writes = chain.from_iterable(batch.writes for batch in batches)
                    await connection.run_sync(put, writes)
                except Exception as error:
                    raise _GroupFailedError from error
            for job in alone:
                await _run_alone(connection, job)
            _check_transaction(connection)


async def _empty_log(engine: AsyncEngine) -> bool:
    async with engine.connect() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        (patience_ms,) = await _pragma(driver, "busy_timeout")
        # Whoever reads is not waited for here: every move would wait along.
        await _pragma(driver, "busy_timeout = 0")
        try:
            is_busy, *_ = await _pragma(driver, "wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            _log_failure("the log could not be emptied", error)
            return False
        finally:
            await _pragma(driver, f"busy_timeout = {patience_ms}")
    return not is_busy


async def _pragma(driver: Any, text: str) -> Any:
    async with driver.execute(f"PRAGMA {text}") as found:
        return await found.fetchone()


class _GroupFailedError(Exception):
    """One of several batches is not to be stored, and has taken the others along."""


async def _run_alone(connection: AsyncConnection, job: _Job[Any]) -> None:
    savepoint = await connection.begin_nested()
    try:
        await job.run(connection)
        _check_transaction(connection)
        await savepoint.commit()
    except Exception as error:
        _check_transaction(connection)
        await savepoint.rollback()
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


def _check_transaction(connection: AsyncConnection) -> None:
    """Make sure that the transaction is still there to be committed.

    On some errors SQLite rolls back everything, and goes on outside a transaction
    as if nothing had happened: the jobs before would be reported as stored.

    Raises:
        TransactionLostError: If it is gone.
    """
    proxied: Any = connection.sync_connection
    driver = proxied.connection.driver_connection
    if not getattr(driver, "in_transaction", True):
        raise TransactionLostError
