"""What is shown about a player: records, streaks, opponents, achievements."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.model.match import is_stand_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    """

    total: Record
    by_variant: Mapping[str, Record]
    by_side: tuple[Record, Record]
    by_level: Mapping[int, Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class Streak:
    """The same result, "won", "drawn" or "lost", several times in a row."""

    result: str
    length: int


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
        ratings: In each pool with a game that counted, the most played first.
        records: The results of the finished games.
        streak: The one the last game belongs to; None without games.
        longest_won: How many games were won in a row at most.
        form: The last results, oldest first: "won", "drawn" or "lost".
        opponents: The people played most often.
        achievements: Those earned, in the order of their list.
        puzzles: How well they solve puzzles at this moment; None before the first one.
        daily: Their streak of daily puzzles; None before the first one.
    """

    ratings: tuple[PlayerRating, ...]
    records: Records
    streak: Streak | None
    longest_won: int
    form: tuple[str, ...]
    opponents: tuple[HeadToHead, ...]
    achievements: tuple[Achievement, ...]
    puzzles: SolverRow | None = None
    daily: DailyStreak | None = None


def count_records(rows: Iterable[TallyRow]) -> Records:
    """Add up counted games in every way that is asked for."""
    total = Record()
    sides = [Record(), Record()]
    variants: defaultdict[str, Record] = defaultdict(Record)
    levels: defaultdict[int, Record] = defaultdict(Record)
    for row in rows:
        record = Record(**{row.result: row.count})
        total += record
        sides[row.side] += record
        variants[row.variant_key] += record
        if row.level is not None:
            levels[row.level] += record
    by_variant = sorted(variants.items(), key=lambda item: (-item[1].played, item[0]))
    return Records(
        total=total,
        by_variant=dict(by_variant),
        by_side=(sides[0], sides[1]),
        by_level=dict(sorted(levels.items())),
    )
