"""When a search ends, and what it says: the move to play and why."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, NamedTuple

from engine.errors import EngineError
from engine.search.trees import SearchTree
from engine.types import Cell, Outcome, Side, other

_NO_TIME: Final = 1e-9  # a limit must be positive


class Clock(Enum):
    """The clock that counts the seconds.

    `WALL` is real time. `CPU` is the processor time of the searching thread: even on a busy
    machine it measures how much was searched, so two players with the same limit are equal
    whatever else runs.
    """

    WALL = "wall"
    CPU = "cpu"

    def now(self) -> float:
        """Return seconds since some moment; `CPU` counts those of the calling thread."""
        return time.perf_counter() if self is Clock.WALL else time.thread_time()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """When a search ends: at the first limit reached. One must be given.

    Attributes:
        seconds: Seconds by `clock`.
        iterations: Walks from the root to a leaf; where positions are valued by random
            games, one game each.
        nodes: Nodes that the tree may grow by.
        clock: Counts the seconds.

    Raises:
        EngineError: If no limit is given or one is not positive.
    """

    seconds: float | None = None
    iterations: int | None = None
    nodes: int | None = None
    clock: Clock = Clock.WALL

    def __post_init__(self) -> None:
        given = {"seconds": self.seconds, "iterations": self.iterations, "nodes": self.nodes}
        if all(value is None for value in given.values()):
            raise EngineError("A search needs a limit in seconds, iterations or nodes")
        for name, value in given.items():
            if value is not None and not value > 0:
                raise EngineError(f"A limit in {name} must be positive, got {value}")

    def less(self, seconds: float) -> Limit:
        """Return what is left of the limit after `seconds` of it."""
        if self.seconds is None:
            return self
        return replace(self, seconds=max(self.seconds - seconds, _NO_TIME))

    def part(self, parts: int) -> Limit:
        """Return one of `parts` equal parts of the limit."""
        return replace(
            self,
            seconds=None if self.seconds is None else self.seconds / parts,
            iterations=None if self.iterations is None else max(1, self.iterations // parts),
            nodes=None if self.nodes is None else max(1, self.nodes // parts),
        )


class Proof(Enum):
    """A result that is certain for the side to move, whatever the other does."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"

    @classmethod
    def of(cls, outcome: Outcome, side: Side) -> Proof:
        """Return what the end of a game is for a side."""
        if outcome.winner is None:
            return cls.DRAW
        return cls.WIN if outcome.winner == side else cls.LOSS

    @property
    def chance(self) -> float:
        """What the side can expect: 1, 0.5 or 0."""
        return {Proof.WIN: 1.0, Proof.DRAW: 0.5, Proof.LOSS: 0.0}[self]

    @property
    def opposite(self) -> Proof:
        """The same for the other side."""
        return {Proof.WIN: Proof.LOSS, Proof.LOSS: Proof.WIN}.get(self, self)


