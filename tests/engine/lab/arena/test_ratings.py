"""Ratings fitted to results, against results made from known ratings."""

from __future__ import annotations

import itertools
import random

import pytest

from engine.errors import EngineError
from engine.lab.arena.elo import elo_of_score, fit_ratings, score_of_elo

TRUTH = (1000.0, 1150.0, 1350.0, 1500.0, 1720.0)
NAMES = ("a", "b", "c", "d", "e")


def pair_score(rng: random.Random, expected: float) -> float:
    """Two games, a third of which are drawn when players are equal."""
    points = 0.0
    for _ in range(2):
        drawn = min(expected, 1 - expected) * 2 / 3
        luck = rng.random()
        points += 0.5 if luck < drawn else float(luck < drawn / 2 + expected)
    return points / 2


def made_up(seed: int, pair_count: int) -> dict[tuple[int, int], list[float]]:
    rng = random.Random(seed)
    return {
        (high, low): [
            pair_score(rng, score_of_elo(TRUTH[high] - TRUTH[low])) for _ in range(pair_count)
        ]
        for low, high in itertools.combinations(range(len(TRUTH)), 2)
    }


def test_known_ratings_are_found_again():
    fit = fit_ratings(NAMES, made_up(4, 3000), anchor=0, anchor_elo=1000)

    for rating, truth in zip(fit.ratings, TRUTH, strict=True):
        assert rating.elo == pytest.approx(truth, abs=15)


def test_error_bars_hold_the_truth_as_often_as_they_say():
    inside = total = 0
    for seed in range(60):
        fit = fit_ratings(NAMES, made_up(seed, 30), anchor=0, anchor_elo=1000)
        for rating, truth in zip(fit.ratings[1:], TRUTH[1:], strict=True):
            inside += abs(rating.elo - truth) <= rating.error
            total += 1

    assert 0.90 <= inside / total <= 0.99


def test_two_players_differ_by_the_elo_of_their_score():
    fit = fit_ratings(["a", "b"], {(1, 0): [1.0, 0.5] * 5000})
    gap = fit.gap(1, 0)

    assert gap.elo == pytest.approx(elo_of_score(0.75), abs=0.1)
    assert gap.elo == fit.ratings[1].elo - fit.ratings[0].elo
    assert gap.error == pytest.approx(fit.ratings[1].error)
    assert (fit.ratings[1].games, fit.ratings[1].score) == (20_000, 0.75)


def test_who_won_every_game_is_rated_within_bounds():
    """One extra game, drawn: 20.5 of 21 points, 645 Elo."""
    fit = fit_ratings(["a", "b"], {(1, 0): [1.0] * 10})

    assert fit.ratings[1].elo == pytest.approx(elo_of_score(20.5 / 21))
    assert fit.ratings[1].error > 150


def test_the_anchor_only_shifts():
    low = fit_ratings(NAMES, made_up(2, 20))
    high = fit_ratings(NAMES, made_up(2, 20), anchor=3, anchor_elo=1500)

    shift = high.ratings[0].elo - low.ratings[0].elo
    for one, other in zip(low.ratings, high.ratings, strict=True):
        assert other.elo - one.elo == pytest.approx(shift, abs=1e-6)
    assert (high.ratings[3].elo, high.ratings[3].error) == (1500, 0)
    assert high.gap(2, 1).error == pytest.approx(low.gap(2, 1).error)


def test_players_who_never_met_are_refused():
    with pytest.raises(EngineError, match="connect all players"):
        fit_ratings(NAMES[:4], {(1, 0): [0.5], (3, 2): [0.5]})
