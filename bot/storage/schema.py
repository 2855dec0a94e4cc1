"""The tables. Migrations create them; a test checks that both agree.

A match consists of its rules and its moves; positions are computed from them. Columns
that follow from the moves (`ply`, `to_move`, `winner`) are there for searches and checks,
and are stored in the same transaction as the move.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    Column,
    Double,
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
from sqlalchemy.types import TypeEngine

if TYPE_CHECKING:
    from sqlalchemy import Dialect


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)

# SQLite's strict tables only know INTEGER, which holds 64 bits there.
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

_BY_KEY: Final[Any] = {"sqlite_strict": True, "sqlite_with_rowid": False}
"""For tables whose rows are found by their key and nothing else."""


def _bit(name: str, **options: Any) -> Column[int]:
    """Return a column of zeros and ones."""
    return Column(name, Small, CheckConstraint(f"{name} IN (0, 1)", name=name), **options)


def _count(name: str, **options: Any) -> Column[int]:
    """Return a column of numbers that are not negative."""
    return Column(name, Integer, CheckConstraint(f"{name} >= 0", name=name), **options)


def _where(condition: str) -> dict[str, Any]:
    """Return the options that limit an index to the rows that meet a condition."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


def _settings(name: str, *owner: Column[int]) -> Table:
    """Return a table of settings by key: of owners, or of the bot."""
    return Table(
        name,
        metadata,
        *owner,
        Column("key", Text, primary_key=True),
        Column("value", Text, nullable=False),
        Column("updated_at", Instant, nullable=False),
        **_BY_KEY,
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
    _count("ply", nullable=False),
    _bit("to_move"),
    _bit("winner"),
    Column("end_reason", Text),
    Column("previous_id", BigId, ForeignKey("match.id"), comment="the match this one follows"),
    Column("guild_id", BigId),
    Column("channel_id", BigId),
    Column("message_id", BigId),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("ended_at", Instant),
    _bit("rated", nullable=False, server_default=text("0")),
    Column("clock", Text, comment="the key of its clock rules; none without a clock"),
    Column("deadline_at", Instant, comment="when the side to move loses on time"),
    Column("remind_at", Instant, comment="when to remind it; none once that is done"),
    Column("left_x", Span, comment="the time X has, from its next turn on"),
    Column("left_o", Span),
    _count(
        "revision",
        nullable=False,
        server_default=text("0"),
        comment="how many moves and events have been stored",
    ),
    CheckConstraint("(status = 'ongoing') = (to_move IS NOT NULL)", name="to_move_while_ongoing"),
    CheckConstraint("(end_reason IS NULL) = (ended_at IS NULL)", name="ended_with_reason"),
    Index("ix_match_ongoing", "to_move", **_where("status = 'ongoing'")),
    Index("ix_match_deadline_at", "deadline_at", **_where("deadline_at IS NOT NULL")),
    Index("ix_match_remind_at", "remind_at", **_where("remind_at IS NOT NULL")),
    # A match is followed by at most one other: a button pressed twice starts only one.
    Index("ix_match_previous_id", "previous_id", unique=True),
    # For those who have won recently in a server.
    Index(
        "ix_match_guild",
        *("guild_id", "variant_key", "ended_at"),
        **_where("guild_id IS NOT NULL AND ended_at IS NOT NULL"),
    ),
    # Buttons in old messages carry the number forever: it must never be given out again.
    sqlite_autoincrement=True,
    sqlite_strict=True,
)

seat: Final = Table(
    "seat",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    _bit("side", primary_key=True),
    Column("player_id", BigId, ForeignKey("player.id")),
    Column("level", Small, comment="set for a seat of the computer"),
    CheckConstraint("(player_id IS NULL) <> (level IS NULL)", name="person_or_computer"),
    Index("ix_seat_player", "player_id", "match_id"),
    **_BY_KEY,
)

# The key is the lock: of two clicks on one position the second finds its ply taken.
move: Final = Table(
    "move",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    _count("ply", primary_key=True),
    Column("cell", Integer, nullable=False),
    Column("played_at", Instant, nullable=False),
    **_BY_KEY,
)

# What happens in a match besides its moves: seats swapped, draws offered, moves taken back.
# Rows are added and never changed; `match`, `seat` and `move` hold the resulting state, and
# moves removed from `move` are kept here.
# Moves and events are counted together, so that the number of a match's next event
# identifies one moment of the match, which its ply alone does not.
event: Final = Table(
    "event",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    _count("number", primary_key=True, comment="how many moves and events there had been before"),
    _count("ply", nullable=False, comment="of the position that it left"),
    Column("kind", Text, nullable=False),
    _bit("side", nullable=False, comment="whose doing it was, as the seats were then"),
    Column("happened_at", Instant, nullable=False),
    Column("cells", Text, comment="the moves that were taken back, oldest first"),
    **_BY_KEY,
)

