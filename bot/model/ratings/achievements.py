"""Achievements: a list of names, and for each a condition on what a player has done.

None is stored: they follow from the finished games. To add one, add it to the list;
players who have earned it already have it at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine import LEVELS, VARIANTS
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.model.ratings.profile import Records


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeds:
    """What achievements are about.

    Attributes:
        people_met: How many different people were played.
        longest_won: The length of the longest streak of wins.
        fewest_plies_won: The length of the shortest game won on the board, if any.
        rated_games: How many games have counted for a rating.
        best_rating: The highest rating in any pool that was not provisional, if any.
    """

    records: Records
    people_met: int = 0
    longest_won: int = 0
    fewest_plies_won: int | None = None
    rated_games: int = 0
    best_rating: float | None = None


@dataclass(frozen=True, slots=True)
class Achievement:
    """Something to be proud of.

    Attributes:
        key: How texts and pictures refer to it; never renamed.
        name: What is shown.
        summary: What it is for, as a sentence without a subject.
        is_earned: Returns whether somebody has done it.
    """

    key: str
    name: Sentence
    summary: Sentence
    is_earned: Callable[[Deeds], bool]


# The shortest won game of standard rules has 17 plies; games between people take 40 to 60.
_SHORT_GAME_PLIES: Final = 30
_VARIANT_EXPLORER: Final = 5


def _has_beaten(lowest: int) -> Callable[[Deeds], bool]:
    return lambda deeds: any(
        record.won for level, record in deeds.records.by_level.items() if level >= lowest
    )


def _has_won(count: int) -> Callable[[Deeds], bool]:
    return lambda deeds: deeds.records.total.won >= count


def _has_streak(length: int) -> Callable[[Deeds], bool]:
    return lambda deeds: deeds.longest_won >= length


def _has_reached(value: int) -> Callable[[Deeds], bool]:
    return lambda deeds: deeds.best_rating is not None and round(deeds.best_rating) >= value


def _variants_won(deeds: Deeds) -> int:
    return sum(
        1 for key, record in deeds.records.by_variant.items() if record.won and key in VARIANTS
    )


def _counted(
    *entries: tuple[str, Sentence, Sentence, Callable[[Deeds], bool]],
) -> tuple[Achievement, ...]:
    return tuple(Achievement(*entry) for entry in entries)


ACHIEVEMENTS: Final = _counted(
    (
        "first-game",
        say("On the board"),
        say("Finish a game."),
        lambda d: d.records.total.played >= 1,
    ),
    ("first-win", say("First blood"), say("Win a game."), _has_won(1)),
    ("wins-10", say("Getting the hang of it"), say("Win 10 games."), _has_won(10)),
    ("wins-100", say("Centurion"), say("Win 100 games."), _has_won(100)),
    ("wins-1000", say("Nine boards deep"), say("Win 1,000 games."), _has_won(1000)),
    ("streak-3", say("Three in a row"), say("Win 3 games in a row."), _has_streak(3)),
    ("streak-9", say("A full board"), say("Win 9 games in a row."), _has_streak(9)),
    ("level-3", say("Warmed up"), say("Beat the computer at level 3 or higher."), _has_beaten(3)),
    ("level-5", say("On a par"), say("Beat the computer at level 5 or higher."), _has_beaten(5)),
    (
        "level-7",
        say("Expert's bane"),
        say("Beat the computer at level 7 or higher."),
        _has_beaten(7),
    ),
    (
        "level-9",
        say("Giant killer"),
        say("Beat the computer at level 9 or higher."),
        _has_beaten(9),
    ),
    (
        "level-10",
        say("Unbound"),
        say("Beat the computer at level 10."),
        _has_beaten(LEVELS[-1].number),
    ),
    (
        "both-sides",
        say("Ambidextrous"),
        say("Win 10 games with X and 10 with O."),
        lambda d: all(record.won >= 10 for record in d.records.by_side),
    ),
    (
        "short-game",
        say("Blitz"),
        say("Win a game on the board within 30 moves of both sides."),
        lambda d: d.fewest_plies_won is not None and d.fewest_plies_won <= _SHORT_GAME_PLIES,
    ),
    ("draws-5", say("Diplomat"), say("Draw 5 games."), lambda d: d.records.total.drawn >= 5),
    ("people-5", say("Sociable"), say("Play 5 different people."), lambda d: d.people_met >= 5),
    (
        "people-25",
        say("Known all over town"),
        say("Play 25 different people."),
        lambda d: d.people_met >= 25,
    ),
    (
        "variants-5",
        say("Explorer"),
        say("Win in 5 different variants."),
        lambda d: _variants_won(d) >= _VARIANT_EXPLORER,
    ),
    (
        "variants-all",
        say("Omnivore"),
        say("Win in every named variant."),
        lambda d: _variants_won(d) == len(VARIANTS),
    ),
    ("rated", say("For the record"), say("Play a game that counts."), lambda d: d.rated_games >= 1),
    (
        "rating-1700",
        say("Strong"),
        say("Reach a rating of 1700, no longer provisional."),
        _has_reached(1700),
    ),
    (
        "rating-1900",
        say("Expert"),
        say("Reach a rating of 1900, no longer provisional."),
        _has_reached(1900),
    ),
    (
        "rating-2100",
        say("Master"),
        say("Reach a rating of 2100, no longer provisional."),
        _has_reached(2100),
    ),
)
"""All achievements, in the order they are shown in."""


def earned(deeds: Deeds) -> tuple[Achievement, ...]:
    """Return the achievements that somebody has earned."""
    return tuple(entry for entry in ACHIEVEMENTS if entry.is_earned(deeds))
