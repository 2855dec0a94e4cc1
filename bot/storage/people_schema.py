"""The tables about people and servers beside the matches; part of the same schema."""

from __future__ import annotations

from typing import Final

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Table, Text, text

from bot.storage.schema import BigId, Instant, Small, metadata

challenge: Final = Table(
    "challenge",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("challenger_id", BigId, ForeignKey("player.id"), nullable=False),
    Column("opponent_id", BigId, ForeignKey("player.id"), comment="none: open to anyone"),
    Column("taker_id", BigId, ForeignKey("player.id"), comment="who has accepted or declined"),
    Column("variant_key", Text, nullable=False),
    Column("opening_code", Text, comment="none: drawn if these rules have one"),
    Column(
        "side",
        Small,
        CheckConstraint("side IN (0, 1)", name="side"),
        comment="the challenger's; none: by chance",
    ),
    Column("rated", Small, CheckConstraint("rated IN (0, 1)", name="rated"), nullable=False),
    Column("clock", Text, comment="the key of its clock rules; none without a clock"),
    Column("status", Text, nullable=False),
    Column("previous_id", BigId, ForeignKey("match.id"), comment="the match to be followed"),
    Column("match_id", BigId, ForeignKey("match.id"), comment="what came of it"),
    Column("guild_id", BigId),
    Column("channel_id", BigId),
    Column("message_id", BigId),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("closed_at", Instant),
    CheckConstraint("(status = 'open') = (closed_at IS NULL)", name="closed_at_once_closed"),
    CheckConstraint("(status = 'accepted') = (match_id IS NOT NULL)", name="accepted_is_a_match"),
    # As with matches: buttons in old messages carry the number for ever.
    sqlite_autoincrement=True,
    sqlite_strict=True,
)

for _column in ("challenger_id", "opponent_id", "guild_id", "expires_at", "previous_id"):
    Index(
        f"ix_challenge_open_{_column}",
        challenge.c[_column],
        sqlite_where=text("status = 'open'"),
        postgresql_where=text("status = 'open'"),
    )

block: Final = Table(
    "block",
    metadata,
    Column("player_id", BigId, primary_key=True, comment="who does not want to be challenged"),
    Column("other_id", BigId, primary_key=True, comment="by whom"),
    Column("created_at", Instant, nullable=False),
    CheckConstraint("player_id <> other_id", name="not_oneself"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

vacation: Final = Table(
    "vacation",
    metadata,
    Column("player_id", BigId, primary_key=True),
    Column("began_at", Instant, primary_key=True),
    Column("until", Instant, nullable=False),
    CheckConstraint("began_at <= until", name="in_order"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# How long the bot itself was away; clocks stood still meanwhile.
downtime: Final = Table(
    "downtime",
    metadata,
    Column("began_at", Instant, primary_key=True),
    Column("ended_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

player_setting: Final = Table(
    "player_setting",
    metadata,
    Column("player_id", BigId, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("updated_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

guild_setting: Final = Table(
    "guild_setting",
    metadata,
    Column("guild_id", BigId, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("updated_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# Whose data was deleted lately: a backup from before must not bring it back. The number of the
# person cannot be read off the fingerprint, but whoever has one can be compared with it.
erasure: Final = Table(
    "erasure",
    metadata,
    Column("fingerprint", Text, primary_key=True, comment="of the user's id at Discord"),
    Column("erased_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# A message that calls a player to a match: there is one at most, and it goes when they have moved.
notice: Final = Table(
    "notice",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("player_id", BigId, primary_key=True),
    Column("channel_id", BigId, nullable=False),
    Column("message_id", BigId, nullable=False),
    Column("sent_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# Who has asked for direct messages and takes none from the bot; told so once, then forgotten.
unreached: Final = Table(
    "unreached",
    metadata,
    Column("player_id", BigId, primary_key=True),
    Column("noted_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)
