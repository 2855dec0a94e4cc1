"""Distinguishes an outbox entry from an earlier one, which another process may have sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Each existing row is one entry."""
    op.add_column("outbox", sa.Column("entry", big, nullable=False, server_default=sa.text("0")))
