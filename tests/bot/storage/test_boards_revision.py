"""Files from before leaderboards showed wins: wins are counted from the games."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from bot.storage import migrate
from tests.bot.storage.test_migrations import SCRIPTS, only_revisions, upgrade

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_won_before_is_counted(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """Four games of Anna's: won with X, lost with O, drawn, and one in another pool."""
    database_path.parent.mkdir()
    names = sorted(path.name for path in (SCRIPTS / "versions").glob("r000[1-6]_*.py"))
    migrate.upgrade_locked(database_path, only_revisions(tmp_path, *names))
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("INSERT INTO player VALUES (1, 'Anna', 0, 0), (2, 'Ben', 0, 0)")
        games = [(0, 1, "standard"), (0, 2, "standard"), (None, 1, "standard"), (0, 1, "majority")]
        for number, (winner, x, pool) in enumerate(games, start=1):
            connection.execute(
                "INSERT INTO match (id, variant_key, rules, status, ply, winner, end_reason,"
                " created_at, updated_at, ended_at, rated)"
                " VALUES (?, ?, ?, 'finished', 30, ?, 'board', 0, 0, 0, 1)",
                (number, pool, pool, winner),
            )
            seats = [(number, 0, x), (number, 1, 3 - x)]
            connection.executemany("INSERT INTO seat VALUES (?, ?, ?, NULL)", seats)
            connection.execute(
                "INSERT INTO rated_match VALUES (?, NULL, 1, 2, NULL, ?, 0)", (number, winner)
            )
            connection.executemany(
                "INSERT INTO rating_change VALUES (?, ?, ?, ?, NULL, 1, 1, 1, 1, 1, 1, 0)",
                [(number, 1, pool, 2), (number, 2, pool, 1)],
            )
        for player, pool, count in [(1, "standard", 3), (2, "standard", 3), (1, "majority", 1)]:
            connection.execute(
                "INSERT INTO rating VALUES (?, ?, 1500, 60, 0.06, ?, 1, 1, NULL, 0, NULL)",
                (pool, player, count),
            )

    upgrade(database_url)

    with closing(sqlite3.connect(database_path)) as connection:
        counted = connection.execute(
            "SELECT player_id, pool, games, won, drawn FROM rating ORDER BY player_id, pool"
        ).fetchall()
    assert counted == [
        (1, "majority", 1, 1, 0),
        (1, "standard", 3, 1, 1),
        (2, "standard", 3, 1, 1),
    ]
