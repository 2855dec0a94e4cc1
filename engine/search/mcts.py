"""The search: trees grown until a limit, and kept as the game goes on.

Several threads grow a tree each from the same position, with different seeds; what
they say is added up, and a proof counts whoever has found it (root parallelism).
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError, GameOverError
from engine.position import Position
from engine.rules import Rules
from engine.search import trees
from engine.search.evaluation import Evaluation, load_evaluator
from engine.search.growing import grow_all
from engine.search.report import Limit, Proof, SearchReport
from engine.search.summary import summarize
from engine.types import Cell

if TYPE_CHECKING:
    from engine.kernels.valuing import Evaluator

_MOST_MOVES_BETWEEN: Final = 2  # one's own and the other's


class Searcher:
    """Looks for the best move, and goes on with its tree as the game goes on.

    Not to be called from two threads at once.

    Args:
        rules: The rules of the positions that it will be asked about.
        evaluation: How positions are valued, see `Evaluation`; or an evaluator of one's
            own, None for random games.
        max_nodes: How large the trees may grow together; a full tree is searched on
            without growing.
        threads: How many threads a search may use, each with a tree of its own.

    Raises:
        EngineError: If there is no such evaluation for these rules, or no thread.

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
        threads: int = 1,
    ) -> None:
        if threads < 1:
            raise EngineError(f"A search needs a thread at least, got {threads}")
        self.rules = rules
        self._evaluator = (
            load_evaluator(rules, evaluation) if isinstance(evaluation, str) else evaluation
        )
        self._capacity = max(max_nodes // threads, 4 * rules.cell_count)
        self._threads = threads
        self._position: Position | None = None
        self._trees: list[trees.SearchTree] = []

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
        self._go_on_from(position)
        chosen = random.SystemRandom().getrandbits(63) if seed is None else seed
        iterations = grow_all(self._trees, chosen, started, limit, stop)
        return summarize(self._trees, position.side, iterations, time.perf_counter() - started)

    def forget(self) -> None:
        """Drop the trees: the next search begins from nothing."""
        self._trees, self._position = [], None

    def _go_on_from(self, position: Position) -> None:
        """Keep every tree from which the game went on, and begin the others anew."""
        before, self._position = self._position, position
        moves = None if before is None else _moves_between(before, position)
        if moves is None or not self._trees:
            self._trees = [self._new_tree(position) for _ in range(self._threads)]
            return
        self._trees = [
            tree if tree.follow(moves, position) else self._new_tree(position)
            for tree in self._trees
        ]

    def _new_tree(self, position: Position) -> trees.SearchTree:
        if self._evaluator is None:
            return trees.PlayoutTree(position, self._capacity)
        return trees.ValuedTree(position, self._capacity, self._evaluator)


def search(
    position: Position,
    limit: Limit,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
    evaluation: Evaluation | str = Evaluation.AUTO,
    threads: int = 1,
) -> SearchReport:
    """Look for the best move from nothing; blocks, without the interpreter's lock.

    Args:
        position: A position that is not over.
        limit: When to end.
        seed: With a limit in iterations or nodes alone, the same seed gives the same
            report.
        stop: Set it to end the search within a few milliseconds.
        evaluation: How positions are valued, see `Evaluation`.
        threads: How many threads to think in, see `Searcher`.

    Raises:
        GameOverError: If the game has ended.
        EngineError: If there is no such evaluation for the rules, or no thread.

    Examples:
        >>> report = search(Position.initial(Rules()), Limit(iterations=500), seed=1)
        >>> report.iterations, sum(report.visits.values())
        (500, 500)
    """
    max_nodes = _capacity(position, limit)
    searcher = Searcher(position.rules, evaluation=evaluation, max_nodes=max_nodes, threads=threads)
    return searcher.search(position, limit, seed=seed, stop=stop)


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


def _leads(before: Position, move: Cell, after: Position) -> bool:
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
