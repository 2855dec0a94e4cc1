"""What is shown about ratings: changes, leaderboards, and why somebody is not on one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, Final

from bot.model.ratings import glicko, pools
from bot.model.ratings.glicko import Rating
from engine import LevelNumber, Side, level_rating
from engine.errors import say

if TYPE_CHECKING:
    from datetime import datetime

    from bot.model.ratings.pools import Reason
    from engine.errors import Sentence

WON: Final = "won"
DRAWN: Final = "drawn"
LOST: Final = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyRow:
    """How many matches of one kind ended in one way."""

    variant_key: str
    side: Side
    level: LevelNumber | None
    result: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """A player's rating in a pool, as it was after the last game; new without more values."""

    pool: str
    player_id: int
    value: float = glicko.CENTRE
    deviation: float = glicko.NEW_DEVIATION
    volatility: float = glicko.NEW_VOLATILITY
    games: int = 0
    opponents: int = 0
    telling: int = 0
    best: float | None = None
    last_game_at: datetime
    listed_until: datetime | None = None
    won: int = 0
    drawn: int = 0
    placed_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuildPlayerRow:
    """What somebody has played in a server, in one pool."""

    guild_id: int
    pool: str
    player_id: int
    careful: float | None = None
    games: int = 0
    won: int = 0
    drawn: int = 0
    wins: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """How a match has changed a player's rating."""

    match_id: int
    player_id: int
    pool: str
    opponent_id: int | None
    level: LevelNumber | None
    value_before: float
    deviation_before: float
    volatility_before: float
    value_after: float
    deviation_after: float
    volatility_after: float
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedMatchRow:
    """A match that was meant to be rated; it counts unless there is a reason."""

    match_id: int
    reason: str | None
    first_id: int
    second_id: int | None
    opening: str | None
    winner: Side | None
    ended_at: datetime


class BoardKind(Enum):
    """What a leaderboard is ordered by; games won are those between people of one server."""

    RATING = "rating"
    WINS = "wins"


