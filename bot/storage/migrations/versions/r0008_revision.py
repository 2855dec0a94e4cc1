"""The revision of a match as a column, so that changes apply only to the one they were made for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

# An event's number counts everything before it, and its ply the moves left by it; moves since then
# were added to both.
_FILL = (
    "UPDATE match SET revision = match.ply + coalesce("
    "(SELECT event.number + 1 - event.ply FROM event WHERE event.match_id = match.id "
    "ORDER BY event.number DESC LIMIT 1), 0)"
)


def upgrade() -> None:
    """Add the column, and count the moves and events so far."""
    op.add_column(
        "match",
        sa.Column(
            "revision",
            sa.Integer,
            sa.CheckConstraint("revision >= 0", name="revision"),
            nullable=False,
            server_default=sa.text("0"),
        ),
    )
    op.execute(_FILL)
