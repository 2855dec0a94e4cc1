"""Which puzzle comes next, and what an attempt does to both ratings."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.model.puzzles import (
    MOST_PUZZLE_CHANGE,
    NEAREST,
    PuzzleRow,
    Round,
    RoundRow,
    SolverRow,
    choose,
    decide,
)
from bot.model.ratings.glicko import Rating, after_game
from engine import load_puzzles

NOW = datetime(2026, 11, 23, tzinfo=UTC)
PUZZLES = load_puzzles("standard")


def open_round(solver: SolverRow, value: float = 1500.0) -> Round:
    keys: dict[str, Any] = {"variant_key": "standard", "puzzle_id": "aaaaaaaa"}
    row = RoundRow(player_id=solver.player_id, begun_at=NOW, **keys)
    rated = PuzzleRow(value=value, **keys)
    return Round(puzzle=PUZZLES[0], row=row, solver=solver, rated=rated)


def test_both_ratings_move_as_after_a_game_and_the_puzzles_no_further_than_its_limit():
    solver = SolverRow(player_id=1, value=1600.0, deviation=90.0, rounds=9, last_at=NOW)
    later = NOW + timedelta(days=2)
    for is_won in (True, False):
        found = open_round(solver)
        decided = decide(found, is_won=is_won, now=later)
        hardness = Rating(value=1500.0, deviation=found.rated.deviation, volatility=0.06)
        before = Rating(value=1600.0, deviation=90.0, volatility=0.06)
        after = after_game(before, hardness, float(is_won), timedelta(days=2))
        assert decided.solver.value == decided.row.value_after == after.value
        assert decided.solver.deviation == after.deviation
        assert (decided.solver.rounds, decided.solver.solved) == (10, int(is_won))
        assert decided.gain == round(after.value) - 1600
        change = decided.rated.value - 1500
        assert (change < 0) == is_won
        assert abs(change) <= MOST_PUZZLE_CHANGE
        assert decided.rated.deviation < found.rated.deviation


def test_a_rating_is_told_once_five_puzzles_have_told_something():
    found = open_round(SolverRow(player_id=1))
    told = []
    for number in range(6):
        found = decide(
            replace(found, row=replace(found.row, won=None)), is_won=number % 2 == 0, now=NOW
        )
        told.append(str(found.solver.words))
        assert found.gain is None  # it is not certain yet
    assert told[:4] == [f"placement puzzle {count} of 5" for count in range(1, 5)]
    assert told[5].startswith("puzzle rating 1")
    assert told[5].endswith("?")


def test_what_comes_next_is_about_as_hard_as_wanted_by_the_latest_ratings():
    rng = random.Random(1)
    ratings = {each.id: 3000.0 for each in PUZZLES[10:]}
    assert {choose(PUZZLES, ratings, 1500.0, rng).id for _ in range(40)} <= {
        each.id for each in PUZZLES[:10]
    }
    ordered = sorted(PUZZLES, key=lambda each: abs(each.rating - 900))
    chosen = {choose(PUZZLES, {}, 900.0, rng).id for _ in range(60)}
    assert chosen == {each.id for each in ordered[:NEAREST]}
