"""Runs through many puzzles, and races."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
small = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")

_COUNTS = ("place", "found", "score", "moves", "errors", "combo", "best_combo", "highest")


def upgrade() -> None:
    """Make the tables; nobody has played a run or a race before."""
    op.create_table(
        "puzzle_race",
        sa.Column("id", big, primary_key=True),
        sa.Column("guild_id", big, nullable=False),
        sa.Column("channel_id", big, nullable=False),
        sa.Column("message_id", big),
        sa.Column("seed", big, nullable=False),
        sa.Column("starts_at", big, nullable=False),
        sa.Column("is_told", small, nullable=False),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "puzzle_run",
        sa.Column("id", big, primary_key=True),
        sa.Column("player_id", big, sa.ForeignKey("player.id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("seed", big, nullable=False),
        sa.Column("guild_id", big),
        sa.Column("race_id", big, sa.ForeignKey("puzzle_race.id")),
        sa.Column("begun_at", big, nullable=False),
        sa.Column("ends_at", big),
        *(sa.Column(name, sa.Integer, nullable=False) for name in _COUNTS),
        sa.Column("skipped", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_puzzle_run_player", "puzzle_run", ["player_id", "kind", "begun_at"])
    op.create_index("ix_puzzle_run_guild", "puzzle_run", ["guild_id", "kind", "begun_at"])
    op.create_index("ix_puzzle_run_race", "puzzle_run", ["race_id"])
