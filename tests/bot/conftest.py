"""A real file for each test, and the fixtures built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.storage import open_storage
from tests.empty_database import put_empty_database
from tests.postgresql import Server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.storage import Database


@pytest.fixture
def database_path(tmp_path: Path) -> Path:
    """The path of the test's database, with a space, as some people's folders have one."""
    return tmp_path / "my data" / "matches.sqlite3"


@pytest.fixture
def database_url(request: pytest.FixtureRequest, database_path: Path) -> str:
    """The URL of a test's database: a file, or what `on_both` asks for."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite+aiosqlite:///{database_path}"
    server: Server = request.getfixturevalue("postgresql_server")
    return server.new_database()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open database without matches."""
    put_empty_database(database_url)
    async with open_storage(database_url) as database:
        yield database
