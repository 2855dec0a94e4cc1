"""What is in the file, read by plain SQL and by the names of columns.

Left out is what only mirrors something else: a column more of that kind changes nothing here.
Whether the mirrors are right is asked for by `check_mirrors`.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

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

_WRONG: Final = {
    "ply is not the number of moves": """
        SELECT id FROM match WHERE ply <> (SELECT count(*) FROM move WHERE match_id = match.id)""",
    "moves are not numbered one by one": """
        SELECT match_id FROM move GROUP BY match_id HAVING max(ply) <> count(*) - 1""",
    "not the side whose turn it is": """
        SELECT id FROM match WHERE to_move IS NOT CASE status WHEN 'ongoing' THEN ply % 2 END""",
    "the status is not that of the end": """
        SELECT id FROM match WHERE (status = 'finished') <> (end_reason IS NOT NULL)""",
    "two matches follow one": """
        SELECT previous_id FROM match WHERE previous_id IS NOT NULL
        GROUP BY previous_id HAVING count(*) > 1""",
    "not two seats": """
        SELECT id FROM match WHERE 2 <> (SELECT count(*) FROM seat WHERE match_id = match.id)""",
    "a clock runs for the computer, or without one, or after the end": """
        SELECT id FROM match JOIN seat ON match_id = id AND side = ply % 2
        WHERE (deadline_at IS NOT NULL)
            <> (status = 'ongoing' AND clock IS NOT NULL AND player_id IS NOT NULL)""",
    "a rated match that is over was not judged, or another one was": """
        SELECT id FROM match WHERE (rated AND status = 'finished')
            <> EXISTS (SELECT * FROM rated_match WHERE match_id = match.id)""",
    "not one change of rating for each person of a match that counts": """
        SELECT match_id FROM rated_match WHERE
            (SELECT count(*) FROM rating_change AS c WHERE c.match_id = rated_match.match_id)
            <> CASE WHEN reason IS NULL THEN 1 + (second_id IS NOT NULL) ELSE 0 END""",
    "a rating is not the sum of its changes": """
        SELECT pool, player_id FROM rating WHERE abs(value - 1500 - (
            SELECT sum(value_after - value_before) FROM rating_change AS c
            WHERE c.pool = rating.pool AND c.player_id = rating.player_id)) > 1e-6""",
    "a rating does not count the games that changed it": """
        SELECT pool, player_id FROM rating WHERE won + drawn > games OR games <> (
            SELECT count(*) FROM rating_change AS c
            WHERE c.pool = rating.pool AND c.player_id = rating.player_id)""",
    "a server's boards do not count its games between people": """
        WITH played AS (
            SELECT guild_id, rules AS pool, own.player_id, count(*) AS games,
                sum(winner IS own.side) AS won, sum(winner IS NULL) AS drawn
            FROM match JOIN seat AS own ON own.match_id = id
            JOIN seat AS foe ON foe.match_id = id AND foe.side <> own.side
            WHERE guild_id IS NOT NULL AND status = 'finished' AND own.player_id > 0
                AND foe.player_id <> own.player_id AND rules NOT LIKE '%=%'
            GROUP BY 1, 2, 3)
        SELECT * FROM (
            SELECT * FROM played EXCEPT
            SELECT guild_id, pool, player_id, games, won, drawn FROM guild_player)
        UNION ALL SELECT * FROM (
            SELECT guild_id, pool, player_id, games, won, drawn FROM guild_player WHERE games
            EXCEPT SELECT * FROM played)""",
    "a server's board of ratings is not of those with a rated game there": """
        SELECT guild_id, pool, player_id FROM guild_player WHERE (careful IS NOT NULL) <> EXISTS (
            SELECT * FROM rating_change AS c JOIN match ON id = c.match_id
            WHERE match.guild_id = guild_player.guild_id AND c.pool = guild_player.pool
                AND c.player_id = guild_player.player_id)""",
    "a place on a server's board is not that of the rating": """
        SELECT guild_id FROM guild_player AS g JOIN rating AS r USING (pool, player_id)
        WHERE abs(careful - (r.value - 2 * r.deviation)) > 1e-6""",
    "an accepted challenge is not the match it led to": """
        SELECT challenge.id FROM challenge LEFT JOIN match ON match.id = match_id
        WHERE challenge.status = 'accepted' AND NOT coalesce(
            challenge.variant_key = rules AND match.rated <= challenge.rated
            AND match.clock IS challenge.clock
            AND match.previous_id IS challenge.previous_id, 0)""",
}


def read(path: Path) -> Rows:
    """Return everything that is stored."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            table: {
                row[: len(keys)]: dict(zip(values, row[len(keys) :], strict=True))
                for row in connection.execute(
                    f"SELECT {', '.join((*keys, *values))} FROM {table} ORDER BY {', '.join(keys)}"
                )
            }
            for table, (keys, values) in TABLES.items()
        }


def check_mirrors(path: Path) -> None:
    """Make sure that what is stored twice is stored alike."""
    with closing(sqlite3.connect(path)) as connection:
        for what, query in _WRONG.items():
            assert connection.execute(query).fetchall() == [], what
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def milliseconds(instant: datetime) -> int:
    """Return an instant as it is stored."""
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
