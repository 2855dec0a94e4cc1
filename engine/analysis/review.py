"""A game analysed move by move. README.md has the formulas."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from engine.analysis.calibration import correct
from engine.forced_win import forced_win
from engine.game import Game
from engine.position import Position
from engine.rules import Rules
from engine.search.balance import invites_swap
from engine.search.mcts import Limit, Proof, Searcher
from engine.types import Cell, O, Ply, Side, X

INACCURACY: Final = 0.05
MISTAKE: Final = 0.10
BLUNDER: Final = 0.20
AHEAD: Final = 0.60  # the chance from which a side counts as ahead
_DECAY: Final = 5.0  # a move that loses 0.2 counts 1/e, one that loses 0.1 three fifths

Progress = Callable[[int, int], object]


class Judgement(StrEnum):
    """A move in a word, by how much it lost."""

    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


_JUDGEMENTS: Final = (
    (BLUNDER, Judgement.BLUNDER),
    (MISTAKE, Judgement.MISTAKE),
    (INACCURACY, Judgement.INACCURACY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReview:
    """A move that was played, and the one that should have been.

    Attributes:
        ply: How many moves had been played before it.
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
        return next((word for least, word in _JUDGEMENTS if self.loss >= least), Judgement.GOOD)

    @property
    def is_turning_point(self) -> bool:
        """Whether the move cost much and another side, or none, is ahead now."""
        return self.loss >= MISTAKE and _ahead(self.chance_before) != _ahead(self.chance_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How well X and O played, 0 to 100; None where there was nothing to choose."""

    x: float | None
    o: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An analysed game.

    Attributes:
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
    """Return the accuracy of a move that lost this much, 0 to 100.

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


@dataclass(frozen=True, slots=True)
class _View:
    """A position as the side to move sees it."""

    side: Side
    chance: float
    line: tuple[Cell, ...]
    proven: Proof | None


def analyse_game(
    game: Game,
    limit: Limit,
    *,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    seed: int = 1,
) -> Analysis:
    """Analyse a game, finished or not, which must not change meanwhile; blocks, run it in a thread.

    The limit is for each position; if it is in iterations, the same seed gives the same analysis.
    `progress` is called with the number of positions done so far, and of all. Setting `stop` ends
    it within a few milliseconds, with what has been found.

    Examples:
        >>> game = Game.replay(Rules(depth=1), [4, 1, 0, 8, 6])
        >>> found = analyse_game(game, Limit(iterations=400))
        >>> [review.judgement.value for review in found.reviews][1]
        'blunder'
    """
    searcher = Searcher(game.rules)
    played = game.moves[len(game.opening_moves) :]
    positions = [game.start]
    for move in played:
        positions.append(positions[-1].after(move))
    views: list[_View] = []
    for position in positions:
        if stop is not None and stop.is_set():
            break
        view = _view(position, searcher, limit, stop, seed)
        if stop is not None and stop.is_set():
            break  # a search cut short says nothing
        views.append(view)
        if progress is not None:
            progress(len(views), len(positions))
    return Analysis(
        rules=game.rules,
        first_ply=game.start.ply,
        chances=tuple(view.chance if view.side == X else 1 - view.chance for view in views),
        reviews=tuple(map(_review, positions, played, views, views[1:])),
        complete=len(views) == len(positions),
    )


def restored_analysis(game: Game, chances: Sequence[float], best_moves: Sequence[Cell]) -> Analysis:
    """Rebuild an analysis from its chances and the best move of each review; nothing is proven.

    Examples:
        >>> game = Game.replay(Rules(depth=1), [4, 1])
        >>> restored_analysis(game, (0.5, 0.5, 1.0), (4, 0)).reviews[1].judgement.value
        'blunder'
    """
    reviews = []
    position = game.start
    played = zip(game.moves[len(game.opening_moves) :], best_moves, pairwise(chances), strict=True)
    for move, best, both in played:
        before, after = (chance if position.side == X else 1 - chance for chance in both)
        reviews.append(
            MoveReview(
                ply=position.ply,
                side=position.side,
                move=move,
                best_move=best,
                best_line=(best,),
                chance_before=after if best == move else before,
                chance_after=after,
                is_forced=len(position.legal_moves) == 1,
                proven_before=None,
                proven_after=None,
            )
        )
        position = position.after(move)
    return Analysis(
        rules=game.rules,
        first_ply=game.start.ply,
        chances=tuple(chances),
        reviews=tuple(reviews),
        complete=True,
    )


def _view(
    position: Position, searcher: Searcher, limit: Limit, stop: threading.Event | None, seed: int
) -> _View:
    if position.outcome is not None:
        proven = Proof.of(position.outcome, position.side)
        return _View(position.side, proven.chance, (), proven)
    known = forced_win(position)
    if known is not None:
        return _View(position.side, 1.0, (known.move,), Proof.WIN)
    report = searcher.search(position, limit, seed=seed, stop=stop)
    chance = report.score_for_side
    if report.proven is None:
        chance = correct(chance, position.rules)
    return _View(position.side, chance, report.principal_line, report.proven)


def _review(position: Position, move: Cell, before: _View, after: _View) -> MoveReview:
    """Compare the move that was played with what was found before and after it.

    Both searches see the move that was played; the later one sees further. If it likes
    the move better than anything the first one found, there was nothing better. A first
    move before a swap of seats is not meant to be the best and is not judged.
    """
    chance_after = 1 - after.chance
    proven_after = None if after.proven is None else after.proven.opposite
    best_line, chance_before, proven_before = before.line, before.chance, before.proven
    if best_line[0] == move or chance_after >= chance_before or invites_swap(position):
        best_line, chance_before = (move, *after.line), chance_after
        proven_before = proven_before or proven_after
    return MoveReview(
        ply=position.ply,
        side=position.side,
        move=move,
        best_move=best_line[0],
        best_line=best_line,
        chance_before=chance_before,
        chance_after=chance_after,
        is_forced=len(position.legal_moves) == 1,
        proven_before=proven_before,
        proven_after=proven_after,
    )
