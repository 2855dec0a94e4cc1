"""The first move under the pie rule: as good as no swap."""

from __future__ import annotations

import threading
import time

import pytest

from engine import (
    LEVELS,
    Limit,
    Position,
    Rules,
    best_moves,
    choose_move,
    load_variant,
    search,
)
from engine.search.balance import balanced_move, balanced_moves, invites_swap


@pytest.mark.parametrize("key", ["pie", "balanced"])
def test_the_first_move_is_balanced_where_seats_may_be_swapped(key: str):
    """A longer search calls the chosen move balanced, but not the best one."""
    start = Position.initial(load_variant(key).rules)
    chosen = choose_move(start, LEVELS[7], seed=3)
    best = search(start, Limit(iterations=3000), seed=3)
    chances = [
        1 - search(start.after(move), Limit(iterations=8000), seed=5).score_for_side
        for move in (chosen.move, best.move)
    ]

    assert abs(chances[0] - 0.5) < 0.04
    assert chances[1] > 0.56
    assert abs(chosen.score_for_side - 0.5) < 0.04


def test_only_a_first_move_that_may_be_swapped_is_balanced():
    pie = Position.initial(Rules.parse("pie"))

    assert invites_swap(pie)
    assert not invites_swap(pie.after(40))
    assert not invites_swap(Position.initial(Rules()))
    assert choose_move(Position.initial(Rules()), LEVELS[7], seed=3).score_for_side > 0.56


def test_symmetry_spares_most_looks_and_chance_turns_the_move():
    start = Position.initial(Rules.parse("pie"))
    found = balanced_moves(start, Limit(iterations=20), seed=1)
    reports = [balanced_move(start, Limit(iterations=20), seed=seed) for seed in range(12)]

    assert len(found) == 15
    assert len({report.move for report in reports}) > 3
    for report in reports:
        assert tuple(report.visits) == start.legal_moves
        assert report.iterations == 20 * 15
        position = start
        for move in report.principal_line:
            position = position.after(move)


def test_an_opening_without_the_centre_is_balanced_too():
    start = Position.initial(Rules.parse("opening=pie+no_centre"))
    report = balanced_move(start, Limit(iterations=50), seed=1)

    assert invites_swap(start)
    assert report.move in start.legal_moves


def test_time_and_stop_end_it():
    start = Position.initial(Rules.parse("depth=3,opening=pie"))
    balanced_move(start, Limit(seconds=0.01), seed=1)
    stop = threading.Event()
    stop.set()
    started = time.thread_time()
    report = balanced_move(start, Limit(seconds=60), seed=1, stop=stop)

    assert report.move in start.legal_moves
    assert time.thread_time() - started < 2


def test_a_hint_before_a_swap_is_balanced():
    start = Position.initial(Rules.parse("pie"))
    hints = best_moves(start, Limit(iterations=8000), seed=1)

    assert len(hints) == 3
    assert all(abs(hint.chance - 0.5) < 0.06 for hint in hints)