# What a result code of the kernels means for each side.
_PROOFS: Final = (
    (None, Proof.WIN, Proof.LOSS, Proof.DRAW),
    (None, Proof.LOSS, Proof.WIN, Proof.DRAW),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReport:
    """What a search found.

    Attributes:
        move: The move to play.
        score_for_side: What the side to move can expect: 1 a win, 0.5 a draw, 0 a loss.
        iterations: Those of this search alone.
        seconds: Seconds taken, by the limit's clock.
        principal_line: The likeliest moves from here, `move` first.
        visits: For every legal move, how many iterations went through it, including
            those of earlier searches that still count.
        proven: A result that is certain, None if none is.
        distance: The most plies until a proven win or loss comes; None if not known.
        scores: For every legal move, what the side to move can expect after it; means
            little for moves seldom visited.
    """

    move: Cell
    score_for_side: float
    iterations: int
    seconds: float
    principal_line: tuple[Cell, ...]
    visits: dict[Cell, int] = field(default_factory=dict)
    proven: Proof | None = None
    distance: int | None = None
    scores: dict[Cell, float] = field(default_factory=dict)


class _Option(NamedTuple):
    """What is known of a move, for the side that makes it; `distance` is in plies after it."""

    move: Cell
    visits: int
    expectation: float | None
    proven: Proof | None
    distance: int | None

    @property
    def score(self) -> float:
        """What its side can expect, an even game where nothing is known."""
        if self.proven is not None:
            return self.proven.chance
        return 0.5 if self.expectation is None else self.expectation


def summarize(tree: SearchTree, side: Side, iterations: int) -> SearchReport:
    """Sum up a tree at its root, where `side` is to move; the report has no seconds."""
    options = _options(tree, tree.root, side)
    place = _best(options)
    best = options[place]
    proven = _proof_of(options)
    following = _likely_moves(tree, tree.children(tree.root)[place], other(side))
    return SearchReport(
        move=best.move,
        score_for_side=best.score if proven is None else proven.chance,
        iterations=iterations,
        seconds=0.0,
        principal_line=(best.move, *following),
        visits={option.move: option.visits for option in options},
        proven=proven,
        distance=_distance(options, proven),
        scores={option.move: option.score for option in options},
    )


def _options(tree: SearchTree, node: int, side: Side) -> list[_Option]:
    """Return what a tree knows of the moves at a node, where `side` is to move."""
    proofs = _PROOFS[side]
    return [
        _Option(move, visits, expectation, proofs[proof], distance)
        for move, visits, expectation, proof, distance in tree.moves_at(node)
    ]


def _proof_of(options: Sequence[_Option]) -> Proof | None:
    """Return the certain result for the side that has these moves, None if there is none."""
    proofs = {option.proven for option in options}
    if Proof.WIN in proofs:
        return Proof.WIN
    if None in proofs:
        return None
    return Proof.DRAW if Proof.DRAW in proofs else Proof.LOSS


def _distance(options: Sequence[_Option], proven: Proof | None) -> int | None:
    """Return the most plies until a win or a loss comes, None if unknown."""
    alike = [option.distance for option in options if option.proven is proven]
    known = [distance for distance in alike if distance is not None]
    if not known or proven not in (Proof.WIN, Proof.LOSS):
        return None
    return 1 + (min(known) if proven is Proof.WIN else max(known))


def _likely_moves(tree: SearchTree, node: int, side: Side) -> Iterator[Cell]:
    """Yield the best moves from a node on, where `side` is to move."""
    while options := _options(tree, node, side):
        place = _best(options)
        best = options[place]
        if not best.visits and best.proven is None:
            return
        yield best.move
        node, side = tree.children(node)[place], other(side)


def _best(options: Sequence[_Option]) -> int:
    """Return the place of the move to play: a certain win, else the most visited one.

    A certain draw is better than a move that promises less, and a certain loss is the
    last resort. Of certain wins the nearest is taken, of losses the farthest.
    """
    if not any(option.proven for option in options):
        weights = [(option.visits, option.expectation or 0.0) for option in options]
        return weights.index(max(weights))

    # Open moves rank above or below a certain draw, by the score of the most visited of them.
    open_ones = [option for option in options if option.proven is None]
    tried = max(open_ones, key=lambda one: (one.visits, one.expectation or 0.0), default=None)
    open_rank = 0.5 if tried is None or tried.score <= Proof.DRAW.chance else 2.0

    def first(option: _Option) -> tuple[float, float, float]:
        distance, visits = option.distance or 0, option.visits
        if option.proven is Proof.WIN:
            return 3, -distance, 0
        if option.proven is Proof.LOSS:
            return 0, distance, visits
        if option.proven is Proof.DRAW:
            return 1, visits, 0
        return open_rank, visits, option.expectation or 0.0

    return max(range(len(options)), key=lambda place: first(options[place]))
