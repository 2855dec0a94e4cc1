"""Players, matches with their seats and moves, and the process's memory."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
small = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "player",
        sa.Column("id", big, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", big, nullable=False),
        sa.Column("seen_at", big, nullable=False),
        sqlite_strict=True,
    )
    _create_match()
    op.create_table(
        "seat",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column(
            "side", small, sa.CheckConstraint("side IN (0, 1)", name="side"), primary_key=True
        ),
        sa.Column("player_id", big, sa.ForeignKey("player.id")),
        sa.Column("level", small),
        sa.CheckConstraint("(player_id IS NULL) <> (level IS NULL)", name="person_or_computer"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_index("ix_seat_player", "seat", ["player_id", "match_id"])
    op.create_table(
        "move",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("ply", sa.Integer, sa.CheckConstraint("ply >= 0", name="ply"), primary_key=True),
        sa.Column("cell", sa.Integer, nullable=False),
        sa.Column("played_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_table(
        "setting",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("updated_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )


def _create_match() -> None:
    op.create_table(
        "match",
        sa.Column("id", big, primary_key=True),
        sa.Column("variant_key", sa.Text, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("opening_code", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("ply", sa.Integer, sa.CheckConstraint("ply >= 0", name="ply"), nullable=False),
        sa.Column("to_move", small, sa.CheckConstraint("to_move IN (0, 1)", name="to_move")),
        sa.Column("winner", small, sa.CheckConstraint("winner IN (0, 1)", name="winner")),
        sa.Column("end_reason", sa.Text),
        sa.Column("previous_id", big, sa.ForeignKey("match.id")),
        sa.Column("guild_id", big),
        sa.Column("channel_id", big),
        sa.Column("message_id", big),
        sa.Column("created_at", big, nullable=False),
        sa.Column("updated_at", big, nullable=False),
        sa.Column("ended_at", big),
        sa.CheckConstraint(
            "(status = 'ongoing') = (to_move IS NOT NULL)", name="to_move_while_ongoing"
        ),
        sa.CheckConstraint("(end_reason IS NULL) = (ended_at IS NULL)", name="ended_with_reason"),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_match_previous_id", "match", ["previous_id"], unique=True)
    ongoing = sa.text("status = 'ongoing'")
    op.create_index(
        "ix_match_ongoing", "match", ["to_move"], sqlite_where=ongoing, postgresql_where=ongoing
    )
