"""Opens the database and gives everybody else two verbs: read and write."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import structlog
from sqlalchemy import URL, Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.host_errors import StorageFileError
from bot.model.errors import StorageFailedError
from bot.operations import Operations
from bot.storage import files
from bot.storage.migrate import upgrade_locked
from bot.storage.settings import SettingStore
from bot.storage.writer import Writer
from bot.storage.writes import Batch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Hashable, Sequence
    from pathlib import Path

    from bot.storage.writes import Write

P = ParamSpec("P")
T = TypeVar("T")

# Reads take well under a millisecond; more threads would only wait for the same cores.
READER_COUNT: Final = 4

EMPTY_AGAIN_S: Final = 1.0
"""How long to wait for whoever still reads from the log before it is tried again to empty it."""

_COMMON_PRAGMAS: Final = ("PRAGMA busy_timeout = 5000", "PRAGMA foreign_keys = ON")
_WRITER_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    # NORMAL lost 450 acknowledged moves in an average power cut; group commit pays for FULL.
    "PRAGMA synchronous = FULL",
    # What is deleted or replaced could else be read in the file's free places for years.
    "PRAGMA secure_delete = ON",
)
_READER_PRAGMAS: Final = ("PRAGMA query_only = ON",)

log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_storage(url: str) -> AsyncIterator[Database]:
    """Open the database of `url`, upgraded if need be, for as long as the block runs.

    Leaving the block stores everything that was handed in before.

    Raises:
        FileInUseError: If another process has it open.
        NotOurFileError: If the file is not a sound database of ours.
        NewerFileError: If a later version of the program has upgraded it.
        StorageFileError: If the file cannot be used for another reason.
    """
    path = files.database_path(url)
    with files.exclusive_lock(path):
        revision = await asyncio.to_thread(upgrade_locked, path)
        database = Database(_writer_engine(path), _reader_engine(path))
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
    """Open the writer's connection now, so that what is wrong with the file is told at once.

    Raises:
        StorageFileError: If nothing can be written.
    """
    try:
        await database.write(lambda _: None)
    except StorageFailedError as error:
        raise StorageFileError(path, f"nothing can be written here: {error.__cause__}.") from error


@dataclass(slots=True, eq=False)
class Database:
    """One writer and a few readers on one file."""

    writer_engine: AsyncEngine
    reader_engine: AsyncEngine
    writer: Writer = field(init=False)
    _reads: Operations = field(default_factory=Operations)
    _emptying: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.writer = Writer(self.writer_engine)

    @property
    def settings(self) -> SettingStore:
        """What the process remembers from one start to the next."""
        return SettingStore(self)

    async def store(self, writes: Sequence[Write], key: Hashable | None = None) -> None:
        """Store rows in one transaction, most likely together with those of others.

        Args:
            writes: All of them are stored, or none.
            key: What they are about; two batches about the same are stored one after the other.

        Raises:
            ConflictError: If a strict statement has not met the rows it was made for.
            RestartingError: If the database is being closed.
            StorageFailedError: If it could not be stored, as on a full disk.
        """
        await self.writer.write(Batch(tuple(writes), key))

    async def write(
        self, procedure: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """Run a function of `bot.storage` that reads before it writes.

        What it returns is returned once all of it is on disk.

        Raises:
            RestartingError: If the database is being closed.
            StorageFailedError: If it could not be stored, as on a full disk.
        """
        return await self.writer.write(partial(_called, procedure, given, named))

    async def read(
        self, query: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """Run a function of `bot.storage` that sees one instant and changes nothing.

        Everything that `store` and `write` have returned is seen.

        Raises:
            RestartingError: If the database is being closed.
        """
        # Known to `close`, whoever has stopped waiting for it.
        return await self._reads.run(self._read(partial(_called, query, given, named)))

    async def empty_log(self) -> None:
        """Leave nothing of what was deleted in the log: store the log in the file and empty it.

        If somebody reads from the log still, as for a backup, that is done as soon as they have
        finished, or else at the next start; nobody waits for it here.
        """
        if not await self.writer.empty_log() and (self._emptying is None or self._emptying.done()):
            self._emptying = asyncio.create_task(self._empty_log_later(), name="emptying the log")

    async def _empty_log_later(self) -> None:
        while True:
            await asyncio.sleep(EMPTY_AGAIN_S)
            if await self.writer.empty_log():
                return

    async def close(self) -> None:
        """Finish what has been begun and close every connection."""
        if self._emptying is not None:
            self._emptying.cancel()
        await self._reads.close()
        # The writer last: the last connection to go tidies up, and readers may not.
        await self.reader_engine.dispose()
        await self.writer.close()

    async def _read(self, job: Callable[[Connection], T]) -> T:
        async with self.reader_engine.connect() as connection:
            return await connection.run_sync(job)


def _called(
    function: Callable[..., T],
    given: tuple[Any, ...],
    named: dict[str, Any],
    connection: Connection,
) -> T:
    return function(connection, *given, **named)


def _writer_engine(path: Path) -> AsyncEngine:
    url = URL.create("sqlite+aiosqlite", database=str(path))
    engine = create_async_engine(url, pool_size=1, max_overflow=0, hide_parameters=True)
    _prepare(engine, (*_COMMON_PRAGMAS, *_WRITER_PRAGMAS), "BEGIN IMMEDIATE")
    return engine


def _reader_engine(path: Path) -> AsyncEngine:
    query = {"mode": "ro", "uri": "true"}
    url = URL.create("sqlite+aiosqlite", database=path.as_uri(), query=query)
    engine = create_async_engine(url, pool_size=READER_COUNT, max_overflow=0, hide_parameters=True)
    _prepare(engine, (*_COMMON_PRAGMAS, *_READER_PRAGMAS), "BEGIN")
    return engine


def _prepare(engine: AsyncEngine, pragmas: tuple[str, ...], begin: str) -> None:
    """Run `pragmas` on each new connection and open transactions with `begin`."""

    def set_up(connection: Any, _record: Any) -> None:
        # Python's driver would open transactions itself, before some statements only.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(pragma)
        cursor.close()

    def begin_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine.sync_engine, "connect", set_up)
    event.listen(engine.sync_engine, "begin", begin_transaction)
