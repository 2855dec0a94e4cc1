"""Which message of a server's feed announces a match, and what may have been sent already."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Nothing has been announced before."""
    op.add_column("outbox", sa.Column("tried_at", big))
    op.create_table(
        "announcement",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("channel_id", big, nullable=False),
        sa.Column("message_id", big, nullable=False),
        sqlite_strict=True,
    )
