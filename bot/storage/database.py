"""Opens an SQLite or PostgreSQL database; `Database` reads, stores and writes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import structlog
from sqlalchemy import URL, Connection, event, func, select, union_all
from sqlalchemy.dialects.sqlite.aiosqlite import AsyncAdapt_aiosqlite_connection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util.concurrency import in_greenlet

from bot.clock import system_clock
from bot.host_errors import UnusableDatabaseError
from bot.model.errors import StorageFailedError
from bot.model.hosting import Shards
from bot.operations import Operations
from bot.storage import files, postgresql
from bot.storage.copying import last_number, set_last_number
from bot.storage.migrate import upgrade_locked
from bot.storage.preferences import find_setting, save_setting
from bot.storage.schema import match, metadata
from bot.storage.writer import Writer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Sequence
    from pathlib import Path

    from sqlalchemy import Dialect
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.storage.writer import Write

P = ParamSpec("P")
T = TypeVar("T")

# Reads take well under a millisecond; more threads would only wait for the same cores.
READER_COUNT: Final = 4

_COMMON_PRAGMAS: Final = ("PRAGMA busy_timeout = 5000", "PRAGMA foreign_keys = ON")
_WRITER_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    # NORMAL lost 450 acknowledged moves in an average power cut; group commit pays for FULL.
    "PRAGMA synchronous = FULL",
    # Deleted or replaced data could otherwise be read in free parts of the file for years.
    "PRAGMA secure_delete = ON",
)
_READER_PRAGMAS: Final = (
    "PRAGMA query_only = ON",
    # In KiB, eight times SQLite's default: a monthly leaderboard reads thousands of pages. The
    # writer reads new pages; its cache would only fill with pages that are never needed again.
    "PRAGMA cache_size = -16000",
)

PROCESSES: Final = "process"
"""Not a table: its watchers are told when another process ends or has to be stood in for."""

EMPTY_AGAIN_S: Final = 1.0
"""How long to wait before trying again to empty a log that is still being read."""

log = structlog.get_logger(__name__)


def upgrade(url: str) -> str:
    """Bring the database of `url` to the newest revision and return it.

    An empty or missing file is filled. One that has content and is behind is first copied
    beside itself, under a name that contains the new revision.

    Raises:
        DatabaseInUseError: If a bot is using the file.
        NotOurDatabaseError: If it is not a sound database of ours.
        NewerDatabaseError: If a later version of the program has upgraded it.
    """
    if postgresql.is_meant_by(url):
        return postgresql.upgrade(url)
    path = files.database_path(url)
    with files.exclusive_lock(path):
        return upgrade_locked(path)


@asynccontextmanager
async def open_storage(url: str, shards: Shards | None = None) -> AsyncIterator[Database]:
    """Open the database of `url`, upgraded if needed, for as long as the block runs.

    Leaving the block stores everything that was handed in before. `shards` are those this process
    serves, if others share the PostgreSQL database.

    Raises:
        DatabaseInUseError: If another process has it open.
        NotOurDatabaseError: If the file is not a sound database of ours.
        NewerDatabaseError: If a later version of the program has upgraded it.
        UnusableDatabaseError: If the file cannot be used for another reason.
    """
    if postgresql.is_meant_by(url):
        async with postgresql.opened(url, shards) as (writing, reading):
            database = Database(writing, reading, leads=False, shards=shards)
            listening = asyncio.create_task(
                postgresql.listen(url, writing.own, database), name="changes"
            )
            try:
                yield database
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
                await database.close()
        return
    path = files.database_path(url)
    with files.exclusive_lock(path):
        revision = await asyncio.to_thread(upgrade_locked, path)
        whole = URL.create("sqlite+aiosqlite", database=str(path))
        read_only = whole.set(database=path.as_uri(), query={"mode": "ro", "uri": "true"})
        database = Database(
            _connections(whole, 1, _WRITER_PRAGMAS, "BEGIN IMMEDIATE"),
            _connections(read_only, READER_COUNT, _READER_PRAGMAS, "BEGIN"),
        )
        try:
            await _try_out(database, path)
            await database.empty_log()
            log.info(
                "database open",
                file=str(path),
                revision=revision,
                sqlite_version=sqlite3.sqlite_version,
            )
            yield database
        finally:
            await database.close()
            log.info("database closed", file=str(path))


async def _try_out(database: Database, path: Path) -> None:
    """Make a write that changes nothing in a sound file, so that an unusable one fails at once.

    Raises:
        UnusableDatabaseError: If nothing can be written.
    """
    try:
        await database.write(_write_first)
    except StorageFailedError as error:
        reason = getattr(error.__cause__, "orig", error.__cause__)
        raise UnusableDatabaseError(
            path,
            f"nothing can be written here ({reason}). Is the disk full or read-only, or is another "
            "program using the file? If not, restore the newest backup.",
        ) from error


def _write_first(connection: Connection) -> None:
    """Write, and keep new matches from reusing the number of a lost one that left rows behind."""
    connection.exec_driver_sql("PRAGMA user_version = 0")
    lasts = [
        select(func.max(key).label("last"))
        for table in metadata.sorted_tables
        for key in table.primary_key
        if key.references(match.c.id)
    ]
    last: int = connection.scalar(select(func.max(union_all(*lasts).subquery().c.last))) or 0
    if last > last_number(connection, match):
        set_last_number(connection, match, last)


@dataclass(slots=True, eq=False)
class Database:
    """One writer, and a few connections that read.

    Attributes:
        leads: Whether this process does the work that only one of all sharing the database may do.
        shards: The shards it serves, if others serve the rest; None: all.
        home: The shards whose leftovers it takes care of: its own and, if it leads, those that
            nobody serves; None: all.
        watchers: By table, functions to call with the key (as text) of a row that another process
            has changed; None: it may have been any row.
    """

    writing: _Connections | postgresql.Pool
    reading: _Connections | postgresql.Pool
    leads: bool = True
    shards: Shards | None = None
    home: Shards | None = field(init=False)
    writer: Writer = field(init=False)
    watchers: defaultdict[str, list[Callable[[str | None], None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _reads: Operations = field(default_factory=Operations)
    _readers: set[asyncio.Task[None]] = field(default_factory=set)
    _emptying: asyncio.Task[None] | None = None
    _holders: frozenset[tuple[int, int]] | None = None
    _has_ended: bool = False

    def __post_init__(self) -> None:
        self.writer = Writer(self.writing.transact)
        self.home = self.shards

    async def store(self, writes: Sequence[Write], key: Hashable | None = None) -> None:
        """Store rows in one transaction, usually together with those of other callers.

        Args:
            writes: All of them are stored, or none, in the order of the statements' ranks.
            key: What they are about, such as ("match", 17): of two about the same thing, the
                second is stored after the first; None if nothing else is written about that.

        Raises:
            ConflictError: If a strict statement did not match the rows it was made for.
            RestartingError: If the database is being closed.
            StorageFailedError: If it could not be stored, as on a full disk.
        """
        await self.writer.write(tuple(writes), key)

    async def write(
        self, procedure: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """Run a function of `bot.storage` that reads before it writes.

        It may use the connection it is given and values that do not change. Its result is returned
        once everything is on disk; if it raises, its changes are undone.

        Raises:
            RestartingError: If the database is being closed.
            StorageFailedError: If it could not be stored, as on a full disk.
        """
        return await self.writer.write(
            procedure=lambda connection: procedure(connection, *given, **named)
        )

    async def read(
        self, query: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """Run a function of `bot.storage` that reads a snapshot and changes nothing.

        It sees everything for which `store` or `write` has returned.

        Raises:
            RestartingError: If the database is being closed.
        """
        # `close` waits for it even if the caller has been cancelled.
        return await self._reads.run(
            self.reading.transact(lambda connection: query(connection, *given, **named))
        )

    async def find_setting(self, key: str) -> str | None:
        """Return what was saved under `key` for the process itself, None if nothing was."""
        return await self.read(find_setting, key)

    async def save_setting(self, key: str, value: str) -> None:
        """Remember `value` under `key`, across restarts, instead of what was there.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        await self.write(save_setting, key, value, now=system_clock())

    def keep_current(
        self, table: str, read: Callable[[str | None], Coroutine[Any, Any, None]]
    ) -> None:
        """Call `read` in the background whenever another process has changed a table."""

        def hear(key: str | None) -> None:
            task = asyncio.create_task(read(key), name=f"reading {table} again")
            self._readers.add(task)
            task.add_done_callback(self._heard)

        self.watchers[table].append(hear)

    def _heard(self, task: asyncio.Task[None]) -> None:
        self._readers.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("what another process has changed was not read", exc_info=error)

    def tell_of_change(self, table: str, key: str | None) -> None:
        """Tell the watchers of a table that another process has changed a row of it."""
        for watcher in self.watchers[table]:
            watcher(key)

    def tell_who_is_here(self, holders: frozenset[tuple[int, int]]) -> None:
        """Note which shards are served, and by which connections.

        The work of a process that ended is taken over by those whose shards it concerns. If a
        shard is not served at two looks in a row, as while a server restarts, the leader takes
        over, and looks again and again until a process serves it.
        """
        before, self._holders = self._holders, holders
        if self.shards is None or self.home is None or before is None:
            return
        numbers, count = self.shards.numbers, self.shards.count
        if self.leads:
            numbers |= frozenset(range(count)) - {number for number, _ in before | holders}
        adopted = numbers - self.home.numbers
        self.home = Shards(numbers, count)
        others = numbers - self.shards.numbers
        # What it stored at its end may only become visible a moment later: look a second time.
        ended_before, self._has_ended = self._has_ended, bool(before - holders)
        if adopted or self._has_ended:
            log.info("another process has ended", standing_in_for=sorted(others))
        # A process that ends right after its start is never seen, but what it stored is there.
        if others or self._has_ended or ended_before:
            self.tell_of_change(PROCESSES, None)

    async def empty_log(self) -> None:
        """Move the content of the log to the database file, so that no deleted data stays in it.

        If the log is being read, such as for a backup, this is retried in the background until
        it works, or else at the next start.
        """
        self.writer.check_open()
        is_empty = await self.writing.empty_log()
        if not is_empty and (self._emptying is None or self._emptying.done()):
            self._emptying = asyncio.create_task(self._empty_log_later(), name="emptying the log")

    async def _empty_log_later(self) -> None:
        is_empty = False
        while not is_empty:
            await asyncio.sleep(EMPTY_AGAIN_S)
            is_empty = await self.writing.empty_log()

    async def close(self) -> None:
        """Finish what has been begun and close every connection."""
        if self._emptying is not None:
            self._emptying.cancel()
        for reading in self._readers:
            reading.cancel()
        await self._reads.close()
        # The writer last: the last connection to close tidies up, which readers may not do.
        await self.reading.close()
        await self.writer.close()
        await self.writing.close()


