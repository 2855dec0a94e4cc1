"""What happens in a match besides its moves: only swaps of seats for now."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
small = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table of events; earlier matches had none."""
    op.create_table(
        "event",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column(
            "number", sa.Integer, sa.CheckConstraint("number >= 0", name="number"), primary_key=True
        ),
        sa.Column("ply", sa.Integer, sa.CheckConstraint("ply >= 0", name="ply"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("side", small, sa.CheckConstraint("side IN (0, 1)", name="side"), nullable=False),
        sa.Column("happened_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
