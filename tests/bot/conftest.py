"""A real file for each test, and what stands on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.storage import open_storage
from tests.empty_database import put_empty_database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
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