class _Connection(AsyncAdapt_aiosqlite_connection):
    """SQLAlchemy's aiosqlite connection, usable on aiosqlite's thread as well.

    SQLAlchemy switches to that thread and back four times per statement, and each time costs more
    than most statements. A function that runs on the thread switches once.
    """

    __slots__ = ()

    def cursor(self, server_side: bool = False) -> Any:
        """Return a cursor; on aiosqlite's thread, the one that aiosqlite itself would use there."""
        return super().cursor() if in_greenlet() else self._connection._conn.cursor()

    def commit(self) -> None:
        """Commit the transaction."""
        super().commit() if in_greenlet() else self._connection._conn.commit()

    def rollback(self) -> None:
        """Roll back the transaction."""
        super().rollback() if in_greenlet() else self._connection._conn.rollback()


@dataclass(slots=True, eq=False)
class _Connections:
    """Connections that stay open: checking one out of an engine costs as much as a short read."""

    engine: AsyncEngine
    _turns: asyncio.Semaphore
    _free: list[AsyncConnection] = field(default_factory=list)

    async def transact(self, job: Callable[[Connection], T]) -> T:
        """Run a function in a transaction, from BEGIN to COMMIT on the thread of aiosqlite."""
        return await self.run(_in_transaction, job)

    async def run(self, function: Callable[..., T], *given: Any) -> T:
        """Run a function on the thread of aiosqlite, with a connection as its first argument."""
        async with self._turns:
            connection = self._free.pop() if self._free else await self.engine.connect()
            try:
                synchronous: Any = connection.sync_connection
                # The equivalent of `run_sync`; aiosqlite has no public name for it.
                driver = synchronous.connection.driver_connection
                done: T = await driver._execute(function, synchronous, *given)
            finally:
                self._free.append(connection)
            return done

    async def wait_turn(self, number: int, seconds: float) -> None:
        """Do nothing: this process has the file to itself."""

    async def empty_log(self) -> bool:
        """Cut the write-ahead log to zero length; return False if it is being read."""
        return await self.run(_empty_log)

    async def close(self) -> None:
        """Close them all; none may be in use."""
        for connection in self._free:
            await connection.close()
        await self.engine.dispose()