# What the process itself has to remember across restarts.
setting: Final = _settings("setting")

# What Discord has confirmed that it shows of a match. A board is behind if its revision or its
# message is not that of the match, or if the game has ended since.
screen: Final = Table(
    "screen",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("message_id", BigId, comment="none if it has to be posted still"),
    Column("shown_revision", Integer, comment="none if it is not known"),
    Column("shown_as", Text, nullable=False),
    Column("player_id", BigId, comment="who alone sees it; none if others do too"),
    Column("token", Text, comment="of the answer that shows it first, until that is known"),
    Index("ix_screen_match_id", "match_id", **_where("shown_as <> 'over'")),
    sqlite_strict=True,
)

# Messages other than boards that still have to be sent or edited, stored with what causes them.
outbox: Final = Table(
    "outbox",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("message_id", BigId, primary_key=True, comment="which is edited, or led to"),
    Column("channel_id", BigId, nullable=False),
    Column("number", BigId, nullable=False, comment="of the match or challenge"),
    Column("tried_at", Instant, comment="when it was sent for the first time, if it may be there"),
    Column(
        "entry",
        BigId,
        nullable=False,
        server_default=text("0"),
        comment="tells it from what was entered before of the same kind and message",
    ),
    **_BY_KEY,
)

# The message in a server's feed that announces a match: that it has begun, or its result.
announcement: Final = Table(
    "announcement",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("channel_id", BigId, nullable=False),
    Column("message_id", BigId, nullable=False),
    sqlite_strict=True,
)

challenge: Final = Table(
    "challenge",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("challenger_id", BigId, ForeignKey("player.id"), nullable=False),
    Column("opponent_id", BigId, ForeignKey("player.id"), comment="none: open to anyone"),
    Column("taker_id", BigId, ForeignKey("player.id"), comment="who has accepted or declined"),
    Column("variant_key", Text, nullable=False),
    Column("opening_code", Text, comment="none: drawn if these rules have one"),
    _bit("side", comment="the challenger's; none: by chance"),
    _bit("rated", nullable=False),
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
    # As with matches: buttons in old messages carry the number forever.
    sqlite_autoincrement=True,
    sqlite_strict=True,
)

for _column in ("challenger_id", "opponent_id", "guild_id", "expires_at", "previous_id"):
    Index(f"ix_challenge_open_{_column}", challenge.c[_column], **_where("status = 'open'"))

block: Final = Table(
    "block",
    metadata,
    Column("player_id", BigId, primary_key=True, comment="who does not want to be challenged"),
    Column("other_id", BigId, primary_key=True, comment="by whom"),
    Column("created_at", Instant, nullable=False),
    CheckConstraint("player_id <> other_id", name="not_oneself"),
    **_BY_KEY,
)

vacation: Final = Table(
    "vacation",
    metadata,
    Column("player_id", BigId, primary_key=True),
    Column("began_at", Instant, primary_key=True),
    Column("until", Instant, nullable=False),
    CheckConstraint("began_at <= until", name="in_order"),
    **_BY_KEY,
)

# How long the bot itself was away; clocks stood still meanwhile.
downtime: Final = Table(
    "downtime",
    metadata,
    Column("began_at", Instant, primary_key=True),
    Column("ended_at", Instant, nullable=False),
    **_BY_KEY,
)

player_setting: Final = _settings("player_setting", Column("player_id", BigId, primary_key=True))
guild_setting: Final = _settings("guild_setting", Column("guild_id", BigId, primary_key=True))

# People whose data was deleted recently: a backup from before must not bring it back. The
# fingerprint does not reveal the person's number, but a known number can be compared with it.
erasure: Final = Table(
    "erasure",
    metadata,
    Column("fingerprint", Text, primary_key=True, comment="of the user's id at Discord"),
    Column("erased_at", Instant, nullable=False),
    **_BY_KEY,
)

# A message that calls a player to a match: at most one, deleted when they have moved.
notice: Final = Table(
    "notice",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("player_id", BigId, primary_key=True),
    Column("channel_id", BigId, nullable=False),
    Column("message_id", BigId, nullable=False),
    Column("sent_at", Instant, nullable=False),
    **_BY_KEY,
)

