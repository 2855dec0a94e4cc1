"""A real file for each test, and what stands on it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import structlog

from bot.storage import open_storage
from tests.empty_database import put_empty_database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from bot.storage import Database


@pytest.fixture
def database_path(tmp_path: Path) -> Path:
    """Where the test's database is. A space in it, because somebody's folder has one."""
    return tmp_path / "my data" / "matches.sqlite3"


@pytest.fixture
def database_url(database_path: Path) -> str:
    """The same as a setting."""
    return f"sqlite+aiosqlite:///{database_path}"


@pytest.fixture
async def database(database_path: Path, database_url: str) -> AsyncIterator[Database]:
    """An open database without matches."""
    put_empty_database(database_path)
    async with open_storage(database_url) as database:
        yield database


@pytest.fixture
def logging_as_it_was() -> Iterator[None]:
    """Undo afterwards what a bot sets up for all log lines of its process."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)
