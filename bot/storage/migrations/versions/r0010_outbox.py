"""Messages still to be sent or edited, and news that players have not been told yet."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables empty: what is outstanding so far is not known."""
    op.add_column("screen", sa.Column("token", sa.Text))
    op.create_table(
        "outbox",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("message_id", big, primary_key=True),
        sa.Column("channel_id", big, nullable=False),
        sa.Column("number", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_table(
        "news",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("player_id", big, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("noted_at", big, nullable=False),
        sa.Column("tried_at", big),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
