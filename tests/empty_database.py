"""A database without a game, as the bot makes one at its first start."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from bot.storage import upgrade


def put_empty_database(path: Path) -> None:
    """Put a database where none is yet: going through every revision takes longer than a test."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_empty_database())


@cache
def _empty_database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "empty.sqlite3")
        upgrade(f"sqlite+aiosqlite:///{database}")
        return database.read_bytes()
