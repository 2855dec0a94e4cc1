"""Training games, and what the net learns from: features and labels, turned eight ways."""

from __future__ import annotations

import itertools
import time
from contextlib import closing
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.kernels.valuing import CONFIGURATIONS, Evaluator
from engine.lab.cluster import carry_out
from engine.lab.kernels import selfplay
from engine.nets.evaluators import mask_table, net_evaluator
from engine.nets.features import ONE, digits, local_features
from engine.nets.net import unpack_net
from engine.openings import draw_opening_code
from engine.position import Position, loaded_rules
from engine.rules import Rules
from engine.search.evaluation import Evaluation, load_evaluator
from engine.sending import SQUARE

Rows = NDArray[np.int16]  # one row a position, the columns of kernels/selfplay.py

Source: TypeAlias = bytes | Evaluation
"""What values positions: a packed net, or an evaluation that is available everywhere."""

_GAMES_AT_ONCE: Final = 16
_MOST_RANDOM_PLIES: Final = 8  # at the start
_VARIED_PLIES: Final = 20  # until then moves are drawn by their visits

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlan:
    """How training games are played.

    Attributes:
        positions: How many to collect.
        stray_moves: Of a thousand moves, how many are random legal ones.
        deadline: A monotonic time at which to stop with what there is.
    """

    positions: int
    iterations: int
    stray_moves: int = 100
    threads: int = 2
    seed: int = 1
    deadline: float = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGames:
    """Training games that were played."""

    rows: Rows
    game_count: int
    seconds: float


@lru_cache(maxsize=3)
def evaluator_of(rules: Rules, source: Source) -> Evaluator | None:
    """Return the evaluator for `source`; None for random games."""
    if isinstance(source, bytes):
        return net_evaluator(unpack_net(source))
    return load_evaluator(rules, source)


def play_training_games(
    rules: Rules, source: Source, plan: GamePlan, *, workers: str | None = None
) -> PlayedGames:
    """Play until there are enough positions or time is up.

    `source` values positions for both players; it cannot be random games. `workers` is the
    address of a dask scheduler whose workers play instead of threads.
    """
    started = time.monotonic()
    parts: list[Rows] = []
    jobs = ((rules, source, plan, number) for number in itertools.count())
    with closing(carry_out(play_some, jobs, concurrency=plan.threads, workers=workers)) as playing:
        for _, rows in playing:
            parts.append(rows)
            if sum(map(len, parts)) >= plan.positions or time.monotonic() >= plan.deadline:
                break
    return PlayedGames(
        rows=np.concatenate(parts),
        game_count=len(parts) * _GAMES_AT_ONCE,
        seconds=time.monotonic() - started,
    )


def play_some(rules: Rules, source: Source, plan: GamePlan, number: int) -> Rows:
    """Play some games of a plan and return their rows."""
    evaluator = evaluator_of(rules, source)
    assert evaluator is not None, "a net learns from values"
    start = Position.initial(rules, draw_opening_code(rules, seed=plan.seed))
    settings = np.zeros(selfplay.SETTING_COUNT, dtype=np.int64)
    settings[selfplay.ITERATIONS] = plan.iterations
    settings[selfplay.MOST_RANDOM_PLIES] = _MOST_RANDOM_PLIES
    settings[selfplay.VARIED_PLIES] = _VARIED_PLIES
    settings[selfplay.STRAY_MOVES] = plan.stray_moves
    rows = np.zeros((2 * 81 * _GAMES_AT_ONCE, selfplay.COLUMNS), dtype=np.int16)
    count = selfplay.play_games(
        start.search_state(),
        start.search_state(),
        kernels.puct.make_tree(plan.iterations * 81 * 12),
        start.search_state(),
        kernels.puct.make_tree(plan.iterations * 81),
        kernels.puct.make_scratch(2),
        *loaded_rules(rules),
        evaluator,
        kernels.rng.make_rng(1_000_000 * plan.seed + number),
        settings,
        rows,
        _GAMES_AT_ONCE,
    )
    return rows[:count].copy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """A batch for the net, sorted by target; positions with a free choice come last.

    Attributes:
        configurations: int64[batch, 9], of local boards.
        local: float32[batch, 9, 41], their features except the learned ones.
        ends: Where the positions of each target begin, and where those of the last end.
        masks: int64[batch, 5], the boards of the five groups of `valuing.macro_rows`.
        stage: int64[batch], how many boards are decided.
        labels: float32[batch], the average of what the search expected and the result.
    """

    configurations: NDArray[np.int64]
    local: Floats
    ends: tuple[int, ...]
    masks: NDArray[np.int64]
    stage: NDArray[np.int64]
    labels: Floats


