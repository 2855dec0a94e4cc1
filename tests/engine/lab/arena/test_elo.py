"""Elo and its interval against numbers worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.lab.arena.elo import (
    Interval,
    elo_interval,
    elo_of_score,
    pentanomial,
    score_interval,
    score_of_elo,
)
from engine.lab.arena.matches import format_interval

pair_scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("score", "elo"), [(0.5, 0.0), (0.75, 190.85), (10 / 11, 400.0), (1 / 11, -400.0)]
)
def test_elo_of_a_score(score: float, elo: float):
    assert elo_of_score(score) == pytest.approx(elo, abs=0.005)
    assert score_of_elo(elo) == pytest.approx(score, abs=0.0001)


def test_elo_without_an_end():
    assert (elo_of_score(0.0), elo_of_score(1.0)) == (-math.inf, math.inf)


def test_the_interval_of_an_even_match():
    """Effect (20 + 1) / 22, throws 20.952: 0.5 ± 0.1968."""
    found = score_interval([1.0, 0.0] * 10)

    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.3032, 0.6968), abs=5e-5)


def test_the_interval_where_every_game_was_won():
    """Ten pairs are twenty throws: the bound is 20 / (20 + 1.96²)."""
    found = score_interval([1.0] * 10)

    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(20 / (20 + 1.959964**2))
    assert elo_interval([1.0] * 10).value == math.inf


def test_draws_narrow_the_interval():
    wild, calm = score_interval([1.0, 0.0] * 20), score_interval([0.75, 0.25] * 20)

    assert wild.value == calm.value == 0.5
    assert wild.high - wild.low > 1.6 * (calm.high - calm.low)


@given(pair_scores)
def test_an_interval_holds_its_estimate_and_is_mirrored(scores: list[float]):
    found = score_interval(scores)
    other = score_interval([1 - score for score in scores])

    assert 0 <= found.low <= found.value <= found.high <= 1
    assert (1 - other.high, 1 - other.low) == pytest.approx((found.low, found.high), abs=1e-9)


@given(pair_scores)
def test_more_of_the_same_narrows_an_interval(scores: list[float]):
    once, often = score_interval(scores), score_interval(scores * 4)

    assert often.high - often.low < once.high - once.low


def test_nothing_can_be_said_without_games():
    with pytest.raises(EngineError, match="pair of games"):
        score_interval([])


def test_pairs_are_counted_by_their_points():
    assert pentanomial([0.0, 0.25, 0.5, 0.5, 0.75, 1.0]) == (1, 1, 2, 1, 1)


def test_intervals_are_written_with_signs():
    assert format_interval(Interval(value=-0.2, low=-8.6, high=math.inf)) == "+0 [-9, +inf]"
