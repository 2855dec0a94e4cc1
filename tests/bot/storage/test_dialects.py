"""The tables and the statements are valid in PostgreSQL as well."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql import ClauseElement, Executable

import bot.storage
from bot.storage import board_queries
from bot.storage.schema import metadata

MODULES = [
    importlib.import_module(f"bot.storage.{module.name}")
    for module in pkgutil.iter_modules(bot.storage.__path__)
    if module.name != "migrations"
]
STATEMENTS = {
    f"{module.__name__}.{name}": statement
    for module in MODULES
    for name, value in vars(module).items()
    for statement in (getattr(value, "clause", value),)
    if isinstance(statement, ClauseElement) and isinstance(statement, Executable)
}
"""The statements that run often, built once; rare ones are written where they run."""


def test_the_statements_of_moves_and_leaderboards_are_among_them() -> None:
    modules = {name.rpartition(".")[0].rpartition(".")[2] for name in STATEMENTS}
    assert {"matches", "board_queries", "challenges", "history"} <= modules


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_a_statement_is_one_of_postgresql(name: str) -> None:
    assert str(STATEMENTS[name].compile(dialect=postgresql.dialect()))


@pytest.mark.parametrize("source", ["LISTED", "HERE", "WINNERS"])
def test_the_pages_of_leaderboards_are_ones_of_postgresql(source: str) -> None:
    who = getattr(board_queries, source)
    pages = [board_queries.part_of(who, has_key, up) for has_key in (0, 1) for up in (0, 1)]
    others = [make(who) for make in (board_queries.of_players, board_queries.counts_of)]
    for statement in (*pages, *others, board_queries.gains_of(who)):
        assert str(statement.compile(dialect=postgresql.dialect()))


def test_tables_and_indexes_are_ones_of_postgresql() -> None:
    dialect = postgresql.dialect()
    for table in metadata.sorted_tables:
        made = str(CreateTable(table).compile(dialect=dialect))
        assert "BIGINT" in made or "INTEGER" in made or "TEXT" in made
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=dialect))
