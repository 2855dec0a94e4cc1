"""Ratings, what each game has changed in them, and who was seen in which server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
small = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")
number: sa.types.TypeEngine[float] = sa.Double().with_variant(sa.REAL(), "sqlite")


def upgrade() -> None:
    """Make the tables, and remember who has played in which server."""
    _create_rating()
    _create_rated_match()
    _create_rating_change()
    op.create_table(
        "guild_member",
        sa.Column("guild_id", big, primary_key=True),
        sa.Column("player_id", big, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("seen_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_index("ix_guild_member_player", "guild_member", ["player_id"])
    op.execute(
        "INSERT INTO guild_member (guild_id, player_id, seen_at) "
        "SELECT match.guild_id, seat.player_id, max(match.created_at) "
        "FROM match JOIN seat ON seat.match_id = match.id "
        "WHERE match.guild_id IS NOT NULL AND seat.player_id IS NOT NULL "
        "GROUP BY match.guild_id, seat.player_id"
    )


def _create_rating() -> None:
    op.create_table(
        "rating",
        sa.Column("pool", sa.Text, primary_key=True),
        sa.Column("player_id", big, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("value", number, nullable=False),
        sa.Column("deviation", number, nullable=False),
        sa.Column("volatility", number, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("opponents", sa.Integer, nullable=False),
        sa.Column("telling", sa.Integer, nullable=False),
        sa.Column("best", number),
        sa.Column("last_game_at", big, nullable=False),
        sa.Column("listed_until", big),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    listed = sa.text("listed_until IS NOT NULL")
    for name, columns in (
        ("listed", ["pool", "value", "player_id", "listed_until"]),
        ("listed_until", ["listed_until"]),
    ):
        op.create_index(
            f"ix_rating_{name}", "rating", columns, sqlite_where=listed, postgresql_where=listed
        )
    op.create_index("ix_rating_player", "rating", ["player_id"])


def _create_rated_match() -> None:
    op.create_table(
        "rated_match",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("reason", sa.Text),
        sa.Column("first_id", big, nullable=False),
        sa.Column("second_id", big),
        sa.Column("opening", sa.Text),
        sa.Column("winner", small, sa.CheckConstraint("winner IN (0, 1)", name="winner")),
        sa.Column("ended_at", big, nullable=False),
        sqlite_strict=True,
    )
    op.create_index("ix_rated_match_pair", "rated_match", ["first_id", "second_id", "ended_at"])


def _create_rating_change() -> None:
    op.create_table(
        "rating_change",
        sa.Column("match_id", big, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("player_id", big, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("pool", sa.Text, nullable=False),
        sa.Column("opponent_id", big),
        sa.Column("level", small),
        sa.Column("value_before", number, nullable=False),
        sa.Column("deviation_before", number, nullable=False),
        sa.Column("volatility_before", number, nullable=False),
        sa.Column("value_after", number, nullable=False),
        sa.Column("deviation_after", number, nullable=False),
        sa.Column("volatility_after", number, nullable=False),
        sa.Column("changed_at", big, nullable=False),
        sa.CheckConstraint("(opponent_id IS NULL) <> (level IS NULL)", name="person_or_computer"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    for name, columns in (
        ("opponent", ["player_id", "pool", "opponent_id", "level"]),
        ("graph", ["player_id", "pool", "changed_at"]),
        ("period", ["pool", "changed_at"]),
    ):
        op.create_index(f"ix_rating_change_{name}", "rating_change", columns)
