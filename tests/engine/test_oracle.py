"""Kernels and oracle say the same at every ply, for every combination of options."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import pytest

from engine import Rules
from tests.engine.agreement import check_game
from tests.strategies import every_rules

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("part", range(6))
def test_every_combination_of_81_cells(part: int):
    for seed, rules in list(enumerate(every_rules(2)))[part::6]:
        assert check_game(rules, seed) <= 81


def test_every_combination_of_9_cells():
    for rules in every_rules(1):
        for seed in range(50):
            assert check_game(rules, seed) <= 9


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", range(3))
def test_every_two_options_together_of_729_cells(part: int):
    for seed, rules in list(enumerate(covering(every_rules(3))))[part::3]:
        assert check_game(rules, seed) <= 729


def covering(every: list[Rules]) -> list[Rules]:
    """Return a few of the rules that together still have every pair of values of two options."""
    pairs = {rules: set(combinations(asdict(rules).items(), 2)) for rules in every}
    missing = set().union(*pairs.values())
    chosen = []
    while missing:
        chosen.append(max(every, key=lambda rules: len(pairs[rules] & missing)))
        missing -= pairs[chosen[-1]]
    return chosen


@pytest.mark.parametrize("map_number", [11, 28, 53, 71, 86, 88])
def test_other_maps(map_number: int):
    rules = Rules.parse(f"depth=3,sending=map,map={map_number}")

    assert check_game(rules, map_number) <= 729


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(8))
def test_every_combination_of_81_cells_often(part: int):
    """Thousands of games: rare endings are met here."""
    for number, rules in list(enumerate(every_rules(2)))[part::8]:
        for seed in range(20):
            check_game(rules, 1000 * number + seed)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(12))
def test_every_combination_of_729_cells(part: int):
    for seed, rules in list(enumerate(every_rules(3)))[part::12]:
        check_game(rules, seed)


def test_without_the_compiler_the_kernels_say_the_same():
    """Compiled code wraps around where Python does not: both must mean the same."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.agreement"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.stdout.endswith("not compiled\n")
