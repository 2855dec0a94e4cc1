"""Iterative deepening over the alpha-beta kernel."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final

from engine.errors import EngineError, GameOverError
from engine.lab import kernels
from engine.position import Position, loaded_rules
from engine.rules import Rules
from engine.search.evaluation import Evaluation, load_evaluator
from engine.search.mcts import Limit
from engine.types import Cell

TABLE_SIZE: Final = 1 << 19  # 21 MB
CHUNK_NODES: Final = 500  # about a millisecond


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaBetaReport:
    """What the last finished depth found.

    Attributes:
        move: The move to play.
        score: For the side to move, in logits of the evaluator around 0.
        depth: How many plies deep.
        nodes: Positions looked at.
        is_decided: Whether the game is won or lost for certain.
    """

    move: Cell
    score: int
    depth: int
    nodes: int
    is_decided: bool


class AlphaBeta:
    """Looks deeper and deeper until a limit; remembers positions from move to move.

    Args:
        rules: Rules of depth 2.

    Raises:
        EngineError: If the rules have another depth.
    """

    def __init__(self, rules: Rules) -> None:
        evaluator = load_evaluator(rules, Evaluation.HAND) if rules.depth == 2 else None
        if evaluator is None:
            raise EngineError(f"alphabeta plays games of depth 2 only, not {rules.key!r}")
        self._evaluator = evaluator
        self._loaded = loaded_rules(rules)
        self._search = kernels.alphabeta.make_search(TABLE_SIZE)

    def search(
        self,
        position: Position,
        limit: Limit,
        *,
        max_depth: int = 81,
        stop: threading.Event | None = None,
    ) -> AlphaBetaReport:
        """Look for the best move; an iteration of the limit is a position looked at.

        Raises:
            GameOverError: If the game has ended.
        """
        if position.outcome is not None:
            raise GameOverError(f"The game is over: {position.outcome}.")
        codes, started = kernels.alphabeta, time.perf_counter()
        self._search.head[codes.NODES] = 0
        report = None
        for depth in range(1, min(max_depth, 81 - position.ply) + 1):
            self._open(position, depth)
            if not self._finish(limit, started, stop, must=report is None):
                break
            frame = self._search.frames[0]
            score = int(frame[codes.BEST])
            report = AlphaBetaReport(
                move=int(frame[codes.BEST_MOVE]),
                score=score,
                depth=depth,
                nodes=int(self._search.head[codes.NODES]),
                is_decided=abs(score) > codes.SURE,
            )
            if report.is_decided:
                break
        assert report is not None
        return report

    def _open(self, position: Position, depth: int) -> None:
        codes, search = kernels.alphabeta, self._search
        search.positions[0] = position.search_state().words
        infinite = codes.INFINITE
        codes.enter(search, 0, depth, -infinite, infinite, *self._loaded, self._evaluator)

    def _finish(
        self, limit: Limit, started: float, stop: threading.Event | None, *, must: bool
    ) -> bool:
        """Search the depth that was opened; False when a limit came first."""
        codes, search = kernels.alphabeta, self._search
        while True:
            chunk = CHUNK_NODES
            if limit.iterations is not None and not must:
                chunk = min(chunk, limit.iterations - int(search.head[codes.NODES]))
                if chunk <= 0:
                    return False
            if codes.think(search, *self._loaded, self._evaluator, chunk):
                return True
            if must:
                continue
            if stop is not None and stop.is_set():
                return False
            if limit.seconds is not None and time.perf_counter() - started >= limit.seconds:
                return False
