"""The contents of the database, read with plain SQL by the names of columns.

What only mirrors something else is left out: another column of that kind changes nothing here.
`bot.storage.checking` checks whether the mirrors are right.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

import psycopg

from bot.storage import backup, files, postgresql
from bot.storage.checking import check_file

Key: TypeAlias = tuple[Any, ...]
Rows: TypeAlias = dict[str, dict[Key, dict[str, Any]]]
"""By table and key, each row as its values by column."""

TABLES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "player": (("id",), ("name",)),
    "match": (
        ("id",),
        (
            "rules",
            "opening_code",
            "rated",
            "clock",
            "previous_id",
            "guild_id",
            "channel_id",
            "message_id",
            "created_at",
            "deadline_at",
            "remind_at",
            "left_x",
            "left_o",
            "winner",
            "end_reason",
            "ended_at",
        ),
    ),
    "seat": (("match_id", "side"), ("player_id", "level")),
    "move": (("match_id", "ply"), ("cell", "played_at")),
    "event": (("match_id", "number"), ("ply", "kind", "side", "happened_at", "cells")),
    "challenge": (
        ("id",),
        (
            "challenger_id",
            "opponent_id",
            "variant_key",
            "opening_code",
            "side",
            "rated",
            "clock",
            "previous_id",
            "guild_id",
            "channel_id",
            "message_id",
            "created_at",
            "expires_at",
            "status",
            "taker_id",
            "match_id",
            "closed_at",
        ),
    ),
    "block": (("player_id", "other_id"), ("created_at",)),
    "vacation": (("player_id", "began_at"), ("until",)),
    "downtime": (("began_at",), ("ended_at",)),
    "rated_match": (("match_id",), ("reason",)),
    "rating": (
        ("pool", "player_id"),
        (
            "value",
            "deviation",
            "volatility",
            "games",
            "won",
            "drawn",
            "opponents",
            "telling",
            "best",
            "last_game_at",
            "listed_until",
            "placed_after",
        ),
    ),
    "rating_change": (
        ("match_id", "player_id"),
        (
            "pool",
            "opponent_id",
            "level",
            "value_before",
            "deviation_before",
            "volatility_before",
            "value_after",
            "deviation_after",
            "volatility_after",
            "changed_at",
        ),
    ),
    "guild_player": (
        ("guild_id", "pool", "player_id"),
        ("careful", "games", "won", "drawn", "wins"),
    ),
}
"""The columns of the key and the others, for each table."""


def read(url: str) -> Rows:
    """Return everything that is stored."""
    with _connect(url) as connection:
        return {
            table: {
                row[: len(keys)]: dict(zip(values, row[len(keys) :], strict=True))
                for row in connection.execute(
                    f"SELECT {', '.join((*keys, *values))} FROM {table} ORDER BY {', '.join(keys)}"
                )
            }
            for table, (keys, values) in TABLES.items()
        }


def _connect(url: str) -> closing[Any]:
    if postgresql.is_meant_by(url):
        return closing(psycopg.connect(url.replace("+psycopg", "")))
    return closing(sqlite3.connect(files.database_path(url)))


def check(url: str) -> list[str]:
    """Return what is broken; PostgreSQL is checked in a copy."""
    if not postgresql.is_meant_by(url):
        return check_file(files.database_path(url))
    with TemporaryDirectory() as folder:
        backup(url, copy := Path(folder, "copy.sqlite3"))
        return check_file(copy)


def milliseconds(instant: datetime) -> int:
    """Return an instant as it is stored."""
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
