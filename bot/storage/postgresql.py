"""The same tables in PostgreSQL, for a bot that has outgrown one file.

Writers take turns by a lock of the database, so that a procedure that reads before it writes is
as safe here as with the single writer of a file, however many processes there are. A lost
connection is made again, and its transaction is repeated unless the server says that it was
stored: while PostgreSQL restarts, people wait but lose nothing.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, LiteralString, TypeVar

import structlog
from sqlalchemy import URL, Connection, NullPool, create_engine, inspect, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from bot.host_errors import DatabaseInUseError, NotOurDatabaseError, UnusableDatabaseError
from bot.storage import migrate
from bot.storage.writer import TransactionLostError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Container, Iterator

    import psycopg
    from sqlalchemy.ext.asyncio import AsyncEngine

    from bot.model.hosting import Shards
    from bot.storage.database import Database

T = TypeVar("T")

CONNECTIONS: Final = 10
"""Reads wait for the network, not for a core; one connection writes."""

PATIENCE_S: Final = 10.0
"""How long to try to reach a server that does not answer before raising an error."""

_AGAIN_AFTER_S: Final = 0.1

# Numbers of advisory locks, which apply to one database. Locks of shards have a second number.
_WRITING, _SERVING, _SHARD, _LEADING, _HERE = range(0x0077_7401, 0x0077_7406)

_LOOK_EVERY_S: Final = 1.0
"""How often a process tries to lead, and checks which other processes there are."""

_TURN: Final = text("SELECT pg_advisory_xact_lock(:lock)")

# The transaction that each process stored last. The server's own numbers would not do: one lost in
# a crash may be reused, and `pg_xact_status` would then report on another transaction.
_MAKE_STORED: Final = text(
    "CREATE TABLE IF NOT EXISTS stored (process bigint PRIMARY KEY, number bigint NOT NULL)"
)
_TURN_AS: Final = text(
    "WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(:lock)) "
    "INSERT INTO stored SELECT :process, :number FROM turn "
    "ON CONFLICT (process) DO UPDATE SET number = excluded.number"
)
_STORED: Final = text("SELECT number FROM stored WHERE process = :process")

# If a turn is far in the future, the server's clock has been set back since.
_MAKE_TURNS: Final = text(
    "CREATE TABLE IF NOT EXISTS turn (number int PRIMARY KEY, free_at timestamptz NOT NULL)"
)
_TAKE_TURN: Final = text("""
    INSERT INTO turn VALUES (:number, clock_timestamp() + :seconds * interval '1 second')
    ON CONFLICT (number) DO UPDATE SET free_at = :seconds * interval '1 second' + CASE
        WHEN turn.free_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '10 minutes'
        THEN turn.free_at ELSE clock_timestamp() END
    RETURNING greatest(0, extract(epoch FROM free_at - clock_timestamp()) - :seconds)::float
""")

_LET_GO: Final = text("SELECT pg_advisory_unlock_all()")

_CHANNEL: Final = "changes"
_TOLD: Final = {
    "match": "id",
    "player_setting": "player_id",
    "guild_setting": "guild_id",
    "setting": "key",
    "vacation": "player_id",
    "notice": "match_id,player_id",
    "mute": "match_id,player_id",
    "unreached": "player_id",
}
"""Tables whose rows processes keep in memory, and their key columns: changes are announced."""

# A process that listens for changes is there: both sides notice a lost connection at once.
_AM_HERE: Final = "SELECT pg_advisory_lock_shared(%s, %s)"
_WHO_IS_HERE: Final = """
    SELECT objid::int, pid FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE locktype = 'advisory' AND granted AND datname = current_database() AND classid = %s
"""
# By default the server keeps a lost machine's connection, and its locks, for two hours.
_KEEPALIVES: Final = (
    "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
)

_TELL: Final = f"""
    CREATE OR REPLACE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_notify('{_CHANNEL}',
            TG_TABLE_NAME || ' ' || (
                SELECT string_agg(to_jsonb(coalesce(NEW, OLD)) ->> name, ' ' ORDER BY place)
                FROM unnest(string_to_array(TG_ARGV[0], ',')) WITH ORDINALITY AS _ (name, place)
            ));
        RETURN NULL;
    END $$
"""  # noqa: S608  # of our own constant
_TELL_OF: Final = """
    CREATE OR REPLACE TRIGGER told AFTER INSERT OR UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('{columns}')
