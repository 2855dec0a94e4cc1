"""What is shipped: every net is stronger than the formula, and the log says so."""

from __future__ import annotations

import pytest

from engine import Limit, Rules
from engine.lab.training.run import LOG, compare
from engine.nets.net import FOLDER
from engine.search.evaluation import Evaluation

SHIPPED = sorted(path.stem for path in FOLDER.glob("*.net"))


def test_there_are_nets_for_the_rules_that_matter_most():
    assert {"standard", "majority"} <= set(SHIPPED)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("key", SHIPPED)
def test_a_net_beats_the_formula_with_as_many_iterations(key: str):
    rules = Rules.parse(key)
    sources = ((FOLDER / f"{key}.net").read_bytes(), Evaluation.HAND)
    verdict = compare(rules, sources, limit=Limit(iterations=200), pairs=12, threads=1)

    assert verdict.share > 0.6


@pytest.mark.parametrize("key", SHIPPED)
def test_the_log_says_how_a_net_was_made(key: str):
    text = LOG.read_text(encoding="utf-8")
    section = text.split(f"\n## {key}, ", 1)[1].split("\n## ", 1)[0]

    assert f"python -m engine.lab.training {key} " in section
    assert "against the hand-made formula: +" in section
