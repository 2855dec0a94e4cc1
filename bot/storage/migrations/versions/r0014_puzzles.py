"""Attempts at puzzles, and the puzzle ratings of people and of the puzzles."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
small = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")
number: sa.types.TypeEngine[float] = sa.Double().with_variant(sa.REAL(), "sqlite")

_BY_KEY = {"sqlite_with_rowid": False, "sqlite_strict": True}
_DECIDED = (
    "(won IS NULL) = (decided_at IS NULL) AND (won IS NULL) = (value_before IS NULL)"
    " AND (won IS NULL) = (value_after IS NULL)"
)


def upgrade() -> None:
    """Nobody has solved anything before."""
    op.create_table(
        "puzzle",
        sa.Column("variant_key", sa.Text, primary_key=True),
        sa.Column("puzzle_id", sa.Text, primary_key=True),
        *_rating(),
        sa.Column("plays", sa.Integer, nullable=False),
        **_BY_KEY,
    )
    op.create_table(
        "puzzle_player",
        sa.Column("player_id", big, sa.ForeignKey("player.id"), primary_key=True),
        *_rating(),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("solved", sa.Integer, nullable=False),
        sa.Column("last_at", big, nullable=False),
        **_BY_KEY,
    )
    op.create_table(
        "puzzle_round",
        sa.Column("player_id", big, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("variant_key", sa.Text, primary_key=True),
        sa.Column("puzzle_id", sa.Text, primary_key=True),
        sa.Column("begun_at", big, nullable=False),
        sa.Column("found", sa.Integer, nullable=False),
        sa.Column("won", small, sa.CheckConstraint("won IN (0, 1)", name="won")),
        sa.Column("decided_at", big),
        sa.Column("value_before", number),
        sa.Column("value_after", number),
        sa.CheckConstraint(_DECIDED, name="decided_at_once"),
        **_BY_KEY,
    )


def _rating() -> tuple[sa.Column[float], ...]:
    names = ("value", "deviation", "volatility")
    return tuple(sa.Column(name, number, nullable=False) for name in names)
