"""Corrected chances: what a fit finds, and what it leaves alone."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Game, Hint, Limit, O, Position, Proof, Rules, X, best_moves, load_variant
from engine.analysis import calibration, hints
from engine.analysis.calibration import (
    CALIBRATION_FILE,
    Calibration,
    correct,
    save_calibrations,
)
from engine.analysis.hints import expected_moves
from engine.analysis.review import analyse_game
from engine.lab.truth.hints import fit_calibration
from engine.variants import VARIANTS

SKEWED = Calibration(slope=2.5, offset=-0.4)
SMALL = Rules(depth=1)


def test_a_fit_finds_what_made_the_points():
    rng = random.Random(1)
    cases = []
    for _ in range(40_000):
        chance = rng.uniform(0.05, 0.95)
        cases.append((chance, float(rng.random() < SKEWED.correct(chance))))
    found = fit_calibration(cases)

    assert found.slope == pytest.approx(SKEWED.slope, abs=0.1)
    assert found.offset == pytest.approx(SKEWED.offset, abs=0.06)


def test_few_cases_change_little_and_none_turn_the_order():
    few = fit_calibration([(0.6, 0.0), (0.4, 1.0)])
    assert abs(few.correct(0.6) - 0.6) < 0.2
    absurd = fit_calibration([(0.9, 0.0), (0.1, 1.0)] * 5_000)
    assert absurd.correct(0.9) > absurd.correct(0.1)
    certain = fit_calibration([(1.0, 1.0), (0.0, 0.0)] * 5_000)
    assert math.isfinite(certain.slope)
    assert certain.correct(1.0) > 0.99


def test_where_x_always_wins_an_even_position_stays_even():
    rng = random.Random(2)
    cases = []
    for number in range(2_000):
        side = number % 2
        chance = rng.uniform(0.6, 0.9) if side == X else rng.uniform(0.1, 0.4)
        cases.append((chance, float(side == X)))
    found = fit_calibration(cases)

    assert found.correct(0.7) > 0.9
    assert found.correct(0.5) == pytest.approx(0.5, abs=0.1)


@pytest.fixture
def skewed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Standard and tic-tac-toe get large corrections."""
    monkeypatch.setattr(calibration, "CALIBRATION_FILE", tmp_path / "calibration.json")
    save_calibrations({"standard": SKEWED, SMALL.key: SKEWED}, tmp_path / "calibration.json")
    calibration._load.cache_clear()
    yield
    calibration._load.cache_clear()


@pytest.mark.usefixtures("skewed")
def test_rules_that_were_not_measured_are_left_alone():
    for key in ("standard", "pie"):  # only the opening differs
        assert correct(0.6, load_variant(key).rules) == SKEWED.correct(0.6)
    assert correct(0.6, load_variant("majority").rules) == 0.6


@pytest.mark.usefixtures("skewed")
def test_hints_are_corrected_before_they_are_put_in_order(monkeypatch: pytest.MonkeyPatch):
    position = Position.initial(Rules()).after(40)
    given = best_moves(position, Limit(iterations=300), seed=1)
    for hint, plain in zip(
        given, expected_moves(position, Limit(iterations=300), 3, seed=1), strict=True
    ):
        assert hint.move == plain.move
        assert hint.chance == SKEWED.correct(plain.chance)

    sure = Hint(move=1, chance=0.5, line=(1,), proven=Proof.DRAW)
    for chance in (0.52, 0.9):  # corrected it is 0.45, or 0.99
        unsure = Hint(move=2, chance=chance, line=(2,), proven=None)
        monkeypatch.setattr(hints, "expected_moves", lambda *_, **__: (unsure, sure))  # noqa: B023
        best = best_moves(position, Limit(iterations=1))[0]
        assert (best.move == 2) == (SKEWED.correct(chance) > 0.5)


@pytest.mark.usefixtures("skewed")
def test_a_review_tells_what_a_hint_would():
    game = Game.replay(Rules(), [40, 36, 3, 27, 4, 41])
    corrected = analyse_game(game, Limit(iterations=300))
    save_calibrations({}, calibration.CALIBRATION_FILE)
    calibration._load.cache_clear()
    plain = analyse_game(game, Limit(iterations=300))

    for place, (before, after) in enumerate(zip(plain.chances, corrected.chances, strict=True)):
        side = (X, O)[place % 2]
        expected = SKEWED.correct(before if side == X else 1 - before)
        assert after == pytest.approx(expected if side == X else 1 - expected)


@pytest.mark.usefixtures("skewed")
def test_what_is_proven_is_not_corrected():
    found = analyse_game(Game.replay(SMALL, [0, 3, 1, 4, 2]), Limit(iterations=400))

    assert found.chances[-2:] == (1.0, 1.0)


def test_what_is_shipped_is_for_variants_and_turns_no_order():
    assert CALIBRATION_FILE.is_file()
    for key, one in calibration._load().items():
        assert key in VARIANTS
        said = [one.correct(chance / 100) for chance in range(101)]
        assert said == sorted(said)
        assert all(0 < chance < 1 for chance in said)
