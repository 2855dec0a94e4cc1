"""What somebody has played in a server, instead of who was seen there; when placements ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
number: sa.types.TypeEngine[float] = sa.Double().with_variant(sa.REAL(), "sqlite")

_PLACED = (
    "UPDATE rating SET placed_after = 5 WHERE games >= 5 AND (best IS NOT NULL OR deviation < 240)"
)
# Games against the computer put somebody on the board of ratings only; keys with "=" are custom.
_PLAYED = """
    INSERT INTO guild_player
        (guild_id, pool, player_id, careful, games, won, drawn, wins)
    SELECT guild_id, variant_key, player_id, careful, games, won, drawn,
        CASE WHEN games > 0 THEN won - (games - won - drawn) / 1000000.0 END
    FROM (
        SELECT match.guild_id, match.variant_key, own.player_id,
            max(rating.value - 2 * rating.deviation) AS careful,
            count(other.player_id) AS games,
            sum(CASE WHEN other.player_id IS NOT NULL AND match.winner = own.side
                THEN 1 ELSE 0 END) AS won,
            sum(CASE WHEN other.player_id IS NOT NULL AND match.winner IS NULL
                THEN 1 ELSE 0 END) AS drawn
        FROM match
        JOIN seat AS own ON own.match_id = match.id
        JOIN seat AS other ON other.match_id = match.id AND other.side <> own.side
        LEFT JOIN rating_change ON rating_change.match_id = match.id
            AND rating_change.player_id = own.player_id
        LEFT JOIN rating ON rating.pool = rating_change.pool
            AND rating.player_id = rating_change.player_id
        WHERE match.guild_id IS NOT NULL AND match.status = 'finished'
            AND match.variant_key NOT LIKE '%=%' AND own.player_id > 0
            AND (other.player_id IS NULL OR other.player_id <> own.player_id)
        GROUP BY match.guild_id, match.variant_key, own.player_id
    ) AS played
    WHERE games > 0 OR careful IS NOT NULL
"""


def upgrade() -> None:
    """Make the table and the index, and fill them with what has been played."""
    op.add_column("rating", sa.Column("placed_after", sa.Integer))
    op.execute(_PLACED)
    op.drop_table("guild_member")
    op.create_table(
        "guild_player",
        sa.Column("guild_id", big, primary_key=True),
        sa.Column("pool", sa.Text, primary_key=True),
        sa.Column("player_id", big, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("careful", number),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("won", sa.Integer, nullable=False),
        sa.Column("drawn", sa.Integer, nullable=False),
        sa.Column("wins", number),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_index("ix_guild_player_player", "guild_player", ["player_id", "pool"])
    for table, name, columns, condition in (
        ("guild_player", "careful", ["guild_id", "pool", "careful", "player_id"], "careful"),
        ("guild_player", "wins", ["guild_id", "pool", "wins", "player_id"], "wins"),
        ("match", "guild", ["guild_id", "variant_key", "ended_at"], "guild_id"),
    ):
        condition = f"{condition} IS NOT NULL"
        if table == "match":
            condition += " AND ended_at IS NOT NULL"
        some = sa.text(condition)
        op.create_index(
            f"ix_{table}_{name}", table, columns, sqlite_where=some, postgresql_where=some
        )
    op.execute(_PLAYED)
