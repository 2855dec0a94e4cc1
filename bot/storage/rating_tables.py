"""The tables of ratings: who has which, how each game has moved it, and who is where.

A table of its own says for each match that was meant to be rated whether it counts:
that is what keeps a match from being rated twice, and what tells the players why not.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    text,
)
from sqlalchemy.types import TypeEngine

from bot.storage.schema import BigId, Instant, Small, metadata

# Strict tables of SQLite know REAL only, which has 64 bits there.
Number: Final[TypeEngine[float]] = Double().with_variant(REAL(), "sqlite")

rating: Final = Table(
    "rating",
    metadata,
    Column("pool", Text, primary_key=True, comment="the key of the variant"),
    Column("player_id", BigId, ForeignKey("player.id"), primary_key=True),
    Column("value", Number, nullable=False),
    Column("deviation", Number, nullable=False, comment="just after the last game"),
    Column("volatility", Number, nullable=False),
    Column("games", Integer, nullable=False, comment="that have counted"),
    Column("opponents", Integer, nullable=False, comment="different ones, levels too"),
    Column("telling", Integer, nullable=False, comment="games that speak for the leaderboard"),
    Column("best", Number, comment="the highest value that was not provisional"),
    Column("last_game_at", Instant, nullable=False),
    Column("listed_until", Instant, comment="on the leaderboard before; none if not on it"),
    Column("won", Integer, nullable=False, server_default=text("0"), comment="of the games"),
    Column("drawn", Integer, nullable=False, server_default=text("0")),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# A leaderboard is this index read backwards from a key; it holds nobody who is not on it.
Index(
    "ix_rating_listed",
    rating.c.pool,
    rating.c.value,
    rating.c.player_id,
    rating.c.listed_until,
    sqlite_where=text("listed_until IS NOT NULL"),
    postgresql_where=text("listed_until IS NOT NULL"),
)
Index(
    "ix_rating_listed_until",
    rating.c.listed_until,
    sqlite_where=text("listed_until IS NOT NULL"),
    postgresql_where=text("listed_until IS NOT NULL"),
)
Index("ix_rating_player", rating.c.player_id)

rated_match: Final = Table(
    "rated_match",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("reason", Text, comment="why it does not count; none if it does"),
    Column("first_id", BigId, nullable=False, comment="of two people the lower number"),
    Column("second_id", BigId, comment="none against the computer"),
    Column("opening", Text, comment="how the game began, against the computer"),
    Column("winner", Small, CheckConstraint("winner IN (0, 1)", name="winner")),
    Column("ended_at", Instant, nullable=False),
    sqlite_strict=True,
)

# Both the last games of a pair and one's last games against the computer.
Index(
    "ix_rated_match_pair",
    rated_match.c.first_id,
    rated_match.c.second_id,
    rated_match.c.ended_at,
)

rating_change: Final = Table(
    "rating_change",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("player_id", BigId, ForeignKey("player.id"), primary_key=True),
    Column("pool", Text, nullable=False),
    Column("opponent_id", BigId),
    Column("level", Small),
    Column("value_before", Number, nullable=False),
    Column("deviation_before", Number, nullable=False, comment="grown to the game's end"),
    Column("volatility_before", Number, nullable=False),
    Column("value_after", Number, nullable=False),
    Column("deviation_after", Number, nullable=False),
    Column("volatility_after", Number, nullable=False),
    Column("changed_at", Instant, nullable=False),
    CheckConstraint("(opponent_id IS NULL) <> (level IS NULL)", name="person_or_computer"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

Index(
    "ix_rating_change_opponent",
    rating_change.c.player_id,
    rating_change.c.pool,
    rating_change.c.opponent_id,
    rating_change.c.level,
)
Index(
    "ix_rating_change_graph",
    rating_change.c.player_id,
    rating_change.c.pool,
    rating_change.c.changed_at,
)
# Chances of X by ply, as a review has found them: a replay shows them without thinking again.
review: Final = Table(
    "review",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("chances", Text, nullable=False, comment="in thousandths, from the opening on"),
    Column("made_at", Instant, nullable=False),
    sqlite_strict=True,
)

# Who has been seen in a server: the bot may not list its members, and need not.
guild_member: Final = Table(
    "guild_member",
    metadata,
    Column("guild_id", BigId, primary_key=True),
    Column("player_id", BigId, ForeignKey("player.id"), primary_key=True),
    Column("seen_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

Index("ix_guild_member_player", guild_member.c.player_id)