@cache
def _feature_table(*, is_closed: bool) -> Floats:
    return (local_features(is_closed=is_closed) / ONE).astype(np.float32)


@cache
def _turned_configurations() -> NDArray[np.int16]:
    """Return int16[8, configurations]: every configuration under every symmetry."""
    places = 3 ** np.arange(9)
    turned = [(digits() * places[list(symmetry)]).sum(axis=1) for symmetry in SQUARE]
    return np.array(turned, dtype=np.int16)


@cache
def _turned_masks() -> NDArray[np.int16]:
    bits = np.arange(512)[:, None] >> np.arange(9) & 1
    turned = [(bits << np.array(symmetry)).sum(axis=1) for symmetry in SQUARE]
    return np.array(turned, dtype=np.int16)


def turn(rows: Rows, symmetry: int) -> Rows:
    """Return the rows as they are under one of the eight symmetries."""
    turned = rows.copy()
    places = np.array(SQUARE[symmetry])
    turned[:, places] = _turned_configurations()[symmetry][rows[:, :9]]
    turned[:, selfplay.TARGET] = np.append(places, 9)[rows[:, selfplay.TARGET]]
    for column in (selfplay.OWN_BOARDS, selfplay.OTHER_BOARDS, selfplay.DRAWN_BOARDS):
        turned[:, column] = _turned_masks()[symmetry][rows[:, column]]
    return turned


def make_samples(rows: Rows, *, is_closed: bool) -> Samples:
    """Return the inputs and labels of the net for some rows."""
    assert rows[:, :9].max() < CONFIGURATIONS
    rows = rows[np.argsort(rows[:, selfplay.TARGET], kind="stable")]
    configurations = rows[:, :9].astype(np.int64)
    target = rows[:, selfplay.TARGET]
    outcome = rows[:, selfplay.SEARCHED].astype(np.float32) + rows[:, selfplay.RESULT]
    return Samples(
        configurations=configurations,
        local=_feature_table(is_closed=is_closed)[configurations],
        ends=tuple(np.searchsorted(target, np.arange(10)).tolist()),
        masks=_masks(rows),
        stage=_stages(rows),
        labels=outcome / np.float32(2 * selfplay.WHOLE),
    )


def _stages(rows: Rows) -> NDArray[np.int64]:
    columns = [selfplay.OWN_BOARDS, selfplay.OTHER_BOARDS, selfplay.DRAWN_BOARDS]
    decided = np.bitwise_or.reduce(rows[:, columns], axis=1)
    counts: NDArray[np.int64] = (decided[:, None] >> np.arange(9) & 1).sum(axis=1)
    return counts


def _masks(rows: Rows) -> NDArray[np.int64]:
    own = rows[:, selfplay.OWN_BOARDS]
    other = rows[:, selfplay.OTHER_BOARDS]
    drawn = rows[:, selfplay.DRAWN_BOARDS]
    open_boards = 511 & ~(own | other | drawn)
    completes = mask_table()[:, 1]
    groups = (own, other, drawn, completes[own] & open_boards, completes[other] & open_boards)
    return np.stack(groups, axis=1).astype(np.int64)
