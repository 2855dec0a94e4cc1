"""Rows that several callers want written, grouped and taken apart again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiosqlite
import pytest
from sqlalchemy import bindparam, event, insert, text, update
from sqlalchemy.exc import ProgrammingError

from bot.clock import system_clock
from bot.model.errors import StorageFailedError
from bot.storage import open_storage
from bot.storage.schema import setting
from bot.storage.writer import ConflictError, Statement, Write
from tests.empty_database import ON_BOTH

if TYPE_CHECKING:
    from bot.storage import Database

ADD = Statement(insert(setting), rank=1)
CHANGE = Statement(
    update(setting)
    .where(setting.c.key == bindparam("given_key"), setting.c.value == bindparam("seen"))
    .values(value=bindparam("given_value")),
    rank=2,
    strict=True,
)
NOWHERE = Statement(text("INSERT INTO nowhere VALUES (:value)"), rank=3)


def add(key: str, value: str = "a") -> Write:
    return Write(ADD, ({"key": key, "value": value, "updated_at": system_clock()},))


def change(key: str, seen: str, value: str) -> Write:
    return Write(CHANGE, ({"given_key": key, "seen": seen, "given_value": value},))


async def contents(database: Database) -> dict[str, str]:
    wanted = text("SELECT key, value FROM setting")
    return await database.read(lambda c: {row.key: row.value for row in c.execute(wanted)})


class Statements:
    """What the writer sends to the database."""

    def __init__(self, database: Database) -> None:
        self.sent: list[tuple[str, int]] = []
        engine = database.writing.engine.sync_engine
        event.listen(engine, "before_cursor_execute", self._note)

    def _note(self, _connection: Any, _cursor: Any, sql: str, given: Any, *rest: Any) -> None:
        self.sent.append((sql.split()[0], len(given) if rest[-1] else 1))


async def test_the_driver_is_aiosqlite(database: Database) -> None:
    """The reader and the writer use it: it is not just a name in the URL."""

    def driver(connection: Any) -> type:
        return type(connection.connection.driver_connection)

    assert await database.read(driver) is aiosqlite.Connection
    assert await database.write(driver) is aiosqlite.Connection


@ON_BOTH
async def test_each_statement_runs_once_for_a_group(database: Database) -> None:
    statements = Statements(database)

    await asyncio.gather(
        *(database.store([add(f"key {n}"), change(f"key {n}", "a", "b")]) for n in range(50))
    )

    (begin, *others) = statements.sent
    assert begin in (("BEGIN", 1), ("WITH", 1)), "or a turn, on PostgreSQL"
    assert others == [("INSERT", 50), ("UPDATE", 50)]
    assert set((await contents(database)).values()) == {"b"}


@ON_BOTH
async def test_a_conflict_costs_nobody_else_anything(database: Database) -> None:
    await database.store([add("key")])

    results = await asyncio.gather(
        database.store([add("before")]),
        database.store([add("half done"), change("key", "not this", "c")]),
        database.store([change("key", "a", "b")]),
        database.store([add("before")]),
        return_exceptions=True,
    )

    assert [type(result) for result in results[:3]] == [type(None), ConflictError, type(None)]
    assert isinstance(results[3], Exception), "there is such a key already"
    assert await contents(database) == {"key": "b", "before": "a"}


@ON_BOTH
async def test_what_cannot_be_stored_costs_nobody_else_anything(database: Database) -> None:
    results = await asyncio.gather(
        database.store([add("before")]),
        database.store([add("half done"), Write(NOWHERE, ({"value": 1},))]),
        database.store([add("after")]),
        return_exceptions=True,
    )

    assert isinstance(results[1], StorageFailedError | ProgrammingError)
    assert (results[0], results[2]) == (None, None)
    assert await contents(database) == {"before": "a", "after": "a"}


@ON_BOTH
async def test_batches_about_the_same_thing_keep_their_order(database: Database) -> None:
    """Within a group only the ranks decide what is written first."""
    await database.store([add("key", "0")])

    await asyncio.gather(
        *(
            database.store([change("key", str(n), str(n + 1))], key=("key", "key"))
            for n in range(20)
        ),
        *(database.store([add(f"other {n}")]) for n in range(20)),
    )

    assert (await contents(database))["key"] == "20"
    assert len(await contents(database)) == 21


@ON_BOTH
async def test_batches_of_one_key_that_wait_are_stored_before_the_end(database_url: str) -> None:
    async with open_storage(database_url) as database:
        await database.store([add("key", "0")])
        waiting = [
            asyncio.create_task(
                database.store([change("key", str(n), str(n + 1))], key=("key", "key"))
            )
            for n in range(5)
        ]
        await asyncio.sleep(0)

    await asyncio.gather(*waiting)
    async with open_storage(database_url) as database:
        assert await contents(database) == {"key": "5"}


@ON_BOTH
@pytest.mark.parametrize("cancelled", [0, 1, 2])
async def test_a_cancelled_batch_is_stored_or_not_as_a_whole(
    database: Database, cancelled: int
) -> None:
    tasks = [asyncio.create_task(database.store([add(f"{n} a"), add(f"{n} b")])) for n in range(3)]
    await asyncio.sleep(0)
    tasks[cancelled].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)

    assert [isinstance(each, asyncio.CancelledError) for each in results].count(True) == 1
    stored = await contents(database)
    for n in range(3):
        assert (f"{n} a" in stored) == (f"{n} b" in stored)
        assert f"{n} a" in stored or n == cancelled


async def test_a_transaction_is_one_trip_to_the_thread_of_the_driver(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trips cost more than most statements."""
    trips: list[object] = []
    execute = aiosqlite.Connection._execute

    async def count(connection: aiosqlite.Connection, function: Any, *given: Any) -> Any:
        trips.append(function)
        return await execute(connection, function, *given)

    await contents(database)  # the connections are open from now on
    monkeypatch.setattr(aiosqlite.Connection, "_execute", count)
    await asyncio.gather(*(database.store([add(f"key {n}"), add(f"k {n}")]) for n in range(50)))
    assert len(trips) == 1

    await database.read(lambda c: [c.execute(text("SELECT key FROM setting")) for _ in range(3)])
    assert len(trips) == 2
