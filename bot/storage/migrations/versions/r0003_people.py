"""What people need to play each other: challenges, clocks, blocks, vacations and settings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

# Written out instead of imported: a revision has to stay what it was when it ran.
big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
small = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add columns to matches and events, and make the tables about people and servers."""
    _add_columns()
    _create_challenge()
    op.create_table(
        "block",
        sa.Column("player_id", big, primary_key=True),
        sa.Column("other_id", big, primary_key=True),
        sa.Column("created_at", big, nullable=False),
        sa.CheckConstraint("player_id <> other_id", name="not_oneself"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_table(
        "vacation",
        sa.Column("player_id", big, primary_key=True),
        sa.Column("began_at", big, primary_key=True),
        sa.Column("until", big, nullable=False),
        sa.CheckConstraint("began_at <= until", name="in_order"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_table(
        "downtime",
        sa.Column("began_at", big, primary_key=True),
        sa.Column("ended_at", big, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    for owner in ("player", "guild"):
        op.create_table(
            f"{owner}_setting",
            sa.Column(f"{owner}_id", big, primary_key=True),
            sa.Column("key", sa.Text, primary_key=True),
            sa.Column("value", sa.Text, nullable=False),
            sa.Column("updated_at", big, nullable=False),
            sqlite_with_rowid=False,
            sqlite_strict=True,
        )


def _add_columns() -> None:
    # As text: alembic cannot add a column together with its constraint on SQLite. Added
    # columns may have what these have in every old row: nothing, or a constant.
    integer, flag = (each.compile(dialect=op.get_bind().dialect) for each in (big, small))
    op.execute(
        f"ALTER TABLE match ADD COLUMN rated {flag} DEFAULT 0 NOT NULL "
        "CONSTRAINT ck_match_rated CHECK (rated IN (0, 1))"
    )
    op.execute("ALTER TABLE match ADD COLUMN clock TEXT")
    for name in ("deadline_at", "remind_at", "left_x", "left_o"):
        op.execute(f"ALTER TABLE match ADD COLUMN {name} {integer}")
    for name in ("deadline_at", "remind_at"):
        known = sa.text(f"{name} IS NOT NULL")
        op.create_index(
            f"ix_match_{name}", "match", [name], sqlite_where=known, postgresql_where=known
        )
    op.execute("ALTER TABLE event ADD COLUMN cells TEXT")


def _create_challenge() -> None:
    op.create_table(
        "challenge",
        sa.Column("id", big, primary_key=True),
        sa.Column("challenger_id", big, sa.ForeignKey("player.id"), nullable=False),
        sa.Column("opponent_id", big, sa.ForeignKey("player.id")),
        sa.Column("taker_id", big, sa.ForeignKey("player.id")),
        sa.Column("variant_key", sa.Text, nullable=False),
        sa.Column("opening_code", sa.Text),
        sa.Column("side", small, sa.CheckConstraint("side IN (0, 1)", name="side")),
        sa.Column(
            "rated", small, sa.CheckConstraint("rated IN (0, 1)", name="rated"), nullable=False
        ),
        sa.Column("clock", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("previous_id", big, sa.ForeignKey("match.id")),
        sa.Column("match_id", big, sa.ForeignKey("match.id")),
        sa.Column("guild_id", big),
        sa.Column("channel_id", big),
        sa.Column("message_id", big),
        sa.Column("created_at", big, nullable=False),
        sa.Column("expires_at", big, nullable=False),
        sa.Column("closed_at", big),
        sa.CheckConstraint("(status = 'open') = (closed_at IS NULL)", name="closed_at_once_closed"),
        sa.CheckConstraint(
            "(status = 'accepted') = (match_id IS NOT NULL)", name="accepted_is_a_match"
        ),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    is_open = sa.text("status = 'open'")
    for name in ("challenger_id", "opponent_id", "guild_id", "expires_at", "previous_id"):
        op.create_index(
            f"ix_challenge_open_{name}",
            "challenge",
            [name],
            sqlite_where=is_open,
            postgresql_where=is_open,
        )
