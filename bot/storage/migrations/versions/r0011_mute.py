"""Matches that a player has muted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table; nobody has muted anything before."""
    op.create_table(
        "mute",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("player_id", big, primary_key=True),
        sa.Column("muted_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