"""

log = structlog.get_logger(__name__)


def is_meant_by(url: str) -> bool:
    """Return whether a `DATABASE_URL` names a PostgreSQL database."""
    return make_url(url).drivername == "postgresql+psycopg"


def name_of(url: str | URL) -> str:
    """Return the name of a database for messages: its address without the password."""
    return make_url(url).set(query={}).render_as_string()


def _options(url: str) -> str:
    """Return the options to connect with: those that the host has given, and our own."""
    return f"{make_url(url).query.get('options', '')} {_KEEPALIVES}"


@asynccontextmanager
async def opened(url: str, shards: Shards | None = None) -> AsyncIterator[tuple[Pool, Pool]]:
    """Hold the database for this process, upgraded if needed; yield the pools to write and to read.

    The process serves these shards; None: all, and it is the only process.

    Raises:
        DatabaseInUseError: If another process holds it.
        NewerDatabaseError: If a later version of the program has upgraded it.
        UnusableDatabaseError: If it cannot be used for another reason.
    """
    name = name_of(url)
    with held(url, shards):
        revision = await asyncio.to_thread(upgrade, url)
        engine = create_async_engine(
            url,
            pool_size=CONNECTIONS,
            max_overflow=0,
            hide_parameters=True,
            connect_args={"options": _options(url)},
        )
        reading = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        log.info("database open", database=name, revision=revision)
        number = 0 if shards is None else min(shards.numbers)
        try:
            yield Pool(engine, number), Pool(reading)
        finally:
            await engine.dispose()
            log.info("database closed", database=name)


@dataclass(slots=True, eq=False)
class Pool:
    """Connections for transactions that are repeated if a connection is lost.

    Attributes:
        engine: Where they come from.
        process: For connections that write, the number of this process among those that share the
            database; only one such transaction runs at a time. None: they only read.
        own: The backend PIDs of the connections that have written.
    """

    engine: AsyncEngine
    process: int | None = None
    own: set[int] = field(default_factory=set)

    async def transact(self, job: Callable[[Connection], T]) -> T:
        """Run a function in a transaction; repeat it if the connection is lost before it is stored.

        Raises:
            DBAPIError: If the server cannot be reached for `PATIENCE_S`.
        """
        until = time.monotonic() + PATIENCE_S
        while True:
            number: int | None = None
            try:
                async with self.engine.connect() as connection, connection.begin():
                    if self.process is not None:
                        raw: Any = await connection.get_raw_connection()
                        self.own.add(raw.driver_connection.info.backend_pid)
                        given = {"process": self.process, "number": secrets.randbits(63)}
                        await connection.execute(_TURN_AS, {"lock": _WRITING, **given})
                        number = given["number"]
                    result = await connection.run_sync(job)
                return result  # noqa: RET504  # once it is stored
            except (DBAPIError, TransactionLostError) as error:
                if not _is_lost(error):
                    raise
                log.warning("connection to the database lost", reason=_reason(error))
                if number is not None and await self._is_stored(number, until):
                    return result
                if time.monotonic() > until:
                    raise
            await asyncio.sleep(_AGAIN_AFTER_S)

    async def _is_stored(self, number: int, until: float) -> bool:
        """Return whether a transaction was stored whose COMMIT may have arrived.

        Raises:
            DBAPIError: If the server does not answer in time.
        """
        while True:
            try:
                async with self.engine.connect() as connection, connection.begin():
                    await connection.execute(_TURN, {"lock": _WRITING})  # it may still be running
                    last = await connection.execute(_STORED, {"process": self.process})
                    return last.scalar() == number
            except DBAPIError:
                if time.monotonic() > until:
                    raise
            await asyncio.sleep(_AGAIN_AFTER_S)

    async def wait_turn(self, number: int, seconds: float) -> None:
        """Wait until no process holds this number, then hold it for `seconds`."""
        given = {"number": number, "seconds": seconds}
        wait_s = await self.transact(lambda turns: turns.execute(_TAKE_TURN, given).scalar_one())
        await asyncio.sleep(wait_s)

    async def empty_log(self) -> bool:
        """Do nothing: the server decides how long its own logs keep deleted data."""
        return True

    async def close(self) -> None:
        """Do nothing: `opened` closes the connections."""


def _is_lost(error: DBAPIError | TransactionLostError) -> bool:
    """Return whether the connection was lost, or could not be made."""
    if isinstance(error, TransactionLostError):
        return True
    return error.connection_invalidated or error.statement is None


def _reason(error: Exception) -> str:
    """Return the first line of what the server says; the others repeat it."""
    return str(getattr(error, "orig", error)).partition("\n")[0]


async def listen(url: str, own: Container[int], database: Database) -> None:
    """Tell what other processes change, and whether this one leads, until cancelled.

    One process leads at a time, by a lock that ends with its connection; then another one takes
    over within two seconds. Changes are not heard while the connection is lost: any row of each
    table may have changed by the time it is back.

    `own` are the backend PIDs of connections whose changes are already known.
    """
    import psycopg

    address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    connect = psycopg.AsyncConnection.connect
    while True:
        try:
            async with await connect(address, autocommit=True, options=_options(url)) as there:
                await there.execute(f"LISTEN {_CHANNEL}")
                for number in () if database.shards is None else database.shards.numbers:
                    await there.execute(_AM_HERE, (_HERE, number))
                for table in _TOLD:
                    database.tell_of_change(table, None)
                is_held = False
                while True:
                    # If the server crashed, `held` has lost its connection and its locks.
                    is_held = is_held or await _hold_again(there, database.shards)
                    if not database.leads:
                        led = await there.execute("SELECT pg_try_advisory_lock(%s)", (_LEADING,))
                        (database.leads,) = await led.fetchone() or (False,)
                    if database.shards is not None:
                        here = await there.execute(_WHO_IS_HERE, (_HERE,))
                        database.tell_who_is_here(frozenset(await here.fetchall()))
                    async for note in there.notifies(timeout=_LOOK_EVERY_S):
                        if note.pid not in own:
                            table, _, key = note.payload.partition(" ")
                            database.tell_of_change(table, key)
        except psycopg.OperationalError as error:
            log.warning("changes of other processes are not heard", reason=_reason(error))
        finally:
            database.leads = False
        await asyncio.sleep(_AGAIN_AFTER_S)


async def _hold_again(
    there: psycopg.AsyncConnection[tuple[Any, ...]], shards: Shards | None
) -> bool:
    """Try to take the locks that `held` keeps while it lives; return whether all are held here."""
    for statement, lock in _locks(shards):
        if await (await there.execute(statement, lock)).fetchone() != (True,):
            return False
    return True


def _locks(shards: Shards | None) -> Iterator[tuple[LiteralString, tuple[int, ...]]]:
    """Yield what takes each lock of a process that serves shards, or everything if None."""
    if shards is None:
        yield "SELECT pg_try_advisory_lock(%s)", (_SERVING,)
        return
    for number in sorted(shards.numbers):
        yield "SELECT pg_try_advisory_lock(%s, %s)", (_SHARD, number)
    yield "SELECT pg_try_advisory_lock_shared(%s)", (_SERVING,)


@contextmanager
def connected(url: str, **options: Any) -> Iterator[Connection]:
    """Connect to a database for as long as the block runs, with execution options.

    Raises:
        UnusableDatabaseError: If it cannot connect.
    """
    try:
        engine = create_engine(
            url, poolclass=NullPool, hide_parameters=True, connect_args={"options": _options(url)}
        )
        connection = engine.connect()
    except ModuleNotFoundError as error:
        raise UnusableDatabaseError(
            name_of(url),
            f"{error.name} is not installed. PostgreSQL needs more than a file: "
            "pip install -r deploy/requirements-postgresql.txt",
        ) from error
    except DBAPIError as error:
        raise UnusableDatabaseError(
            name_of(url),
            f"the server cannot be reached, or refuses ({_reason(error)}). Is it running, and is "
            "DATABASE_URL right?",
        ) from error
    with connection:
        yield connection.execution_options(**options)


@contextmanager
def held(url: str, shards: Shards | None = None) -> Iterator[None]:
    """Keep other processes from these shards, or from the whole database, while the block runs.

    The locks end with the process.

    Raises:
        DatabaseInUseError: If another process holds the database.
        UnusableDatabaseError: If the server cannot be reached.
    """
    with connected(url, isolation_level="AUTOCOMMIT") as connection:
        for statement, lock in _locks(shards):
            if not connection.exec_driver_sql(statement, lock).scalar():
                raise DatabaseInUseError(name_of(url), _in_use(*lock))
        try:
            yield
        finally:
            with suppress(DBAPIError):  # else the server releases them soon after this
                connection.execute(_LET_GO)


def _in_use(_kind: int, shard: int | None = None) -> str:
    if shard is not None:
        return (
            f"another process serves shard {shard} already. Give each process shards of its own "
            "with SHARDS."
        )
    return (
        "another bot is using this database. Stop that one first, or give this one a "
        "database of its own with DATABASE_URL."
    )


def upgrade(url: str) -> str:
    """Bring the tables up to date in one transaction, and return their revision.

    Raises:
        NewerDatabaseError: If a later version of the program has upgraded them.
        NotOurDatabaseError: If they are another program's.
        UnusableDatabaseError: If the server cannot be reached.
    """
    name, newest = name_of(url), max(migrate.revisions())
    with connected(url) as connection, connection.begin():
        connection.execute(_TURN, {"lock": _WRITING})
        current = _revision(connection, name)
        if current != newest:
            log.info("upgrading the database", database=name, revision=current, to=newest)
            migrate.run_revisions(connection, newest)
        connection.execute(_MAKE_STORED)
        connection.execute(_MAKE_TURNS)
        connection.execute(text(_TELL))
        for table, columns in _TOLD.items():
            connection.execute(text(_TELL_OF.format(table=table, columns=columns)))
    return newest


def describe(url: str) -> tuple[str, str | None, int]:
    """Return the server's version, the tables' revision if there are any, and the size in bytes.

    Raises:
        NewerDatabaseError: If a later version of the program has upgraded it.
        NotOurDatabaseError: If the tables are another program's.
        UnusableDatabaseError: If the server cannot be reached.
    """
    with connected(url) as connection:
        revision = _revision(connection, name_of(url))
        version = connection.execute(text("SHOW server_version")).scalar_one()
        size = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
        return version, revision, size


def _revision(connection: Connection, name: str) -> str | None:
    """Check whose tables these are; return their revision, None if there are none."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    if "alembic_version" not in tables:
        raise NotOurDatabaseError(
            name,
            f"this database belongs to another program (it has a table {tables[0]!r} and no "
            "record of our upgrades). Name another one with DATABASE_URL.",
        )
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if revision is not None:
        migrate.refuse_newer(name, revision, migrate.revisions())
    return revision
