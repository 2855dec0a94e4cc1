"""What is shown about a player: records, streaks, opponents, achievements."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.model.match import is_stand_in
from bot.model.ratings.values import DRAWN, LOST, WON

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from bot.model.puzzles import DailyStreak, SolverRow
    from bot.model.ratings.achievements import Achievement
    from bot.model.ratings.values import PlayerRating, TallyRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How many games were won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def played(self) -> int:
        """All of them."""
        return self.won + self.drawn + self.lost

    @property
    def score(self) -> float | None:
        """The share of points, draws as halves; None without games."""
        return (self.won + self.drawn / 2) / self.played if self.played else None

    def __add__(self, other: Record) -> Record:
        return Record(
            won=self.won + other.won, drawn=self.drawn + other.drawn, lost=self.lost + other.lost
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """A player's finished games, casual ones too, counted in several ways.

    Attributes:
        total: All of them.
        by_variant: By the key of the variant or of the custom rules; most played first.
        by_side: With X and with O, as the seats were at the end.
        by_level: Against the computer, by level.
        against_people: Against people.
    """

    total: Record
    by_variant: Mapping[str, Record]
    by_side: tuple[Record, Record]
    by_level: Mapping[int, Record]
    against_people: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Streak:
    """The same result several times in a row.

    Attributes:
        result: "won", "drawn" or "lost".
        length: How often.
        last_at: When the last of them ended.
    """

    result: str
    length: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadToHead:
    """How it went against one person."""

    player_id: int
    name: str
    record: Record

    @property
    def has_left(self) -> bool:
        """Whether a stand-in is named for somebody who has had their data deleted."""
        return is_stand_in(self.player_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """The finished games of two people, from the view of one of them.

    Attributes:
        records: Their results.
        form: The last results, oldest first: "won", "drawn" or "lost".
    """

    records: Records
    form: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known of a player.

    Attributes:
        player_id: Who.
        ratings: In each pool with a game that counted, the most played first.
        records: The results of the finished games.
        streak: The one the last game belongs to; None without games.
        longest_won: The longest streak of wins, if any game was won.
        form: The last results, oldest first: "won", "drawn" or "lost".
        opponents: The people played most often.
        versus: The results against the person asked about, if any and if they have met.
        achievements: Those earned, in the order of their list.
        puzzles: How well they solve puzzles at this moment; None before the first one.
        daily: Their streak of daily puzzles; None before the first one.
    """

    player_id: int
    ratings: tuple[PlayerRating, ...]
    records: Records
    streak: Streak | None
    longest_won: Streak | None
    form: tuple[str, ...]
    opponents: tuple[HeadToHead, ...]
    versus: HeadToHead | None
    achievements: tuple[Achievement, ...]
    puzzles: SolverRow | None = None
    daily: DailyStreak | None = None


def count_records(rows: Iterable[TallyRow]) -> Records:
    """Add up counted games in every way that is asked for."""
    total = against_people = Record()
    sides = [Record(), Record()]
    variants: defaultdict[str, Record] = defaultdict(Record)
    levels: defaultdict[int, Record] = defaultdict(Record)
    for row in rows:
        record = _record_of(row)
        total += record
        sides[row.side] += record
        variants[row.variant_key] += record
        if row.level is None:
            against_people += record
        else:
            levels[row.level] += record
    by_variant = sorted(variants.items(), key=lambda item: (-item[1].played, item[0]))
    return Records(
        total=total,
        by_variant=dict(by_variant),
        by_side=(sides[0], sides[1]),
        by_level=dict(sorted(levels.items())),
        against_people=against_people,
    )


def _record_of(row: TallyRow) -> Record:
    return Record(
        won=row.count if row.result == WON else 0,
        drawn=row.count if row.result == DRAWN else 0,
        lost=row.count if row.result == LOST else 0,
    )
