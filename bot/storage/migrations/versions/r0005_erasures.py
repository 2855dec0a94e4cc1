"""People whose data was deleted recently, so that a restored backup does not bring it back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table of deletions."""
    op.create_table(
        "erasure",
        sa.Column("fingerprint", sa.Text, primary_key=True),
        sa.Column("erased_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
