"""Copies of everything: from an SQLite file to PostgreSQL and back, compared row by row.

A backup of PostgreSQL is an SQLite file too, so that the same code checks and restores both.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import TableClause, Text, column, delete, insert, select, text

from bot.host_errors import UnusableDatabaseError
from bot.storage import files, postgresql
from bot.storage.migrate import upgrade_locked
from bot.storage.schema import challenge, match, metadata, puzzle_race, puzzle_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Select, Table

_PORTION: Final = 1000
"""How many rows are in memory at a time."""

NUMBERED: Final = (match, challenge, puzzle_race, puzzle_run)
"""Tables whose numbers are never reused: the last one is copied too."""

_LAST: Final = text("SELECT pg_sequence_last_value(CAST(:sequence AS regclass))")
_SET_LAST: Final = text("SELECT setval(CAST(:sequence AS regclass), :number, :is_given)")
_sequence: Final = TableClause("sqlite_sequence", column("name"), column("seq"))


def backup(url: str, target: Path) -> None:
    """Write a copy of the database of `url` to an SQLite file; the bot may be running.

    The copy is a snapshot in a single file, and has been checked when this returns.

    Raises:
        UnusableDatabaseError: If there is nothing to copy, or `target` exists already.
    """
    if not postgresql.is_meant_by(url):
        file = files.database_path(url)
        if not files.has_content(file):
            raise UnusableDatabaseError(file, "there is nothing here to copy yet.")
        files.check_is_ours(file)
        files.copy_database(file, target)
        return
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="copying-") as folder:
        made = Path(folder, target.name)
        upgrade_locked(made)
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        with (
            postgresql.connected(url, **options) as source,
            source.begin(),
            files.changing(made) as copy,
        ):
            _copy(source, copy)
        files.copy_database(made, target)


def move(source: str, target: str) -> int:
    """Copy everything from one database to an empty one; return the number of rows.

    Raises:
        DatabaseInUseError: If a bot is using either.
        UnusableDatabaseError: If the target is not empty, or either cannot be used.
    """
    if not postgresql.is_meant_by(source) and not files.has_content(files.database_path(source)):
        raise UnusableDatabaseError(postgresql.name_of(source), "there is nothing here to move.")
    with whole(source) as given, whole(target) as taken:
        if not is_empty(taken):
            raise UnusableDatabaseError(
                postgresql.name_of(target),
                "there is something in it. Nothing was changed: name an empty one.",
            )
        return _copy(given, taken)


def is_empty(connection: Connection) -> bool:
    """Return whether there is not a single row."""
    tables = metadata.sorted_tables
    return all(connection.execute(select(each).limit(1)).first() is None for each in tables)


def replace_content(connection: Connection, copy: Path) -> None:
    """Replace everything with the content of a file that has the current tables."""
    for table in reversed(metadata.sorted_tables):
        connection.execute(delete(table))
    with files.changing(copy) as given:
        _copy(given, connection)


def _copy(source: Connection, target: Connection) -> int:
    """Copy all rows, compare what has arrived with what was sent, and return how many there are.

    Raises:
        UnusableDatabaseError: If a row has not arrived as it was sent.
    """
    count = 0
    for table in metadata.sorted_tables:
        for rows in source.execute(_all_of(table, source)).mappings().partitions(_PORTION):
            target.execute(insert(table), [dict(row) for row in rows])
            count += len(rows)
    for table in NUMBERED:
        set_last_number(target, table, last_number(source, table))
    for table in metadata.sorted_tables:
        both = (each.execute(_all_of(table, each)).yield_per(_PORTION) for each in (source, target))
        for sent, arrived in zip_longest(*both):
            if sent != arrived:
                raise UnusableDatabaseError(
                    postgresql.name_of(target.engine.url),
                    f"a row of the table {table.name!r} has not arrived as it was sent. Nothing "
                    "was changed. Please report this.",
                )
    return count


def _all_of(table: Table, connection: Connection) -> Select[Any]:
    """Select all rows in the same order everywhere: languages sort texts differently."""
    bytewise = "C" if connection.dialect.name == "postgresql" else "BINARY"
    key = (
        each.collate(bytewise) if isinstance(each.type, Text) else each
        for each in table.primary_key
    )
    return select(table).order_by(*key)


def last_number(connection: Connection, table: Table) -> int:
    """Return the highest number of a table that was ever given out, 0 if none was."""
    if connection.dialect.name == "postgresql":
        found = connection.execute(_LAST, {"sequence": f"{table.name}_id_seq"})
    else:
        found = connection.execute(select(_sequence.c.seq).where(_sequence.c.name == table.name))
    return found.scalar() or 0


def set_last_number(connection: Connection, table: Table, number: int) -> None:
    """Let the next number of a table be the one after `number`."""
    if connection.dialect.name == "postgresql":
        given = {"sequence": f"{table.name}_id_seq", "number": max(number, 1)}
        connection.execute(_SET_LAST, given | {"is_given": number > 0})
    else:
        connection.execute(delete(_sequence).where(_sequence.c.name == table.name))
        connection.execute(insert(_sequence), {"name": table.name, "seq": number})


@contextmanager
def whole(url: str) -> Iterator[Connection]:
    """Hold and upgrade a database that nobody else uses; yield it in one transaction."""
    if postgresql.is_meant_by(url):
        postgresql.upgrade(url)
        with postgresql.held(url), postgresql.connected(url) as connection, connection.begin():
            yield connection
    else:
        path = files.database_path(url)
        with files.exclusive_lock(path):
            upgrade_locked(path)
            with files.changing(path) as connection:
                yield connection
