"""What is to be written, as data: rows for statements that are known beforehand.

The writer puts the rows of many callers together and runs each statement once for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sqlalchemy import Connection, Executable

Row: TypeAlias = Mapping[str, Any]
"""The values of a statement's parameters."""


class ConflictError(Exception):
    """What is in the database is not what a change was made for: somebody else was first."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement that changes rows. Make one a module, and use it for every write.

    Attributes:
        clause: What to run; its parameters have the names of a row's keys.
        rank: Statements of a group run in this order, so that references hold.
        strict: Whether each row given has to meet exactly one row of the table.
    """

    clause: Executable
    rank: int
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """Rows for a statement."""

    statement: Statement
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that one step writes: all of it is stored, or nothing.

    Attributes:
        writes: What is written. No order is kept but that of the statements' ranks.
        key: What it is about, such as ("match", 17). Of two batches about the same thing the
            second is stored after the first; None if nothing else is written about that.
    """

    writes: tuple[Write, ...] = field(default=())
    key: Hashable | None = None


def put(connection: Connection, writes: Iterable[Write]) -> None:
    """Run each statement once, with all its rows.

    Raises:
        ConflictError: If a strict statement has not met a row for each that it was given.
    """
    rows: defaultdict[Statement, list[Row]] = defaultdict(list)
    for write in writes:
        rows[write.statement].extend(write.rows)
    for statement in sorted(rows, key=lambda each: each.rank):
        given = rows[statement]
        changed = connection.execute(statement.clause, given)
        if statement.strict and changed.rowcount != len(given):
            raise ConflictError(f"{changed.rowcount} of {len(given)} rows are as they were seen")