def _in_transaction(connection: Connection, job: Callable[[Connection], T]) -> T:
    try:
        with connection.begin():
            return job(connection)
    except BaseException:
        # A failed COMMIT may leave its transaction open; SQLAlchemy considers it ended, and the
        # connection never goes back to a pool that would end it.
        connection.connection.rollback()
        raise


def _empty_log(connection: Connection) -> bool:
    """Cut the log to zero length; return False if it is being read."""
    driver: Any = connection.connection.cursor()
    (patience_ms,) = driver.execute("PRAGMA busy_timeout").fetchone()
    # Do not wait for readers: every move would wait too.
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        is_busy, *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        log.error("the log could not be emptied", reason=str(error))
        return False
    finally:
        driver.execute(f"PRAGMA busy_timeout = {patience_ms}")
    return not is_busy


def _connections(url: URL, count: int, pragmas: tuple[str, ...], begin: str) -> _Connections:
    """Return connections that first run the common `pragmas` and these, and begin with `begin`."""

    def connect(dialect: Dialect, _record: Any, given: Any, named: Any) -> _Connection:
        made: Any = dialect.connect(*given, **named)
        return _Connection(made.dbapi, made._connection)

    def set_up(connection: Any, _record: Any) -> None:
        # Python's driver would open transactions itself, before some statements only.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (*_COMMON_PRAGMAS, *pragmas):
            cursor.execute(pragma)
        cursor.close()

    def begin_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    engine = create_async_engine(
        url, pool_size=count, max_overflow=0, pool_reset_on_return=None, hide_parameters=True
    )
    event.listen(engine.sync_engine, "do_connect", connect)
    event.listen(engine.sync_engine, "connect", set_up)
    event.listen(engine.sync_engine, "begin", begin_transaction)
    return _Connections(engine, asyncio.Semaphore(count))
