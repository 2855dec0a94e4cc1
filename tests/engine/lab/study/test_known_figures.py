"""Random play against an independent simulation of a million games for each variant.

Won-Board Play is the plain variant: a line of boards ends it, and it is drawn
only when all nine boards are decided.
"""

from __future__ import annotations

import math
from dataclasses import astuple

import pytest

from engine import PUBLISHED_FIGURES, StudyResult, load_study, load_variant
from engine.lab.study import make_self_play

# Choices per turn, plies, shares of X, O and draws, fairness; from a million games each.
KNOWN = {
    "standard": (9.289, 58.905, 0.4120, 0.3661, 0.2219, 0.9411),
    "open-board": (10.774, 63.940, 0.4207, 0.3754, 0.2039, 0.9431),
    "won-board": (6.668, 69.707, 0.4295, 0.3726, 0.1979, 0.9291),
}
KNOWN_GAMES = 1_000_000
VARIANT = pytest.mark.parametrize("key", KNOWN)


def studied(key: str, *, games: int, seed: int) -> StudyResult:
    variant = load_variant(key)
    player = make_self_play(variant, "random", seed=seed)
    player.play(games)
    return player.tally.result(variant)


def assert_known(result: StudyResult, *, errors: float) -> None:
    """Fail if a figure differs from the known one by more than `errors` standard errors of both."""
    fairness = result.fairness
    assert fairness is not None
    figures = (
        result.choices,
        result.plies,
        result.x_share,
        result.o_share,
        result.draw_share,
        fairness,
    )
    for figure, known in zip(figures, KNOWN[result.variant], strict=True):
        assert figure.error is not None
        error = figure.error * math.sqrt(1 + result.games / KNOWN_GAMES)
        assert figure.value == pytest.approx(known, abs=errors * error)


@VARIANT
def test_forty_thousand_games(key: str):
    assert_known(studied(key, games=40_000, seed=11), errors=4)


@VARIANT
def test_the_stored_study(key: str):
    result = load_study().result_of(key)

    assert result is not None
    assert result.games == KNOWN_GAMES
    assert_known(result, errors=3)


@pytest.mark.long
@VARIANT
def test_a_million_games(key: str):
    """Played again, these are also the games of the stored study."""
    study = load_study()
    result = studied(key, games=KNOWN_GAMES, seed=study.seed)

    assert_known(result, errors=3)
    stored = study.result_of(key)
    assert stored is not None
    for figure, kept in zip(astuple(result), astuple(stored), strict=True):
        assert figure == (kept if isinstance(kept, str) else pytest.approx(kept, rel=1e-9))


@VARIANT
def test_the_printed_figures_agree_as_far_as_a_hundred_games_can(key: str):
    printed, result = PUBLISHED_FIGURES[key], load_study().result_of(key)

    assert result is not None
    assert result.fairness is not None
    assert printed.games == 100
    assert printed.choices == pytest.approx(result.choices.value, abs=0.2)
    assert printed.plies == pytest.approx(result.plies.value, abs=3)
    assert printed.fairness == pytest.approx(result.fairness.value, abs=3 * printed.fairness_error)
