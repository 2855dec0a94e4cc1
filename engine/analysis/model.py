"""What an analysis says; plain values. The formulas are told in README.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from engine.outcome import O, X
from engine.rules import Rules
from engine.search.mcts import Proof
from engine.types import Cell, Ply, Side

INACCURACY: Final = 0.05
MISTAKE: Final = 0.10
BLUNDER: Final = 0.20
AHEAD: Final = 0.60  # who can expect so much is ahead
_DECAY: Final = 5.0  # a move that loses 0.2 is worth 1/e, one that loses 0.1 three fifths


class Judgement(StrEnum):
    """A move in a word, by what it lost."""

    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReview:
    """A move that was played, and what should have been.

    Attributes:
        ply: How many moves had been played before it.
        side: Who played it.
        move: The move.
        best_move: The best that was found; `move` itself if nothing better was.
        best_line: The likeliest moves from `best_move` on.
        chance_before: What the side could expect with best play: 1 a win, 0 a loss.
        chance_after: What it could expect after its move.
        is_forced: Whether it was the only legal move.
        proven_before: The result that was certain with best play, None if none was.
        proven_after: The result that is certain after the move, for the same side.
    """

    ply: Ply
    side: Side
    move: Cell
    best_move: Cell
    best_line: tuple[Cell, ...]
    chance_before: float
    chance_after: float
    is_forced: bool
    proven_before: Proof | None
    proven_after: Proof | None

    @property
    def loss(self) -> float:
        """How much the move threw away; nothing if it was the best."""
        if self.move == self.best_move or self.is_forced:
            return 0.0
        return max(0.0, self.chance_before - self.chance_after)

    @property
    def judgement(self) -> Judgement:
        """The move in a word."""
        if self.move == self.best_move or self.is_forced:
            return Judgement.BEST
        for least, word in (
            (BLUNDER, Judgement.BLUNDER),
            (MISTAKE, Judgement.MISTAKE),
            (INACCURACY, Judgement.INACCURACY),
        ):
            if self.loss >= least:
                return word
        return Judgement.GOOD

    @property
    def is_turning_point(self) -> bool:
        """Whether the move cost much and another side, or none, is ahead now."""
        return self.loss >= MISTAKE and _ahead(self.chance_before) != _ahead(self.chance_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How well somebody played, 0 to 100; None where there was nothing to choose.

    Attributes:
        x: Of X.
        o: Of O.
    """

    x: float | None
    o: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A game looked over.

    Attributes:
        rules: The rules.
        first_ply: How many moves the opening gave; they are not judged.
        chances: What X can expect in every position looked at, the first of ply
            `first_ply`; one more than there are reviews.
        reviews: Of the moves, in order.
        complete: Whether the whole game was looked at.
    """

    rules: Rules
    first_ply: Ply
    chances: tuple[float, ...]
    reviews: tuple[MoveReview, ...]
    complete: bool

    @property
    def accuracy(self) -> Accuracy:
        """How well both played."""
        return Accuracy(x=_accuracy(self.reviews, X), o=_accuracy(self.reviews, O))

    @property
    def turning_points(self) -> tuple[MoveReview, ...]:
        """The moves that changed who was ahead."""
        return tuple(review for review in self.reviews if review.is_turning_point)

    @property
    def blunders(self) -> tuple[MoveReview, ...]:
        """The moves that threw most away."""
        return tuple(review for review in self.reviews if review.judgement is Judgement.BLUNDER)


def move_accuracy(loss: float) -> float:
    """Return how good a move is that lost this much, 0 to 100.

    Examples:
        >>> [round(move_accuracy(loss)) for loss in (0.0, 0.1, 0.2, 1.0)]
        [100, 61, 37, 1]
    """
    return 100 * math.exp(-_DECAY * loss)


def _accuracy(reviews: tuple[MoveReview, ...], side: Side) -> float | None:
    """Return the mean over the moves that were a choice, None without any."""
    found = [
        move_accuracy(review.loss)
        for review in reviews
        if review.side == side and not review.is_forced
    ]
    return math.fsum(found) / len(found) if found else None


def _ahead(chance: float) -> int:
    """Return 1 for a side that is ahead, -1 for one that is behind, else 0."""
    if chance >= AHEAD:
        return 1
    return -1 if chance <= 1 - AHEAD else 0
