"""The tables. Migrations make them; a test holds the two together.

A match is its rules and its moves; positions are computed from them. What is
written beside the moves (`ply`, `to_move`, `winner`) is there to be searched and
compared, and is stored by the same transaction as the move it follows from.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    TypeDecorator,
    text,
)

if TYPE_CHECKING:
    from sqlalchemy import Dialect

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)

# Strict tables of SQLite know INTEGER only, which holds 64 bits there.
BigId: Final = BigInteger().with_variant(Integer(), "sqlite")
Small: Final = SmallInteger().with_variant(Integer(), "sqlite")


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime, stored as whole milliseconds since 1970.

    Six bytes instead of 27 as text: there is one in every row of the largest table.
    """

    impl = BigId
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Turn a datetime into its number."""
        del dialect
        return None if value is None else (value - _EPOCH) // _MILLISECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Turn a number into its datetime."""
        del dialect
        return None if value is None else _EPOCH + value * _MILLISECOND


class Span(TypeDecorator[timedelta]):
    """A length of time, stored as whole milliseconds."""

    impl = BigId
    cache_ok = True

    def process_bind_param(self, value: timedelta | None, dialect: Dialect) -> int | None:
        """Turn a timedelta into its number."""
        del dialect
        return None if value is None else value // _MILLISECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> timedelta | None:
        """Turn a number into its timedelta."""
        del dialect
        return None if value is None else value * _MILLISECOND


metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

player: Final = Table(
    "player",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=False, comment="the user's id at Discord"),
    Column("name", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
    sqlite_strict=True,
)

match: Final = Table(
    "match",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("variant_key", Text, nullable=False),
    Column("rules", Text, nullable=False, comment="the key that the engine reads back"),
    Column("opening_code", Text, comment="what was drawn before the first free move"),
    Column("status", Text, nullable=False),
    Column("ply", Integer, CheckConstraint("ply >= 0", name="ply"), nullable=False),
    Column("to_move", Small, CheckConstraint("to_move IN (0, 1)", name="to_move")),
    Column("winner", Small, CheckConstraint("winner IN (0, 1)", name="winner")),
    Column("end_reason", Text),
    Column("previous_id", BigId, ForeignKey("match.id"), comment="the match this one follows"),
    Column("guild_id", BigId),
    Column("channel_id", BigId),
    Column("message_id", BigId),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column(
        "rated",
        Small,
        CheckConstraint("rated IN (0, 1)", name="rated"),
        nullable=False,
        server_default=text("0"),
    ),
    Column("clock", Text, comment="the key of its clock rules; none without a clock"),
    Column("deadline_at", Instant, comment="when the side to move loses on time"),
    Column("remind_at", Instant, comment="when to remind it; none once that is done"),
    Column("left_x", Span, comment="the time X has, from its next turn on"),
    Column("left_o", Span),
    Column(
        "revision",
        Integer,
        CheckConstraint("revision >= 0", name="revision"),
        nullable=False,
        server_default=text("0"),
        comment="how many moves and events have been stored",
    ),
    CheckConstraint("(status = 'ongoing') = (to_move IS NOT NULL)", name="to_move_while_ongoing"),
    CheckConstraint("(end_reason IS NULL) = (ended_at IS NULL)", name="ended_with_reason"),
    # Buttons in old messages carry the number for ever: it must never be given out again.
    sqlite_autoincrement=True,
    sqlite_strict=True,
)

Index(
    "ix_match_ongoing",
    match.c.to_move,
    sqlite_where=text("status = 'ongoing'"),
    postgresql_where=text("status = 'ongoing'"),
)

for _instant in (match.c.deadline_at, match.c.remind_at):
    Index(
        f"ix_match_{_instant.name}",
        _instant,
        sqlite_where=text(f"{_instant.name} IS NOT NULL"),
        postgresql_where=text(f"{_instant.name} IS NOT NULL"),
    )

# A match is followed by one other at most: a button pressed twice starts one.
Index("ix_match_previous_id", match.c.previous_id, unique=True)

seat: Final = Table(
    "seat",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("side", Small, CheckConstraint("side IN (0, 1)", name="side"), primary_key=True),
    Column("player_id", BigId, ForeignKey("player.id")),
    Column("level", Small, comment="set for a seat of the computer"),
    CheckConstraint("(player_id IS NULL) <> (level IS NULL)", name="person_or_computer"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

Index("ix_seat_player", seat.c.player_id, seat.c.match_id)

# The key is the lock: of two clicks on one position the second finds its ply taken.
move: Final = Table(
    "move",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("ply", Integer, CheckConstraint("ply >= 0", name="ply"), primary_key=True),
    Column("cell", Integer, nullable=False),
    Column("played_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# What happens in a match beside its moves: seats swapped, draws offered, moves taken back.
# Rows are added and never changed; `match`, `seat` and `move` hold what follows, and what
# was taken out of `move` stands here.
# Moves and events are counted together, so that the number of a match's next event
# tells one moment of it from every other, which its ply alone does not.
event: Final = Table(
    "event",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column(
        "number",
        Integer,
        CheckConstraint("number >= 0", name="number"),
        primary_key=True,
        comment="how many moves and events there had been before",
    ),
    Column(
        "ply",
        Integer,
        CheckConstraint("ply >= 0", name="ply"),
        nullable=False,
        comment="of the position that it left",
    ),
    Column("kind", Text, nullable=False),
    Column(
        "side",
        Small,
        CheckConstraint("side IN (0, 1)", name="side"),
        nullable=False,
        comment="whose doing it was, as the seats were then",
    ),
    Column("happened_at", Instant, nullable=False),
    Column("cells", Text, comment="the moves that were taken back, oldest first"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# What the process itself has to remember from one start to the next.
setting: Final = Table(
    "setting",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("updated_at", Instant, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# What Discord has confirmed to show of a match. A board is behind if that is another revision
# than the match's, another message than the match's, or a game that has ended since.
screen: Final = Table(
    "screen",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("message_id", BigId, comment="none if it has to be posted still"),
    Column("shown_revision", Integer, comment="none if it is not known"),
    Column("shown_as", Text, nullable=False),
    Column("player_id", BigId, comment="who alone sees it; none if others do too"),
    sqlite_strict=True,
)

Index(
    "ix_screen_match_id",
    screen.c.match_id,
    sqlite_where=text("shown_as <> 'over'"),
    postgresql_where=text("shown_as <> 'over'"),
)
