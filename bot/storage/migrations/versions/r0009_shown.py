"""What Discord has confirmed that it shows of each match."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table, and assume that the boards of ongoing matches are up to date."""
    op.create_table(
        "screen",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("message_id", big),
        sa.Column("shown_revision", sa.Integer),
        sa.Column("shown_as", sa.Text, nullable=False),
        sa.Column("player_id", big),
        sqlite_strict=True,
    )
    condition = sa.text("shown_as <> 'over'")
    op.create_index(
        "ix_screen_match_id",
        "screen",
        ["match_id"],
        sqlite_where=condition,
        postgresql_where=condition,
    )
    op.execute(
        "INSERT INTO screen (match_id, message_id, shown_revision, shown_as) "
        "SELECT id, message_id, revision, 'board' FROM match "
        "WHERE status = 'ongoing' AND message_id IS NOT NULL"
    )
