"""The search loop: chunks of kernel work until a limit is reached.

A chunk is one or two milliseconds of compiled work without the interpreter's
lock, so that a search can be cancelled soon and leaves other threads alone.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Final

from engine import kernels
from engine.errors import EngineError, GameOverError
from engine.position import Position
from engine.rules import Rules
from engine.search import trees
from engine.search.evaluation import Evaluation, load_evaluator
from engine.search.report import Limit, Proof, SearchReport
from engine.search.summary import summarize

if TYPE_CHECKING:
    from engine.kernels.valuing import Evaluator

CHUNK_SECONDS: Final = 0.0015
FIRST_CHUNK: Final = 16
_MOST_MOVES_BETWEEN: Final = 2  # one's own and the other's


class Searcher:
    """Looks for the best move, and goes on with its tree as the game goes on.

    Not to be used from two threads at once.

    Args:
        rules: The rules of the positions that it will be asked about.
        evaluation: How positions are valued, see `Evaluation`; or an evaluator of one's
            own, None for random games.
        max_nodes: How large the tree may grow; a full tree is searched on without
            growing.

    Raises:
        EngineError: If there is no such evaluation for these rules.

    Examples:
        >>> searcher = Searcher(Rules())
        >>> start = Position.initial(Rules())
        >>> first = searcher.search(start, Limit(iterations=300), seed=1)
        >>> reply = searcher.search(start.after(first.move), Limit(iterations=300), seed=1)
        >>> reply.iterations, sum(reply.visits.values()) > 300
        (300, True)
    """

    def __init__(
        self,
        rules: Rules,
        *,
        evaluation: Evaluation | str | Evaluator | None = Evaluation.AUTO,
        max_nodes: int = trees.MAX_NODES,
    ) -> None:
        self.rules = rules
        self._evaluator = (
            load_evaluator(rules, evaluation) if isinstance(evaluation, str) else evaluation
        )
        self._max_nodes = max_nodes
        self._position: Position | None = None
        self._tree: trees.SearchTree | None = None

    def search(
        self,
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
            seed: With a limit in iterations or nodes alone, the same seed gives the
                same report (after the same earlier searches).
            stop: Set it to end the search within a few milliseconds.

        Raises:
            GameOverError: If the game has ended.
            EngineError: If the position has other rules.
        """
        if position.rules != self.rules:
            raise EngineError(
                f"This searcher is for {self.rules.key!r}, not for {position.rules.key!r}"
            )
        if position.outcome is not None:
            raise GameOverError(f"The game is over: {position.outcome}.")
        started = time.perf_counter()
        tree = self._tree_for(position)
        chosen = random.SystemRandom().getrandbits(63) if seed is None else seed
        dice = kernels.dice.make_dice(chosen)
        iterations = _grow_until(tree, dice, started, limit, stop)
        return summarize(tree, position.side, iterations, time.perf_counter() - started)

    def forget(self) -> None:
        """Drop the tree: the next search begins from nothing."""
        self._tree = self._position = None

    def _tree_for(self, position: Position) -> trees.SearchTree:
        """Return the tree so far, if the game went on from it, or a new one."""
        before, tree = self._position, self._tree
        self._position = position
        if before is not None and tree is not None:
            moves = _moves_between(before, position)
            if moves is not None and tree.follow(moves, position):
                return tree
        capacity = max(self._max_nodes, 4 * self.rules.cell_count)
        if self._evaluator is None:
            tree = trees.PlayoutTree(position, capacity)
        else:
            tree = trees.ValuedTree(position, capacity, self._evaluator)
        self._tree = tree
        return tree


def search(
    position: Position,
    limit: Limit,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
    evaluation: Evaluation | str = Evaluation.AUTO,
) -> SearchReport:
    """Look for the best move from nothing; blocks, without the interpreter's lock.

    Args:
        position: A position that is not over.
        limit: When to end.
        seed: With a limit in iterations or nodes alone, the same seed gives the same
            report.
        stop: Set it to end the search within a few milliseconds.
        evaluation: How positions are valued, see `Evaluation`.

    Raises:
        GameOverError: If the game has ended.
        EngineError: If there is no such evaluation for the rules.

    Examples:
        >>> report = search(Position.initial(Rules()), Limit(iterations=500), seed=1)
        >>> report.iterations, sum(report.visits.values())
        (500, 500)
    """
    max_nodes = _capacity(position, limit)
    searcher = Searcher(position.rules, evaluation=evaluation, max_nodes=max_nodes)
    return searcher.search(position, limit, seed=seed, stop=stop)


def _grow_until(
    tree: trees.SearchTree,
    dice: kernels.codes.Dice,
    started: float,
    limit: Limit,
    stop: threading.Event | None,
) -> int:
    """Run chunks until a limit is reached, `stop` is set or the result is certain.

    The first chunk, some microseconds, is always run: there is always a move.
    """
    chunk, iterations = FIRST_CHUNK, 0
    node_limit = 2**62 if limit.nodes is None else tree.nodes + limit.nodes
    while True:
        if limit.iterations is not None:
            chunk = min(chunk, limit.iterations - iterations)
        before = time.perf_counter()
        done = tree.grow(dice, chunk, node_limit)
        now = time.perf_counter()
        iterations += done
        if done < chunk or iterations == limit.iterations:
            return iterations
        if stop is not None and stop.is_set():
            return iterations
        wanted = CHUNK_SECONDS
        if limit.seconds is not None:
            left = started + limit.seconds - now
            if left <= 0:
                return iterations
            wanted = min(wanted, left)
        # At most doubled at once: the first chunk may have been slow for another reason.
        rate = done / max(now - before, 1e-6)
        chunk = max(FIRST_CHUNK, min(2 * chunk, int(rate * wanted)))


def _moves_between(before: Position, after: Position) -> tuple[int, ...] | None:
    """Return the few moves that lead from one position to another, None if none do."""
    if before == after:
        return ()
    if not 0 < after.ply - before.ply <= _MOST_MOVES_BETWEEN or after.last_move is None:
        return None
    last = after.last_move
    if after.ply - before.ply == 1:
        return (last,) if _leads(before, last, after) else None
    for move in before.legal_moves:
        if after.mark_at(move) == before.side and _leads(before.after(move), last, after):
            return (move, last)
    return None


def _leads(before: Position, move: int, after: Position) -> bool:
    return move in before.legal_moves and before.after(move) == after


def _capacity(position: Position, limit: Limit) -> int:
    """Return how many nodes to make room for: the memory is used only as it fills."""
    cells = position.rules.cell_count
    per_iteration = trees.NODES_PER_ITERATION if position.rules.depth < 3 else cells // 9
    wanted = trees.MAX_NODES
    if limit.iterations is not None:
        wanted = min(wanted, limit.iterations * per_iteration)
    return wanted


__all__ = ["Limit", "Proof", "SearchReport", "Searcher", "search"]
