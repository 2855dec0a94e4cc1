"""The search: a tree grown until a limit, and kept as the game goes on.

It grows in chunks of one or two milliseconds of compiled work without the interpreter's lock, so
that a search can be cancelled quickly and does not hold up other threads.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import kernels
from engine.errors import EngineError, GameOverError
from engine.position import Position, loaded_rules
from engine.rules import Opening, Rules
from engine.search import trees
from engine.search.evaluation import Evaluation, load_evaluator
from engine.search.report import Clock, Limit, Proof, SearchReport, summarize
from engine.search.solving import Question, ask
from engine.types import Cell, other

if TYPE_CHECKING:
    from engine.kernels.codes import Ints
    from engine.kernels.valuing import Evaluator
    from engine.search.trees import SearchTree


CHUNK_SECONDS: Final = 0.0015
FIRST_CHUNK: Final = 16
LEAST_CHUNK: Final = 4
AIM: Final = 0.75  # share of the remaining time to fill; the rest is for a slower chunk
OVER_SECONDS: Final = 2e-5  # less than this is not worth another chunk

# A search limited in processor time also ends after STRETCH times its seconds, plus some slack, by
# the wall clock.
STRETCH: Final = 4.0
SLACK_SECONDS: Final = 0.25

# Near the end of a game a quarter of the time goes to proofs, once the tree has had half of it.
LATE: Final = 31  # empty cells of undecided boards
BEFORE_CHECK: Final = 0.5
CHECK_SHARE: Final = 0.25
CHECK_TABLE: Final = 1 << 17  # 4 MB

WATCH_SECONDS: Final = 0.25  # when a search first reports what it has found


class Growth(NamedTuple):
    """How many iterations were run, in how many seconds."""

    iterations: int
    seconds: float


def grow_until(
    tree: SearchTree,
    seed: int,
    limit: Limit,
    stop: threading.Event | None,
    watch: Callable[[int], object],
) -> Growth:
    """Run chunks until a limit is reached, `stop` is set or the result is certain.

    The first chunk, some microseconds, always runs, so there is always a move. The last ones
    get smaller, to use the time without exceeding it. `watch` is called with the iterations
    so far after each chunk.
    """
    now_by, chunk, iterations = limit.clock.now, FIRST_CHUNK, 0
    rng = kernels.rng.make_rng(seed)
    started, started_by_wall = now_by(), time.perf_counter()
    nodes_left = 2**62 if limit.nodes is None else limit.nodes
    before = started
    while True:
        if limit.iterations is not None:
            chunk = min(chunk, limit.iterations - iterations)
        nodes = tree.nodes
        done = tree.grow(rng, chunk, nodes + nodes_left)
        now = now_by()
        iterations += done
        nodes_left -= tree.nodes - nodes
        is_over = nodes_left <= 0 or (done < chunk and not tree.wants_room)
        is_stopped = stop is not None and stop.is_set()
        left = _left(limit, now - started, started_by_wall)
        if is_over or is_stopped or iterations == limit.iterations or left <= OVER_SECONDS:
            return Growth(iterations, now - started)
        # At most doubled at once: the first chunk may have been slow for another reason.
        rate = done / max(now - before, 1e-6)
        chunk = max(LEAST_CHUNK, min(2 * chunk, int(rate * min(CHUNK_SECONDS, AIM * left))))
        if tree.wants_room:
            tree.make_room(left)
            chunk = max(chunk, FIRST_CHUNK)
        watch(iterations)
        before = now_by()


def _left(limit: Limit, passed: float, started_by_wall: float) -> float:
    """Return how many seconds of a limit are left, infinity if it has none in seconds."""
    if limit.seconds is None:
        return math.inf
    if limit.clock is Clock.CPU:
        by_wall = time.perf_counter() - started_by_wall
        if by_wall >= STRETCH * limit.seconds + SLACK_SECONDS:
            return 0.0
    return limit.seconds - passed


class Searcher:
    """Looks for the best move, and keeps its tree as the game goes on.

    Not to be called from two threads at once.

    Args:
        rules: The rules of the positions to search.
        evaluation: How positions are valued, see `Evaluation`; or your own evaluator, or
            None for random games.
        max_nodes: How large the tree may grow; a full one forgets what it visited least.
        forgets: Whether a full tree makes room; otherwise the search goes on without growing it.

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
        forgets: bool = True,
    ) -> None:
        self.rules = rules
        self._evaluator = (
            load_evaluator(rules, evaluation) if isinstance(evaluation, str) else evaluation
        )
        self._capacity = max(max_nodes, 4 * rules.cell_count)
        self._forgets = forgets
        self._position: Position | None = None
        self._tree: trees.SearchTree | None = None
        self._table: Ints | None = None
        self._aside = 0.0  # average seconds that recent searches spent outside the tree

    def search(
        self,
        position: Position,
        limit: Limit,
        *,
        seed: int | None = None,
        stop: threading.Event | None = None,
        watch: Callable[[SearchReport], object] | None = None,
        watch_seconds: float = WATCH_SECONDS,
    ) -> SearchReport:
        """Look for the best move; blocks, without holding the interpreter's lock.

        With a limit in iterations or nodes alone, the same seed gives the same report after
        the same earlier searches. Setting `stop` ends the search within a few milliseconds,
        a hundred while a full tree makes room. `watch` is called with what has been found,
        first after `watch_seconds`, then each time the search has taken twice as long.

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
        started = limit.clock.now()
        tree = self._go_on_from(position)
        chosen = random.SystemRandom().getrandbits(63) if seed is None else seed

        def look(iterations: int) -> None:
            nonlocal watch_seconds
            if watch is not None and (seconds := limit.clock.now() - started) >= watch_seconds:
                watch_seconds = 2 * seconds
                watch(replace(summarize(tree, position.side, iterations), seconds=seconds))

        begun = limit.clock.now()
        left = limit.less(begun - started + self._aside)
        grown = self._grow(tree, position, chosen, left, stop, look)
        report = summarize(tree, position.side, grown.iterations)
        ended = limit.clock.now()
        self._aside += (ended - begun - grown.seconds - self._aside) / 2
        return replace(report, seconds=ended - started)

    def _grow(
        self,
        tree: trees.SearchTree,
        position: Position,
        seed: int,
        limit: Limit,
        stop: threading.Event | None,
        watch: Callable[[int], object],
    ) -> Growth:
        """Grow the tree; late in a game, with a limit in time alone, check the move halfway."""
        is_counted = limit.iterations is not None or limit.nodes is not None
        if is_counted or self._evaluator is None or not _is_late(position):
            return grow_until(tree, seed, limit, stop, watch)
        assert limit.seconds is not None
        started, seconds = limit.clock.now(), limit.seconds
        early = replace(limit, seconds=BEFORE_CHECK * seconds)
        first = grow_until(tree, seed, early, stop, watch)
        self._check(tree, position, replace(limit, seconds=CHECK_SHARE * seconds), stop)
        left = limit.less(limit.clock.now() - started)
        second = grow_until(tree, ~seed, left, stop, lambda more: watch(first.iterations + more))
        return Growth(first.iterations + second.iterations, limit.clock.now() - started)

    def _check(
        self,
        tree: trees.SearchTree,
        position: Position,
        limit: Limit,
        stop: threading.Event | None,
    ) -> None:
        """Tell the tree about a move that wins, and about losing moves that it would play.

        Moves that do not lose are left open, and so is the result if all moves lose: the
        tree knows better what is hard for the other side.
        """
        assert limit.seconds is not None
        side, until = position.side, limit.clock.now() + limit.seconds
        if self._table is None:
            self._table = kernels.solving.make_table(CHECK_TABLE)
        attack = Question(position, side, self._table)

        def is_over() -> bool:
            return limit.clock.now() >= until or (stop is not None and stop.is_set())

        while not is_over():
            found = summarize(tree, side, 0)
            has_choice = sum(score > 0 for score in found.scores.values()) > 1
            after = position.after(found.move)
            if found.proven is not None or after.outcome is not None or not has_choice:
                return
            answer = Question(after, other(side), self._table)
            ask((answer, attack), is_over)
            if attack.is_won and attack.move is not None:
                tree.note(attack.move, kernels.codes.X_WON + side)
            if not answer.is_won:
                return
            tree.note(found.move, kernels.codes.X_WON + other(side))

    def follows(self, position: Position) -> bool:
        """Whether `position` is the one searched last, or comes after it by a move or two."""
        return position.rules == self.rules and _moves_between(self._position, position) is not None

    def forget(self) -> None:
        """Let the next search start from scratch."""
        self._position = None

    def get_ready(self) -> None:
        """Allocate the memory beforehand, so that the first search spends no time on it."""
        if self._tree is None:
            self._tree = self._new_tree(Position.initial(replace(self.rules, opening=Opening.FREE)))
            self._tree.claim()

    def _go_on_from(self, position: Position) -> trees.SearchTree:
        """Return the tree: kept if the game went on from it, otherwise started over."""
        before, self._position = self._position, position
        if self._tree is None:
            self._tree = self._new_tree(position)
            return self._tree
        moves = _moves_between(before, position)
        if moves is None or not self._tree.follow(moves, position):
            self._tree.restart(position)
        return self._tree

    def _new_tree(self, position: Position) -> trees.SearchTree:
        if self._evaluator is None:
            return trees.PlayoutTree(position, self._capacity)
        return trees.ValuedTree(position, self._capacity, self._evaluator, forgets=self._forgets)


def search(
    position: Position,
    limit: Limit,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
    evaluation: Evaluation | str = Evaluation.AUTO,
) -> SearchReport:
    """Look for the best move from scratch; options and errors are those of `Searcher`.

    Examples:
        >>> report = search(Position.initial(Rules()), Limit(iterations=500), seed=1)
        >>> report.iterations, sum(report.visits.values())
        (500, 500)
    """
    # The memory is used only as it fills.
    max_nodes = trees.MAX_NODES
    if limit.iterations is not None:
        cells, depth = position.rules.cell_count, position.rules.depth
        per_iteration = trees.NODES_PER_ITERATION if depth < 3 else cells // 9
        max_nodes = min(max_nodes, limit.iterations * per_iteration)
    searcher = Searcher(
        position.rules,
        evaluation=evaluation,
        max_nodes=max_nodes,
        # There is room for nearly all of a search limited in iterations.
        forgets=max_nodes == trees.MAX_NODES,
    )
    return searcher.search(position, limit, seed=seed, stop=stop)


def _moves_between(before: Position | None, after: Position) -> tuple[Cell, ...] | None:
    """Return the few moves that lead from one position to another, None if none do."""
    last = after.last_move
    if before == after:
        return ()
    if before is None or last is None:
        return None
    if after.ply - before.ply == 1 and _leads(before, last, after):
        return (last,)
    if after.ply - before.ply == 2:  # one's own move and the opponent's
        for move in before.legal_moves:
            if after.mark_at(move) == before.side and _leads(before.after(move), last, after):
                return (move, last)
    return None


def _is_late(position: Position) -> bool:
    """Whether so few cells are left that proofs are worth their time."""
    if position.rules.depth != 2:
        return False
    words, tables = position.search_state().words, loaded_rules(position.rules).tables
    return bool(kernels.solving.cells_left(words, tables) <= LATE)


def _leads(before: Position, move: Cell, after: Position) -> bool:
    return move in before.legal_moves and before.after(move) == after


__all__ = ["Clock", "Limit", "Proof", "SearchReport", "Searcher", "search"]
