"""What has been said to players about their matches, and who cannot be reached."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables of standing notices, and of players whom a message did not reach."""
    op.create_table(
        "notice",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("player_id", big, primary_key=True),
        sa.Column("channel_id", big, nullable=False),
        sa.Column("message_id", big, nullable=False),
        sa.Column("sent_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_table(
        "unreached",
        sa.Column("player_id", big, primary_key=True),
        sa.Column("noted_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
