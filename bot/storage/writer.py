"""The single writer: one task makes every change to the database.

Callers hand in batches of rows, or functions of `bot.storage` that have to read before they
write. The writer takes what has queued up, up to a limit, and stores it in one transaction, so
that one fsync serves many moves. Each statement runs once, with the rows of all batches of a
group. If that fails, the group is stored again, each batch in a savepoint, so that one conflict
does not affect the others. No caller holds a connection, so cancelling a caller cannot leave a
transaction open.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import structlog
from sqlalchemy import Connection, and_, insert, update
from sqlalchemy.exc import OperationalError

from bot.model.errors import RestartingError, StorageFailedError

if TYPE_CHECKING:
    from sqlalchemy import Executable, Table


Row: TypeAlias = Mapping[str, Any]
"""The values of a statement's parameters."""


class ConflictError(Exception):
    """The rows in the database are not those that a change was made for."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement that changes rows. Create it once, in a module, and use it for every write.

    Attributes:
        clause: What to run; its parameters have the names of a row's keys.
        rank: Statements of a group run in this order, so that references hold.
        strict: Whether each given row has to match exactly one row of the table.
    """

    clause: Executable
    rank: int
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """Rows for a statement."""

    statement: Statement
    rows: tuple[Row, ...]


def put(connection: Connection, writes: Iterable[Write]) -> None:
    """Run each statement once, with all its rows.

    Raises:
        ConflictError: If a strict statement did not match one row for each that it was given.
    """
    rows: defaultdict[Statement, list[Row]] = defaultdict(list)
    for write in writes:
        rows[write.statement].extend(write.rows)
    for statement in sorted(rows, key=lambda each: each.rank):
        given = rows[statement]
        changed = connection.execute(statement.clause, given)
        if statement.strict and changed.rowcount != len(given):
            raise ConflictError(f"{changed.rowcount} of {len(given)} rows are as they were seen")


def upsert(
    connection: Connection, table: Table, key: Row, values: Row, *, if_new: Row | None = None
) -> None:
    """Update the row with a key, or insert it, then with the values of `if_new` too.

    As there is one writer, this needs no `ON CONFLICT`, which every database spells differently.
    """
    this = and_(*(table.c[name] == value for name, value in key.items()))
    if connection.execute(update(table).where(this).values(values)).rowcount == 0:
        connection.execute(insert(table), {**key, **values, **(if_new or {})})


T = TypeVar("T")
Procedure: TypeAlias = Callable[[Connection], T]
"""A change that has to read first; it runs alone, in a savepoint, after the batches."""

# In larger groups batches would wait longer for each other than for the disk.
MAX_GROUP: Final = 256

# While many callers store at once, the writer waits this long for more: a transaction costs as
# much as many moves. At 1,000 moves a second, 4 ms would save a fifth of the CPU time and answer
# 99 of 100 within 10 ms instead of 7. A single batch never waits.
LINGER_S: Final = 0.002

_MACHINES_FAULTS: Final = (OperationalError, sqlite3.OperationalError)  # and not the caller's

log = structlog.get_logger(__name__)


class TransactionLostError(Exception):
    """The whole transaction is gone, as when SQLite's disk is full or the connection is lost."""


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    """What one caller wants written: rows or a procedure; and where they wait for the result."""

    writes: Sequence[Write]
    key: Hashable | None
    procedure: Procedure[T] | None
    done: asyncio.Future[T]
    result: T | None = None
    error: Exception | None = None

    def fail(self, cause: Exception) -> None:
        """Note that it could not be stored."""
        self.error = StorageFailedError()
        self.error.__cause__ = cause

    def settle(self) -> None:
        """Give the caller the result, after the commit, unless they have stopped waiting."""
        if self.done.cancelled():
            return
        if self.error is not None:
            self.done.set_exception(self.error)
        else:
            self.done.set_result(self.result)  # type: ignore[arg-type]  # T may include None


