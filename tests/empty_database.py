"""A database without games, as the bot creates it at its first start."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from bot.storage import files, postgresql, upgrade

ON_BOTH: Final = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
"""Runs a test twice: on a file of SQLite, and on a server of PostgreSQL."""


def put_empty_database(place: Path | str) -> None:
    """Put a database where there is none: running every migration takes longer than a test.

    Args:
        place: A file, or a `DATABASE_URL`; on PostgreSQL there is one already.
    """
    if isinstance(place, str):
        if postgresql.is_meant_by(place):
            return
        place = files.database_path(place)
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(_empty_database())


@cache
def _empty_database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "empty.sqlite3")
        upgrade(f"sqlite+aiosqlite:///{database}")
        return database.read_bytes()
