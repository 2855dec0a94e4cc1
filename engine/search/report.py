"""When a search ends and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.errors import EngineError
from engine.types import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """When a search ends: at the first limit reached. One must be given.

    Attributes:
        seconds: Wall-clock seconds.
        iterations: Walks from the root to a leaf; where positions are valued by random
            games, one game each.
        nodes: Nodes that the tree may grow by.

    Raises:
        EngineError: If no limit is given or one is not positive.
    """

    seconds: float | None = None
    iterations: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        given = {"seconds": self.seconds, "iterations": self.iterations, "nodes": self.nodes}
        if all(value is None for value in given.values()):
            raise EngineError("A search needs a limit in seconds, iterations or nodes")
        for name, value in given.items():
            if value is not None and not value > 0:
                raise EngineError(f"A limit in {name} must be positive, got {value}")


class Proof(Enum):
    """A result that is certain for the side to move, whatever the other does."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReport:
    """What a search found.

    Attributes:
        move: The move to play.
        score_for_side: What the side to move can expect: 1 a win, 0.5 a draw, 0 a loss.
        iterations: Iterations of this search.
        seconds: Wall-clock seconds taken.
        principal_line: The likeliest moves from here, `move` first.
        visits: For every legal move, how many iterations went through it, those of
            earlier searches that still count among them.
        proven: A result that is certain, None if none is.
        distance: In how many plies at most a proven win or loss comes; None where it
            is not known.
        scores: For every legal move, what the side to move can expect after it; of
            little meaning for moves seldom visited.
    """

    move: Cell
    score_for_side: float
    iterations: int
    seconds: float
    principal_line: tuple[Cell, ...]
    visits: dict[Cell, int]
    proven: Proof | None
    distance: int | None = None
    scores: dict[Cell, float] | None = None

    @property
    def iterations_per_second(self) -> float:
        """The speed of the search."""
        return self.iterations / max(self.seconds, 1e-9)