@dataclass(slots=True, eq=False)
class Writer:
    """Runs every transaction that changes anything. Create it in a running event loop.

    Attributes:
        transact: Runs a function in a transaction on the only connection that may write.
        groups: How many groups it has stored, or tried to.
        changes: How many batches and procedures were in them.
    """

    transact: Callable[[Procedure[None]], Awaitable[None]]
    groups: int = 0
    changes: int = 0
    _queue: deque[_Job[Any]] = field(default_factory=deque)
    _called: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] = field(init=False)
    _closing: bool = False

    def __post_init__(self) -> None:
        self._task = asyncio.create_task(self._work(), name="storage writer")

    async def write(
        self,
        writes: Sequence[Write] = (),
        key: Hashable | None = None,
        procedure: Procedure[T] | None = None,
    ) -> T:
        """Store rows or run a procedure, as `Database.store` and `Database.write` say.

        A caller that is cancelled stops waiting, but what it handed in is stored anyway.
        """
        self.check_open()
        job: _Job[T] = _Job(writes, key, procedure, asyncio.get_running_loop().create_future())
        self._queue.append(job)
        self._called.set()
        return await job.done

    def check_open(self) -> None:
        """Check that the writer accepts batches and procedures.

        Raises:
            RestartingError: If `close` has been called.
        """
        if self._closing:
            raise RestartingError

    @property
    def waiting(self) -> int:
        """How many batches and procedures are in no group yet."""
        return len(self._queue)

    async def close(self) -> None:
        """Store everything that was handed in, and accept nothing more."""
        self._closing = True
        self._called.set()
        await asyncio.shield(self._task)

    async def _work(self) -> None:
        is_busy = has_held = False
        while True:
            if not self._queue and not self._closing:
                self._called.clear()
                await self._called.wait()
            if is_busy and not has_held and not self._closing:
                await asyncio.sleep(LINGER_S)
            group, has_held = self._next_group()
            if not group:
                return
            is_busy = len(group) > 1
            await self._store(group)

    def _next_group(self) -> tuple[list[_Job[Any]], bool]:
        """Take the first jobs that wait, and return whether some are held back.

        Of two jobs about the same thing, the second is held back for the next group.
        """
        group: list[_Job[Any]] = []
        held: list[_Job[Any]] = []
        keys: set[Hashable] = set()
        while self._queue and len(group) < MAX_GROUP:
            job = self._queue.popleft()
            (held if job.key in keys else group).append(job)
            if job.key is not None:
                keys.add(job.key)
        self._queue.extendleft(reversed(held))
        return group, bool(held)

    async def _store(self, group: Sequence[_Job[Any]]) -> None:
        """Store a group in one transaction and settle each of its jobs."""
        self.groups += 1
        self.changes += len(group)
        try:
            try:
                await self.transact(partial(_store_together, group=group))
            except _GroupFailedError:
                await self.transact(partial(_store_each, group=group))
        except Exception as error:
            _log_failure("nothing of a group could be stored", error, jobs=len(group))
            for job in group:
                job.fail(error)
        for job in group:
            job.settle()


class _GroupFailedError(Exception):
    """One of several batches could not be stored, so none of them was."""


def _store_together(connection: Connection, group: Sequence[_Job[Any]]) -> None:
    """Store the rows of all batches together, then run the procedures.

    Raises:
        _GroupFailedError: If a batch could not be stored together with the others.
    """
    try:
        put(connection, chain.from_iterable(job.writes for job in group))
    except Exception as error:
        raise _GroupFailedError from error
    _store_each(connection, [job for job in group if job.procedure is not None])


def _store_each(connection: Connection, group: Sequence[_Job[Any]]) -> None:
    for job in group:
        _store_alone(connection, job)
    _check_transaction(connection)


def _store_alone(connection: Connection, job: _Job[Any]) -> None:
    job.error = None  # it may be done again
    savepoint = connection.begin_nested()
    try:
        put(connection, job.writes)
        if job.procedure is not None:
            job.result = job.procedure(connection)
        _check_transaction(connection)
        savepoint.commit()
    except Exception as error:
        _check_transaction(connection)
        savepoint.rollback()
        if isinstance(error, _MACHINES_FAULTS):
            _log_failure("a job could not be stored", error)
            job.fail(error)
        else:
            job.error = error


def _log_failure(event: str, error: Exception, **facts: int) -> None:
    """Log what went wrong; in one line if it is the disk, as that may go on for hours."""
    if isinstance(error, OperationalError):
        log.error(event, reason=str(error.orig), statement=error.statement, **facts)
    elif isinstance(error, sqlite3.OperationalError):
        log.error(event, reason=str(error), **facts)
    else:
        log.error(event, exc_info=error, **facts)


def _check_transaction(connection: Connection) -> None:
    """Check that the transaction is still open.

    On some errors SQLite rolls the transaction back and goes on without one; earlier jobs would
    be reported as stored. A lost connection loses its transaction too.

    Raises:
        TransactionLostError: If it is gone.
    """
    if connection.invalidated:
        raise TransactionLostError
    driver: Any = connection.connection.driver_connection
    if not getattr(driver, "in_transaction", True):
        raise TransactionLostError
