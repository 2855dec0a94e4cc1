"""The puzzle of each day, attempts at it, and where it has been posted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
small = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """No day has had a puzzle before."""
    op.create_table(
        "daily_puzzle",
        sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("puzzle_id", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "daily_round",
        sa.Column("player_id", big, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("day", sa.Integer, sa.ForeignKey("daily_puzzle.day"), primary_key=True),
        sa.Column("begun_at", big, nullable=False),
        sa.Column("found", sa.Integer, nullable=False),
        sa.Column("won", small, sa.CheckConstraint("won IN (0, 1)", name="won")),
        sa.Column("decided_at", big),
        sa.Column("tries", sa.Text, nullable=False),
        sa.Column("shared_at", big),
        sa.CheckConstraint("(won IS NULL) = (decided_at IS NULL)", name="decided_at_once"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_index("ix_daily_round_day", "daily_round", ["day", "won"])
    op.create_table(
        "daily_post",
        sa.Column("guild_id", big, primary_key=True, autoincrement=False),
        sa.Column("day", sa.Integer, nullable=False),
        sqlite_strict=True,
    )
