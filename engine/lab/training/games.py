"""Training games: positions, what the search thought of them and what came of them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.kernels.valuing import Evaluator
from engine.lab.kernels import selfplay
from engine.openings import draw_opening_code
from engine.position import Position, loaded_rules
from engine.rules import Rules

Rows = NDArray[np.int16]  # one row a position, the columns of kernels/selfplay.py

_GAMES_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlan:
    """How training games are played.

    Attributes:
        positions: How many to collect.
        iterations: Of the search, per move.
        random_plies: Up to so many moves at the start are random.
        varied_plies: Until this ply moves are drawn by their visits.
        threads: How many games are played at the same time.
        seed: Of the random numbers.
        deadline: A monotonic time at which to stop with what there is.
    """

    positions: int
    iterations: int
    random_plies: int = 8
    varied_plies: int = 20
    threads: int = 2
    seed: int = 1
    deadline: float = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGames:
    """Training games that were played."""

    rows: Rows
    game_count: int
    seconds: float


def play_training_games(rules: Rules, evaluator: Evaluator, plan: GamePlan) -> PlayedGames:
    """Play until there are enough positions or the time is over."""
    started = time.monotonic()
    parts: list[Rows] = []
    lock = threading.Lock()

    def work(number: int) -> None:
        table = _Table(rules, evaluator, plan, number)
        while time.monotonic() < plan.deadline:
            rows = table.play()
            with lock:
                parts.append(rows)
                if sum(map(len, parts)) >= plan.positions:
                    return

    with ThreadPoolExecutor(plan.threads) as pool:
        for done in [pool.submit(work, number) for number in range(plan.threads)]:
            done.result()
    return PlayedGames(
        rows=np.concatenate(parts),
        game_count=len(parts) * _GAMES_AT_ONCE,
        seconds=time.monotonic() - started,
    )


class _Table:
    """One thread's arrays."""

    def __init__(self, rules: Rules, evaluator: Evaluator, plan: GamePlan, number: int) -> None:
        self._loaded = loaded_rules(rules)
        self._evaluator = evaluator
        code = draw_opening_code(rules, seed=plan.seed)
        self._start = Position.initial(rules, code).search_state().words
        self._words = self._start.copy()
        self._tree = kernels.puct.make_tree(plan.iterations * 81 * 12)
        self._scratch = kernels.puct.make_scratch()
        self._rng = kernels.rng.make_rng(1000 * plan.seed + number)
        self._settings = np.zeros(selfplay.SETTING_COUNT, dtype=np.int64)
        self._settings[selfplay.ITERATIONS] = plan.iterations
        self._settings[selfplay.MOST_RANDOM_PLIES] = plan.random_plies
        self._settings[selfplay.VARIED_PLIES] = plan.varied_plies
        self._rows = np.zeros((81 * _GAMES_AT_ONCE, selfplay.COLUMNS), dtype=np.int16)

    def play(self) -> Rows:
        """Play some games and return their rows."""
        count = selfplay.play_games(
            self._start,
            self._words,
            self._tree,
            self._scratch,
            *self._loaded,
            self._evaluator,
            self._rng,
            self._settings,
            self._rows,
            _GAMES_AT_ONCE,
        )
        return self._rows[:count].copy()
