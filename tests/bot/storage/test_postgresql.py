"""What only PostgreSQL has: lost connections, a server that restarts, whose database it is."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, event, insert, select, text
from structlog.testing import capture_logs

from bot.clock import system_clock
from bot.host_errors import (
    DatabaseInUseError,
    NewerDatabaseError,
    NotOurDatabaseError,
    UnusableDatabaseError,
)
from bot.model.errors import StorageFailedError
from bot.model.hosting import Shards
from bot.storage import migrate, open_storage, postgresql, upgrade
from bot.storage.schema import metadata, setting
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.storage import Database
    from tests.postgresql import Server


@pytest.fixture
def database_url(postgresql_server: Server) -> str:
    """The URL of a database with today's tables."""
    return postgresql_server.new_database()


def add(key: str) -> Callable[[Connection], None]:
    """Return a write that fails if it is done twice."""
    row = {"key": key, "value": "x", "updated_at": system_clock()}

    def put(connection: Connection) -> None:
        connection.execute(insert(setting), row)

    return put


async def keys(database: Database) -> set[str]:
    wanted = select(setting.c.key)
    return await database.read(lambda connection: set(connection.execute(wanted).scalars()))


def cut(database_url: str, connection: Connection) -> None:
    """Make the server end a connection, using another one."""
    number = connection.connection.driver_connection.info.backend_pid  # type: ignore[union-attr]
    with psycopg.connect(database_url.replace("+psycopg", "")) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (number,))


async def test_a_connection_lost_in_the_middle_costs_nothing(
    database: Database, database_url: str
) -> None:
    cuts: list[object] = []

    def lose_once(connection: Connection) -> None:
        add("first")(connection)
        if not cuts:
            cuts.append(connection)
            cut(database_url, connection)
        add("second")(connection)

    await asyncio.gather(database.write(lose_once), database.write(add("another")))

    assert cuts
    assert await keys(database) == {"first", "second", "another"}


@pytest.mark.parametrize("has_arrived", [False, True])
async def test_a_connection_lost_at_the_commit_stores_once(
    database: Database, database_url: str, *, has_arrived: bool
) -> None:
    """The server says whether the commit was stored; if so, it is not done again."""
    cuts: list[object] = []

    def lose_once(connection: Connection) -> None:
        if cuts:
            return
        cuts.append(has_arrived)
        if has_arrived:
            connection.connection.dbapi_connection.commit()  # type: ignore[union-attr]
        cut(database_url, connection)
        connection.exec_driver_sql("SELECT 1")  # notices the loss

    event.listen(database.writing.engine.sync_engine, "commit", lose_once)
    with capture_logs() as lines:
        await database.write(add("key"))

    assert await keys(database) == {"key"}
    assert [line["event"] for line in lines] == ["connection to the database lost"]


async def test_a_read_on_a_lost_connection_is_done_again(
    database: Database, database_url: str
) -> None:
    cuts: list[object] = []

    def read(connection: Connection) -> int:
        if not cuts:
            cuts.append(connection)
            cut(database_url, connection)
        return int(connection.execute(text("SELECT 42")).scalar_one())

    assert await database.read(read) == 42


async def test_reads_change_nothing(database: Database) -> None:
    with pytest.raises(Exception, match="read-only transaction"):
        await database.read(add("key"))


async def test_a_server_that_starts_again_loses_nothing_that_was_acknowledged(
    database: Database, postgresql_server: Server
) -> None:
    """Stopped as by a crash, with writes on their way all the time."""
    stored: set[str] = set()
    is_back = asyncio.Event()

    async def write_on(name: str) -> None:
        number = 0
        while not is_back.is_set() or number < 5:
            await database.write(add(f"{name} {number}"))
            stored.add(f"{name} {number}")
            number += 1

    writers = [asyncio.create_task(write_on(name)) for name in "abc"]
    await asyncio.gather(*(database.write(add(f"first {number}")) for number in range(5)))
    await asyncio.to_thread(postgresql_server.stop, "immediate")
    await asyncio.to_thread(postgresql_server.start)
    is_back.set()
    await asyncio.gather(*writers)

    assert await keys(database) == stored | {f"first {number}" for number in range(5)}


async def test_a_server_that_stays_away_is_an_error_in_words(
    database: Database, postgresql_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "PATIENCE_S", 0.3)
    await asyncio.to_thread(postgresql_server.stop)
    try:
        with pytest.raises(StorageFailedError, match="could not be saved"):
            await database.write(add("lost"))
    finally:
        await asyncio.to_thread(postgresql_server.start)

    await database.write(add("kept"))
    assert await keys(database) == {"kept"}


