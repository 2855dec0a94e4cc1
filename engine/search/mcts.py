"""The search loop: chunks of kernel work until a limit is reached.

A chunk is one or two milliseconds of compiled work without the interpreter's
lock, so that a search can be cancelled soon and leaves other threads alone.
"""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from engine import kernels
from engine.errors import EngineError, GameOverError
from engine.position import Position, loaded_rules

if TYPE_CHECKING:
    from engine.kernels.tree import Scratch, Tree

EXPLORATION: Final = 0.7  # by self-play anything from 0.4 to 0.9 is as good, 1.2 is worse
CHUNK_SECONDS: Final = 0.0015
FIRST_CHUNK: Final = 16
MAX_NODES: Final = 4_000_000  # 60 MB; a full tree goes on with random games only
NODES_PER_ITERATION: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """When a search ends: at the first limit reached. One must be given.

    Attributes:
        seconds: Wall-clock seconds.
        iterations: Random games played.

    Raises:
        EngineError: If no limit is given or one is not positive.
    """

    seconds: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.iterations is None:
            raise EngineError("A search needs a limit in seconds or iterations")
        for name, value in (("seconds", self.seconds), ("iterations", self.iterations)):
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
        iterations: Random games played.
        seconds: Wall-clock seconds taken.
        principal_line: The likeliest moves from here, `move` first.
        visits: For every legal move, how many games went through it.
        proven: A result that is certain, None if none is.
    """

    move: int
    score_for_side: float
    iterations: int
    seconds: float
    principal_line: tuple[int, ...]
    visits: dict[int, int]
    proven: Proof | None


def search(
    position: Position,
    limit: Limit,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
) -> SearchReport:
    """Look for the best move; blocks, without holding the interpreter's lock.

    Args:
        position: A position that is not over.
        limit: When to end.
        seed: With a limit in iterations alone, the same seed gives the same report.
        stop: Set it to end the search within a few milliseconds.

    Raises:
        GameOverError: If the game has ended.

    Examples:
        >>> from engine import Rules
        >>> report = search(Position.initial(Rules()), Limit(iterations=500), seed=1)
        >>> report.iterations, sum(report.visits.values())
        (500, 500)
    """
    if position.outcome is not None:
        raise GameOverError(f"The game is over: {position.outcome}.")
    started = time.perf_counter()
    run = _Run(position, limit, seed)
    run.grow_until(started, limit, stop)
    return run.report(time.perf_counter() - started)


class _Run:
    """One search: its tree and the loop around the kernel."""

    def __init__(self, position: Position, limit: Limit, seed: int | None) -> None:
        self._position = position
        self._loaded = loaded_rules(position.rules)
        self._state = position.search_state()
        self._tree: Tree = kernels.trees.make_tree(_capacity(position, limit), position.side)
        self._scratch: Scratch = kernels.trees.make_scratch(position.rules.depth)
        chosen = random.SystemRandom().getrandbits(63) if seed is None else seed
        self._dice = kernels.dice.make_dice(chosen)
        self._iterations = 0

    def grow_until(self, started: float, limit: Limit, stop: threading.Event | None) -> None:
        """Run chunks until a limit is reached, `stop` is set or the result is certain.

        The first chunk, some microseconds, is always run: there is always a move.
        """
        chunk = FIRST_CHUNK
        while True:
            if limit.iterations is not None:
                chunk = min(chunk, limit.iterations - self._iterations)
            before = time.perf_counter()
            done = kernels.tree.grow(
                self._tree,
                self._state,
                self._scratch,
                *self._loaded,
                self._dice,
                EXPLORATION,
                chunk,
            )
            now = time.perf_counter()
            self._iterations += done
            if done < chunk or self._iterations == limit.iterations:
                return
            if stop is not None and stop.is_set():
                return
            wanted = CHUNK_SECONDS
            if limit.seconds is not None:
                left = started + limit.seconds - now
                if left <= 0:
                    return
                wanted = min(wanted, left)
            # At most doubled at once: the first chunk may have been slow for another reason.
            rate = done / max(now - before, 1e-6)
            chunk = max(FIRST_CHUNK, min(2 * chunk, int(rate * wanted)))

    def report(self, seconds: float) -> SearchReport:
        """Sum up what the tree says."""
        tree = self._tree
        first, count = int(tree.first[0]), int(tree.counts[0])
        moves = tree.move[first : first + count].tolist()
        visits = dict(zip(moves, tree.visits[first : first + count].tolist(), strict=True))
        line = self._principal_line()
        proven = _proof_for(int(tree.proof[0]), self._position.side)
        return SearchReport(
            move=line[0],
            score_for_side=self._score(line[0], proven),
            iterations=self._iterations,
            seconds=seconds,
            principal_line=line,
            visits=visits,
            proven=proven,
        )

    def _score(self, move: int, proven: Proof | None) -> float:
        """Return the expectation of the side to move after its best `move`."""
        if proven is not None:
            return {Proof.WIN: 1.0, Proof.DRAW: 0.5, Proof.LOSS: 0.0}[proven]
        for child in self._children(0):
            if int(self._tree.move[child]) == move and self._tree.visits[child]:
                return float(self._tree.points[child]) / 2 / float(self._tree.visits[child])
        return 0.5

    def _children(self, node: int) -> range:
        first = int(self._tree.first[node])
        return range(first, first + int(self._tree.counts[node]))

    def _principal_line(self) -> tuple[int, ...]:
        """Follow the best child of every node."""
        line: list[int] = []
        node, side = 0, self._position.side
        while self._tree.counts[node]:
            node = self._best_child(node, side)
            if line and not self._tree.visits[node]:
                break
            line.append(int(self._tree.move[node]))
            side = 1 - side
        return tuple(line)

    def _best_child(self, node: int, side: int) -> int:
        """Return the child to play: a certain win, else what was tried most.

        A certain draw is better than what promises less than a draw, and a
        certain loss is the last resort.
        """
        tree = self._tree
        groups: dict[Proof | None, list[int]] = {}
        for child in self._children(node):
            groups.setdefault(_proof_for(int(tree.proof[child]), side), []).append(child)
        best = {
            proof: max(group, key=lambda child: (int(tree.visits[child]), int(tree.points[child])))
            for proof, group in groups.items()
        }
        if Proof.WIN in best:
            return best[Proof.WIN]
        if None in best:
            tried = best[None]
            if Proof.DRAW not in best or tree.points[tried] > tree.visits[tried]:
                return tried
        return best[Proof.DRAW] if Proof.DRAW in best else best[Proof.LOSS]


def _proof_for(result: int, side: int) -> Proof | None:
    """Return what a result code of the kernels means for a side."""
    codes = kernels.codes
    if result == codes.ONGOING:
        return None
    if result == codes.DRAWN:
        return Proof.DRAW
    return Proof.WIN if result == codes.X_WON + side else Proof.LOSS


def _capacity(position: Position, limit: Limit) -> int:
    """Return how many nodes to make room for: the memory is used only as it fills."""
    cells = position.rules.cell_count
    per_iteration = NODES_PER_ITERATION if position.rules.depth < 3 else cells // 9
    wanted = MAX_NODES
    if limit.iterations is not None:
        wanted = min(wanted, limit.iterations * per_iteration)
    return max(wanted, 4 * cells)
