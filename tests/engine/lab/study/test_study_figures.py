"""Figures and their standard errors."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Estimate, StudyResult, load_variant
from engine.lab.study import Moments, Tally, fairness_of, make_self_play, share_of

FIGURES = ("choices", "plies", "x_share", "o_share", "draw_share", "cells_marked", "boards_decided")


@given(st.lists(st.integers(0, 729), min_size=2, max_size=60))
def test_a_mean_has_the_error_of_the_textbook(numbers: list[int]):
    moments = Moments()
    for number in numbers:
        moments.add(number)

    estimate = moments.estimate(len(numbers), unit=9)

    assert estimate.value == pytest.approx(statistics.fmean(numbers) / 9)
    spread = statistics.stdev(numbers) / math.sqrt(len(numbers)) / 9
    assert estimate.error == pytest.approx(spread, abs=1e-6)


@given(st.integers(0, 500), st.integers(0, 500))
def test_fairness_is_that_of_the_formula(x_wins: int, o_wins: int):
    estimate = fairness_of(x_wins, o_wins)

    if x_wins + o_wins == 0:
        assert estimate is None
        return
    assert estimate is not None
    share = x_wins / (x_wins + o_wins)
    assert estimate.value == pytest.approx(1 - 2 * abs(share - 0.5))
    assert estimate == fairness_of(o_wins, x_wins)


def test_one_game_tells_no_error():
    assert share_of(1, 1) == Estimate(value=1.0, error=None)
    assert fairness_of(1, 0) == Estimate(value=0.0, error=None)
    assert Moments(5, 25).estimate(1) == Estimate(value=5.0, error=None)


@pytest.mark.parametrize(
    ("key", "names"),
    # Fairness far from 1, where it would be folded back: X wins two of three decided games.
    [("won-board", (*FIGURES, "decisiveness")), ("depth=1", ("fairness",))],
)
def test_errors_are_how_far_repeated_studies_differ(key: str, names: tuple[str, ...]):
    """400 studies of 500 games each: their figures spread as each study estimates."""
    variant = load_variant(key)
    results = []
    for seed in range(400):
        player = make_self_play(variant, "random", seed=seed)
        player.play(500)
        results.append(player.tally.result(variant))

    for name in names:
        values, errors = zip(*[value_and_error(one, name) for one in results], strict=True)
        assert statistics.stdev(values) == pytest.approx(statistics.fmean(errors), rel=0.12), name


def value_and_error(result: StudyResult, name: str) -> tuple[float, float]:
    estimate = getattr(result, name)
    return estimate.value, estimate.error


def test_a_result_adds_up():
    variant = load_variant("open-board")
    player = make_self_play(variant, "random", seed=5)
    player.play(1000)
    result = player.tally.result(variant)

    shares = (result.x_share.value, result.o_share.value, result.draw_share.value)
    assert sum(shares) == pytest.approx(1)
    assert result.decisiveness.value == pytest.approx(1 - result.draw_share.value)
    assert result.cells_marked.value == pytest.approx(result.plies.value / 81)
    assert result.shortest < result.plies.value < result.longest <= 81


def test_no_fairness_without_a_winner():
    tally = Tally(games=3, draws=3, shortest=70, longest=75, plies=Moments(215, 15425))

    assert tally.result(load_variant("standard")).fairness is None
