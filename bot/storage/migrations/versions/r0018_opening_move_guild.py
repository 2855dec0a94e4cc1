"""The server a move was played in, so that those of one are found without reading matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Take the server from the matches."""
    op.add_column("opening_move", sa.Column("guild_id", big))
    op.execute(
        "UPDATE opening_move SET guild_id ="
        " (SELECT guild_id FROM match WHERE match.id = opening_move.match_id)"
    )
    op.create_index("ix_opening_move_guild", "opening_move", ["position", "guild_id", "match_id"])
