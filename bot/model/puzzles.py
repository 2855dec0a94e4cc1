"""Puzzles and those who solve them: which one comes next, and what a try does to both ratings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from bot.model.errors import PlayerError
from bot.model.ratings import glicko, pools
from bot.model.ratings.glicko import Rating
from bot.model.ratings.values import rating_in_words
from engine import VARIANTS, Puzzle
from engine.errors import Sentence, say

if TYPE_CHECKING:
    import random
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

NEW_PUZZLE_DEVIATION: Final = 150.0
"""The computer's levels have tried a puzzle before people do: that is known, and no more."""

MOST_PUZZLE_CHANGE: Final = 20.0
"""A puzzle never learns more than this of one try: newcomers may be anybody."""

NEAREST: Final = 5
"""One of this many puzzles of about the rating that is looked for comes next."""


class Difficulty(Enum):
    """How hard a puzzle is to be for somebody, by the letter that buttons hold: never change."""

    EASIER = "e"
    NORMAL = "n"
    HARDER = "h"

    @property
    def points(self) -> float:
        """How far from one's own rating."""
        return {Difficulty.EASIER: -300.0, Difficulty.HARDER: 300.0}.get(self, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What puzzles somebody asks for.

    Attributes:
        variant_key: The variant.
        difficulty: How hard for them.
        theme: The key of what they are to be about; None for anything.
    """

    variant_key: str
    difficulty: Difficulty = Difficulty.NORMAL
    theme: str | None = None

    def fits(self, puzzle: Puzzle) -> bool:
        """Return whether a puzzle of the variant is about that."""
        return self.theme is None or any(each.key == self.theme for each in puzzle.themes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverRow:
    """How well somebody solves puzzles, as the last one has left it."""

    player_id: int
    value: float = glicko.CENTRE
    deviation: float = glicko.NEW_DEVIATION
    volatility: float = glicko.NEW_VOLATILITY
    rounds: int = 0
    solved: int = 0
    last_at: datetime | None = None

    @property
    def words(self) -> Sentence | str:
        """The rating as it is told: "puzzle rating 1500?" or "placement puzzle 3 of 5"."""
        stored = _rating_of(self)
        if not pools.is_placed(stored, self.rounds):
            needed = pools.placement_games(self.rounds)
            words = say("placement puzzle {count} of {needed}")
            return words.format(count=self.rounds, needed=needed)
        return say("puzzle rating {rating}", rating=rating_in_words(stored))

    def at(self, now: datetime) -> SolverRow:
        """Return it with the deviation grown to this moment."""
        if self.last_at is None:
            return self
        grown = glicko.after_time(_rating_of(self), now - self.last_at)
        return replace(self, deviation=grown.deviation)


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleRow:
    """How hard a puzzle has been for those who have tried it."""

    variant_key: str
    puzzle_id: str
    value: float
    deviation: float = NEW_PUZZLE_DEVIATION
    volatility: float = glicko.NEW_VOLATILITY
    plays: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRow:
    """Somebody's attempt at a puzzle; the first wrong move, hint or look decides it.

    Attributes:
        found: How many of its moves they have found.
        won: 1 if solved, 0 if not, None as long as it is open.
        value_before, value_after: Their rating when it was decided.
    """

    player_id: int
    variant_key: str
    puzzle_id: str
    begun_at: datetime
    found: int = 0
    won: int | None = None
    decided_at: datetime | None = None
    value_before: float | None = None
    value_after: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """An attempt at a puzzle as it stands.

    Attributes:
        row: What is stored of it.
        solver: Who attempts it.
        rated: How hard the puzzle is.
    """

    row: RoundRow
    solver: SolverRow
    rated: PuzzleRow

    @property
    def gain(self) -> int | None:
        """How many points it was worth; None while it is open or the rating is not certain."""
        row, rating = self.row, _rating_of(self.solver)
        is_sure = pools.is_placed(rating, self.solver.rounds) and not pools.is_provisional(rating)
        if row.value_after is None or row.value_before is None or not is_sure:
            return None
        return round(row.value_after) - round(row.value_before)


class NoPuzzlesError(PlayerError):
    """There are no puzzles of a variant, or of a theme in it."""

    def __init__(self, name: Sentence | str, known: Collection[str]) -> None:
        first, *others = [VARIANTS[key].name for key in known]
        listed = first
        for each in others:
            listed = say("{listed}, {name}", listed=listed, name=each)
        words = say("There are no such puzzles of {variant} yet. There are puzzles of: {variants}.")
        super().__init__(words.format(variant=name, variants=listed))


class AllTriedError(PlayerError):
    """Somebody has tried every puzzle of a kind."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "You have tried every puzzle of this kind: pick another theme or variant with "
                "`/puzzle`."
            )
        )


class NoRoundError(PlayerError):
    """A button belongs to a puzzle that its user was never given, or that is gone."""

    def __init__(self) -> None:
        super().__init__(say("This is not a puzzle of yours: `/puzzle` gives you one."))


def choose(
    puzzles: Sequence[Puzzle],
    ratings: Mapping[str, float],
    target: float,
    rng: random.Random,
) -> Puzzle:
    """Return one of the puzzles that are about as hard as `target`.

    Args:
        puzzles: At least one.
        ratings: Those that tries have changed, by the puzzle's id.
        target: A rating.
        rng: Decides between them.
    """

    def distance(puzzle: Puzzle) -> float:
        return abs(ratings.get(puzzle.id, puzzle.rating) - target)

    return rng.choice(sorted(puzzles, key=distance)[:NEAREST])


def decide(found: Round, *, is_won: bool, now: datetime) -> Round:
    """Return an open attempt as it is once it is decided, with both ratings after it."""
    solver, rated, score = found.solver, found.rated, float(is_won)
    before, hardness = _rating_of(solver.at(now)), _rating_of(rated)
    elapsed = now - (solver.last_at or now)
    after = glicko.after_game(_rating_of(solver), hardness, score, elapsed)
    harder = glicko.after_games(
        hardness, (glicko.Encounter(opponent=before, score=1 - score),), periods=0.0
    )
    change = max(-MOST_PUZZLE_CHANGE, min(harder.value - rated.value, MOST_PUZZLE_CHANGE))
    return Round(
        row=replace(
            found.row,
            won=int(is_won),
            decided_at=now,
            value_before=solver.value,
            value_after=after.value,
        ),
        solver=replace(
            solver,
            value=after.value,
            deviation=after.deviation,
            volatility=after.volatility,
            rounds=solver.rounds + 1,
            solved=solver.solved + is_won,
            last_at=now,
        ),
        rated=replace(
            rated,
            value=rated.value + change,
            deviation=harder.deviation,
            volatility=harder.volatility,
            plays=rated.plays + 1,
        ),
    )


def _rating_of(row: SolverRow | PuzzleRow) -> Rating:
    return Rating(value=row.value, deviation=row.deviation, volatility=row.volatility)