class Period(Enum):
    """What a leaderboard is about: ratings, or what was won in the last days."""

    ALL = None
    MONTH = timedelta(days=30)
    WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRating:
    """How strong a player is thought to be at this moment, in one pool.

    Attributes:
        pool: The key of the variant.
        rating: With the deviation grown to this moment.
        games: How many games have counted.
        best: The highest rating that was not provisional, if there ever was one.
        is_placed: Whether placement is over; until then the rating is not shown as a number.
    """

    pool: str
    rating: Rating
    games: int
    best: float | None
    is_placed: bool

    @property
    def is_provisional(self) -> bool:
        """Whether it is to be shown with a question mark."""
        return pools.is_provisional(self.rating)

    @property
    def words(self) -> Sentence | str:
        """The rating as it is shown, such as "1523", "1500?" or "placement game 3 of 5"."""
        return rating_in_words(self.rating) if self.is_placed else placement_in_words(self.games)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingChange:
    """How a match has changed a player's rating.

    Attributes:
        player_id: Whose rating.
        before: Just before the match ended.
        after: Just after.
        changed_at: When it ended.
        games: How many games had counted with this one.
        placed_after: How many of them the placement took; None while it lasts.
    """

    player_id: int
    before: Rating
    after: Rating
    changed_at: datetime
    games: int
    placed_after: int | None

    @property
    def gain(self) -> int:
        """How many points were won, negative if lost; the difference of the ratings as shown."""
        return round(self.after.value) - round(self.before.value)

    @property
    def is_placed(self) -> bool:
        """Whether the rating could be shown after this game."""
        return self.placed_after is not None and self.games >= self.placed_after

    @property
    def is_sure(self) -> bool:
        """Whether it is a change in points: between two ratings that are not provisional."""
        ratings = (self.before, self.after)
        return self.is_placed and not any(map(pools.is_provisional, ratings))

    @property
    def words(self) -> Sentence | str:
        """The change as it is shown, such as "1523 → 1540 (+17)".

        The points that a provisional rating wins or loses say little and frighten: only the rating
        is shown then, and during placement only which game it was.
        """
        if not self.is_placed:
            return placement_in_words(self.games)
        if self.games == self.placed_after:
            return say("placement done: {rating}", rating=rating_in_words(self.after))
        if not self.is_sure:
            return rating_in_words(self.after)
        before, after = rating_in_words(self.before), rating_in_words(self.after)
        change = f"{self.gain:+d}".replace("-", "\N{MINUS SIGN}")
        return f"{before} → {after} ({change})"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRating:
    """What a match meant for the ratings of its players.

    Attributes:
        reason: Why it does not count although it was to be rated; None if it does.
        changes: What it changed: one for each person; none if it does not count.
    """

    reason: Reason | None
    changes: tuple[RatingChange, ...]

    def of(self, player_id: int) -> RatingChange | None:
        """Return what it changed for a player."""
        return next((change for change in self.changes if change.player_id == player_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardKey:
    """Where a page of a leaderboard begins or ends; short enough for a button's id.

    Attributes:
        value: What the entry there is ordered by.
        player_id: Whose it is.
        rank: Its rank when the page was made.
    """

    value: float
    player_id: int
    rank: int

    @property
    def text(self) -> str:
        """The key as text that `parse` reads; 56 characters at most."""
        return f"{self.value!r}/{self.player_id}/{self.rank}"

    @classmethod
    def parse(cls, text: str) -> BoardKey:
        """Read a key back.

        Raises:
            ValueError: If the text is not a key.
        """
        try:
            value, player_id, rank = text.split("/")
            return cls(value=float(value), player_id=int(player_id), rank=int(rank))
        except ValueError:
            raise ValueError(f"not a key of a leaderboard: {text!r}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardEntry:
    """A player on a leaderboard.

    Attributes:
        rank: From 1.
        rating: With the deviation grown to this moment; a new player's without a rated game.
        games: How many games have counted.
        is_placed: Whether the rating can be shown.
        place: The value that the leaderboard is ordered by.
        gain: What was won in the period, on a leaderboard of a period.
        won, drawn, lost: How the games ended; on a leaderboard of a period, those in it.
        trend: What was won in the period, or in a month; None without a game that tells.
    """

    rank: int
    player_id: int
    name: str
    rating: Rating
    games: int
    is_placed: bool
    place: float
    gain: float | None = None
    won: int = 0
    drawn: int = 0
    lost: int = 0
    trend: float | None = None

    @property
    def key(self) -> BoardKey:
        """The key of a page that begins or ends here."""
        return BoardKey(value=self.place, player_id=self.player_id, rank=self.rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage:
    """A page of a leaderboard.

    Attributes:
        entries: Best first.
        total: How many are on the whole leaderboard.
        before: Give this as `before` to get the page above; None on the first.
        after: Give this as `after` to get the page below; None on the last.
    """

    entries: tuple[BoardEntry, ...]
    total: int
    before: BoardKey | None
    after: BoardKey | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a player is on a leaderboard, or why not.

    Attributes:
        entry: Their entry; None if they are not on it.
        total: How many are.
        why_not: What is missing, as a sentence; None if they are on it.
    """

    entry: BoardEntry | None
    total: int
    why_not: Sentence | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """A page of a leaderboard as somebody sees it, and their own place."""

    page: BoardPage
    own: Standing


def rating_in_words(rating: Rating) -> str:
    """Return a rating as it is shown: whole points, with "?" while provisional."""
    return f"{round(rating.value)}{'?' if pools.is_provisional(rating) else ''}"


def placement_in_words(games: int) -> Sentence:
    """Say how far the placement of a new player is."""
    words = say("placement game {count} of {needed}")
    return words.format(count=games, needed=pools.placement_games(games))


# The levels were measured in hundreds of games against each other; what remains unsure
# is how play between them compares to play against people.
LEVEL_DEVIATION: Final = 60.0


def rating_of_level(level: LevelNumber, pool: str) -> Rating:
    """Return the rating of a level of the computer in a pool.

    Raises:
        EngineError: If there is no such level.
    """
    return Rating(value=float(level_rating(level, pool)), deviation=LEVEL_DEVIATION)