# News of a match that a player has not been told yet, stored with what causes it.
news: Final = Table(
    "news",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("player_id", BigId, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("revision", Integer, nullable=False, comment="of the match that made it so"),
    Column("noted_at", Instant, nullable=False),
    Column("tried_at", Instant, comment="when it was sent for the first time"),
    **_BY_KEY,
)

# Players who have muted a match; removed some time after the match has ended.
mute: Final = Table(
    "mute",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("player_id", BigId, primary_key=True),
    Column("muted_at", Instant, nullable=False),
    **_BY_KEY,
)

# Players who asked for direct messages but accept none from the bot; told so once, then removed.
unreached: Final = Table(
    "unreached",
    metadata,
    Column("player_id", BigId, primary_key=True),
    Column("noted_at", Instant, nullable=False),
    **_BY_KEY,
)


# SQLite's strict tables only know REAL, which has 64 bits there.
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
    Column("placed_after", Integer, comment="games that placement took; none while it lasts"),
    # A leaderboard is this index read backwards from a key; it holds listed players only.
    Index(
        "ix_rating_listed",
        *("pool", "value", "player_id", "listed_until"),
        **_where("listed_until IS NOT NULL"),
    ),
    Index("ix_rating_listed_until", "listed_until", **_where("listed_until IS NOT NULL")),
    Index("ix_rating_player", "player_id"),
    **_BY_KEY,
)

rated_match: Final = Table(
    "rated_match",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("reason", Text, comment="why it does not count; none if it does"),
    Column("first_id", BigId, nullable=False, comment="of two people the lower number"),
    Column("second_id", BigId, comment="none against the computer"),
    Column("opening", Text, comment="how the game began, against the computer"),
    _bit("winner"),
    Column("ended_at", Instant, nullable=False),
    # For the last games of a pair, and for a player's last games against the computer.
    Index("ix_rated_match_pair", "first_id", "second_id", "ended_at"),
    sqlite_strict=True,
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
    Index("ix_rating_change_opponent", "player_id", "pool", "opponent_id", "level"),
    Index("ix_rating_change_graph", "player_id", "pool", "changed_at"),
    **_BY_KEY,
)

# What a review has found, by ply: replays and reviews show it without another search.
review: Final = Table(
    "review",
    metadata,
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column(
        "chances",
        Text,
        nullable=False,
        comment="of X in thousandths, from the opening on, and the best moves: 512/40",
    ),
    Column("made_at", Instant, nullable=False),
    sqlite_strict=True,
)

# How hard puzzles have been for people; those that nobody has tried have no row.
puzzle: Final = Table(
    "puzzle",
    metadata,
    Column("variant_key", Text, primary_key=True),
    Column("puzzle_id", Text, primary_key=True, comment="made of its position"),
    Column("value", Number, nullable=False),
    Column("deviation", Number, nullable=False),
    Column("volatility", Number, nullable=False),
    Column("plays", Integer, nullable=False, comment="decided attempts"),
    **_BY_KEY,
)

# How well people solve puzzles.
puzzle_player: Final = Table(
    "puzzle_player",
    metadata,
    Column("player_id", BigId, ForeignKey("player.id"), primary_key=True),
    Column("value", Number, nullable=False),
    Column("deviation", Number, nullable=False, comment="just after the last puzzle"),
    Column("volatility", Number, nullable=False),
    Column("rounds", Integer, nullable=False, comment="decided attempts"),
    Column("solved", Integer, nullable=False),
    Column("last_at", Instant, nullable=False),
    **_BY_KEY,
)

# Attempts at puzzles. The key is the lock: each counts once for a person.
puzzle_round: Final = Table(
    "puzzle_round",
    metadata,
    Column("player_id", BigId, ForeignKey("player.id"), primary_key=True),
    Column("variant_key", Text, primary_key=True),
    Column("puzzle_id", Text, primary_key=True),
    Column("begun_at", Instant, nullable=False),
    Column("found", Integer, nullable=False, comment="moves of its solution"),
    _bit("won", comment="none while open"),
    Column("decided_at", Instant),
    Column("value_before", Number, comment="the player's rating"),
    Column("value_after", Number),
    CheckConstraint(
        "(won IS NULL) = (decided_at IS NULL) AND (won IS NULL) = (value_before IS NULL)"
        " AND (won IS NULL) = (value_after IS NULL)",
        name="decided_at_once",
    ),
    **_BY_KEY,
)

# The puzzle of each day, chosen when first needed, so that it stays when puzzles are added.
daily_puzzle: Final = Table(
    "daily_puzzle",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False, comment="from 1970, in UTC"),
    Column("puzzle_id", Text, nullable=False),
    sqlite_strict=True,
)

