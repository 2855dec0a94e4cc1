"""The moves played in each position, for the explorer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
small = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")

_BY_KEY = {"sqlite_with_rowid": False, "sqlite_strict": True}


def upgrade() -> None:
    """`python -m bot explorer` counts what was played before: that may take long."""
    op.create_table(
        "opening_move",
        sa.Column("position", big, primary_key=True),
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("move", sa.Integer, nullable=False),
        sa.Column("against_computer", small, nullable=False),
        sa.Column("winner", small, sa.CheckConstraint("winner IN (0, 1)", name="winner")),
        **_BY_KEY,
    )
    op.create_table(
        "opening_total",
        sa.Column("guild_id", big, primary_key=True),
        sa.Column("position", big, primary_key=True),
        sa.Column("against_computer", small, primary_key=True),
        sa.Column("move", sa.Integer, primary_key=True),
        sa.Column("x_wins", sa.Integer, nullable=False),
        sa.Column("draws", sa.Integer, nullable=False),
        sa.Column("o_wins", sa.Integer, nullable=False),
        **_BY_KEY,
    )
