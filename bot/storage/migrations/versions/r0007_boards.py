"""What leaderboards show besides ratings, and what reviews have found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_ENDED = (
    "UPDATE rating SET {column} = (SELECT count(*) FROM rating_change "
    "JOIN rated_match ON rated_match.match_id = rating_change.match_id "
    "JOIN seat ON seat.match_id = rating_change.match_id "
    "AND seat.player_id = rating_change.player_id "
    "WHERE rating_change.player_id = rating.player_id AND rating_change.pool = rating.pool "
    "AND {condition})"
)


def upgrade() -> None:
    """Count wins and draws, drop an index that nothing reads, and make the table of reviews."""
    for column, condition in (
        ("won", "rated_match.winner = seat.side"),
        ("drawn", "rated_match.winner IS NULL"),
    ):
        added = sa.Column(column, sa.Integer, nullable=False, server_default=sa.text("0"))
        op.add_column("rating", added)
        op.execute(_ENDED.format(column=column, condition=condition))
    op.drop_index("ix_rating_change_period", "rating_change")
    op.create_table(
        "review",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("chances", sa.Text, nullable=False),
        sa.Column("made_at", big, nullable=False),
        sqlite_strict=True,
    )