# Attempts at daily puzzles. The key is the lock: each counts once for a person.
daily_round: Final = Table(
    "daily_round",
    metadata,
    Column("player_id", BigId, ForeignKey("player.id"), primary_key=True),
    Column("day", Integer, ForeignKey("daily_puzzle.day"), primary_key=True),
    Column("begun_at", Instant, nullable=False),
    Column("found", Integer, nullable=False, comment="moves of its solution"),
    _bit("won", comment="none while open"),
    Column("decided_at", Instant),
    Column("tries", Text, nullable=False, comment="a letter each"),
    Column("shared_at", Instant),
    CheckConstraint("(won IS NULL) = (decided_at IS NULL)", name="decided_at_once"),
    Index("ix_daily_round_day", "day", "won"),
    **_BY_KEY,
)

# The last day whose puzzle was posted in a server, or put into the outbox.
daily_post: Final = Table(
    "daily_post",
    metadata,
    Column("guild_id", BigId, primary_key=True, autoincrement=False),
    Column("day", Integer, nullable=False),
    sqlite_strict=True,
)

# The first moves of finished games, in positions folded by the symmetries of the rules.
opening_move: Final = Table(
    "opening_move",
    metadata,
    Column("position", BigId, primary_key=True, comment="the key of the one before the move"),
    Column("match_id", BigId, ForeignKey("match.id"), primary_key=True),
    Column("move", Integer, nullable=False),
    Column("against_computer", Small, nullable=False),
    _bit("winner"),
    Column("guild_id", BigId, comment="none in direct messages"),
    Index("ix_opening_move_guild", "position", "guild_id", "match_id"),
    **_BY_KEY,
)

# Sums of those rows, for the very first moves of games in servers.
opening_total: Final = Table(
    "opening_total",
    metadata,
    Column("guild_id", BigId, primary_key=True, comment="0 for all servers"),
    Column("position", BigId, primary_key=True),
    Column("against_computer", Small, primary_key=True),
    Column("move", Integer, primary_key=True),
    Column("x_wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("o_wins", Integer, nullable=False),
    **_BY_KEY,
)

# Puzzle races. Their runs say who takes part.
puzzle_race: Final = Table(
    "puzzle_race",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("guild_id", BigId, nullable=False),
    Column("channel_id", BigId, nullable=False),
    Column("message_id", BigId),
    Column("seed", BigId, nullable=False, comment="decides its puzzles"),
    Column("starts_at", Instant, nullable=False),
    Column("is_told", Small, nullable=False, comment="1 once its result is shown"),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)

# Runs through puzzles: storms, streaks, and each player's part in a race.
puzzle_run: Final = Table(
    "puzzle_run",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("player_id", BigId, ForeignKey("player.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("seed", BigId, nullable=False, comment="decides its puzzles"),
    Column("guild_id", BigId, comment="on whose leaderboards it counts"),
    Column("race_id", BigId, ForeignKey("puzzle_race.id")),
    Column("begun_at", Instant, nullable=False),
    Column("ends_at", Instant, comment="none before a storm's first move, and in a streak"),
    Column("place", Integer, nullable=False, comment="puzzles behind it"),
    Column("found", Integer, nullable=False, comment="moves of the next puzzle"),
    Column("score", Integer, nullable=False),
    Column("moves", Integer, nullable=False, comment="right ones"),
    Column("errors", Integer, nullable=False),
    Column("combo", Integer, nullable=False),
    Column("best_combo", Integer, nullable=False),
    Column("highest", Integer, nullable=False, comment="the rating of the hardest one solved"),
    Column("skipped", Integer, nullable=False),
    Index("ix_puzzle_run_player", "player_id", "kind", "begun_at"),
    Index("ix_puzzle_run_guild", "guild_id", "kind", "begun_at"),
    Index("ix_puzzle_run_race", "race_id"),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)

# A player's results in a server; its leaderboards are the two indexes, read backwards.
guild_player: Final = Table(
    "guild_player",
    metadata,
    Column("guild_id", BigId, primary_key=True),
    Column("pool", Text, primary_key=True, comment="the key of the variant"),
    Column("player_id", BigId, ForeignKey("player.id"), primary_key=True),
    Column("careful", Number, comment="of the rating; none before a rated game there"),
    Column("games", Integer, nullable=False, comment="there, between two people, casual ones too"),
    Column("won", Integer, nullable=False),
    Column("drawn", Integer, nullable=False),
    Column("wins", Number, comment="what a board of wins goes by; none before such a game"),
    Index(
        "ix_guild_player_careful",
        *("guild_id", "pool", "careful", "player_id"),
        **_where("careful IS NOT NULL"),
    ),
    Index(
        "ix_guild_player_wins",
        *("guild_id", "pool", "wins", "player_id"),
        **_where("wins IS NOT NULL"),
    ),
    Index("ix_guild_player_player", "player_id", "pool"),
    **_BY_KEY,
)