async def test_two_at_once_take_turns(database: Database, database_url: str) -> None:
    """A procedure reads before it writes; so may one of another process."""

    def count_up(connection: Connection) -> None:
        count = connection.execute(select(setting.c.value).where(setting.c.key == "n")).scalar()
        connection.execute(
            text("UPDATE setting SET value = :n WHERE key = 'n'"), {"n": str(int(count or 0) + 1)}
        )

    await database.write(
        lambda c: (
            c.execute(insert(setting), {"key": "n", "value": "0", "updated_at": system_clock()})
            and None
        )
    )
    pool: Any = database.writing
    await asyncio.gather(*(pool.transact(count_up) for _ in range(20)))

    found = await database.read(lambda c: c.execute(select(setting.c.value)).scalar())
    assert found == "20"


async def test_only_one_bot_has_it_open(database: Database, database_url: str) -> None:
    with pytest.raises(DatabaseInUseError, match="another bot is using this database"):
        async with open_storage(database_url):
            pass
    await database.write(add("key"))


@pytest.mark.parametrize("shards", [None, "0-1/4"])
async def test_only_one_bot_has_it_open_after_the_server_has_crashed(
    database_url: str, postgresql_server: Server, shards: str | None
) -> None:
    mine = None if shards is None else Shards.parse(shards)
    async with open_storage(database_url, mine) as database:
        await asyncio.to_thread(postgresql_server.stop, "immediate")
        await asyncio.to_thread(postgresql_server.start)
        await until(lambda: database.leads)

        for others in ("0-1/4", "1-2/4", None):
            with pytest.raises(DatabaseInUseError):
                async with open_storage(database_url, Shards.parse(others) if others else None):
                    pass
    async with open_storage(database_url, Shards.parse("0-1/4")):
        pass


async def test_a_server_that_is_not_there_is_told_without_the_password(database_url: str) -> None:
    url = "postgresql+psycopg://bot:secret@127.0.0.1:9/games"
    with pytest.raises(UnusableDatabaseError, match="cannot be reached") as caught:
        async with open_storage(url):
            pass
    assert "secret" not in str(caught.value)
    assert str(caught.value).startswith("postgresql+psycopg://bot:***@127.0.0.1:9/games: ")


def test_without_the_driver_it_is_said_what_to_install(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UnusableDatabaseError, match="requirements-postgresql"):
        upgrade(database_url)


def test_a_database_of_another_program_is_left_alone(postgresql_server: Server) -> None:
    postgresql_server.execute("CREATE DATABASE theirs")
    postgresql_server.execute("CREATE TABLE accounts (id int)", "theirs")
    with pytest.raises(NotOurDatabaseError, match="'accounts'"):
        upgrade(postgresql_server.url("theirs"))


def test_a_database_that_is_newer_is_left_alone(
    database_url: str, postgresql_server: Server
) -> None:
    name = database_url.partition("@/")[2].partition("?")[0]
    postgresql_server.execute("UPDATE alembic_version SET version_num = '9001'", name)
    with pytest.raises(NewerDatabaseError, match="'9001'"):
        upgrade(database_url)


def test_the_revisions_make_what_the_schema_says(database_url: str) -> None:
    with postgresql.connected(database_url) as connection:
        context = MigrationContext.configure(connection)
        found = compare_metadata(context, metadata)
    assert [change for change in found if not _is_meant(change)] == []


def _is_meant(change: Any) -> bool:
    """Return whether a change is a table of `postgresql`, or only a missing comment."""
    if isinstance(change, tuple):
        return bool(change[0] == "remove_table" and change[1].name in ("stored", "turn"))
    return all(each[0] == "modify_comment" for each in change)


def test_rows_of_long_ago_are_upgraded(postgresql_server: Server) -> None:
    postgresql_server.execute("CREATE DATABASE old")
    url = postgresql_server.url("old")
    with postgresql.connected(url) as connection, connection.begin():
        migrate.run_revisions(connection, "0002")
        connection.execute(text("INSERT INTO player VALUES (1, 'Anna', 0, 0)"))
        connection.execute(
            text(
                "INSERT INTO match (variant_key, rules, status, ply, to_move, created_at, "
                "updated_at) VALUES ('standard', 'standard', 'ongoing', 3, 1, 0, 0)"
            )
        )
        connection.execute(text("INSERT INTO event VALUES (1, 1, 1, 'swap', 0, 0)"))

    assert upgrade(url) == max(migrate.revisions())

    with postgresql.connected(url) as connection:
        assert connection.execute(text("SELECT revision, rated FROM match")).one() == (4, 0)
