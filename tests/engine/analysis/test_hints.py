"""Hints: the best moves first, each with a chance that can be relied on."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given, settings

from engine import (
    EngineError,
    Game,
    GameOverError,
    Limit,
    Position,
    Proof,
    Rules,
    SearchReport,
    best_moves,
    parse_position,
    search,
)
from tests import strategies

LIMIT = Limit(iterations=600)


def test_a_win_in_one_comes_first():
    position = parse_position("standard X 41 - XX7 XXX6/XXX6/XX7/O2O5/O2O5/O2O5/O2O5/9/9")
    hint = best_moves(position, LIMIT, seed=1)[0]

    assert (hint.move, hint.chance, hint.proven, hint.at_most_plies) == (20, 1.0, Proof.WIN, 1)


def test_a_draw_is_better_than_a_loss():
    """Ordinary tic-tac-toe, O after a centre: corners hold, edges lose."""
    position = Position.initial(Rules(depth=1)).after(4)
    hints = best_moves(position, Limit(iterations=1_000_000), 8, seed=1)

    assert {hint.move for hint in hints[:4]} == {0, 2, 6, 8}
    assert [hint.proven for hint in hints] == [Proof.DRAW] * 4 + [Proof.LOSS] * 4


def test_the_forced_win_is_a_hint():
    hints = best_moves(Position.initial(Rules.parse("won-board")), LIMIT, seed=1)

    assert len(hints) == 3
    assert (hints[0].move, hints[0].proven, hints[0].at_most_plies) == (40, Proof.WIN, 43)


def test_a_limit_in_iterations_repeats():
    position = Position.initial(Rules()).after(40)

    assert best_moves(position, LIMIT, seed=2) == best_moves(position, LIMIT, seed=2)


@settings(max_examples=25, deadline=None)
@given(position=strategies.positions(strategies.presets()))
def test_hints_are_legal_different_and_in_order(position: Position):
    if position.outcome is not None:
        return
    hints = best_moves(position, Limit(iterations=60), seed=1)

    assert len(hints) == min(3, len(position.legal_moves))
    assert len({hint.move for hint in hints}) == len(hints)
    for hint in hints:
        assert hint.move in position.legal_moves
        assert hint.line[0] == hint.move
        assert 0 <= hint.chance <= 1
    values = [hint.chance for hint in hints]
    if position.rules.has_swap and position.ply == 0:  # the other side would swap for the best one
        values = [-abs(chance - 0.5) for chance in values]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("key", ["standard", "pie", "sttt-map"])
@pytest.mark.parametrize(
    "limit", [Limit(seconds=0.9), Limit(nodes=9000), Limit(seconds=0.9, iterations=9000)]
)
def test_all_that_is_looked_at_keeps_to_the_limit_together(
    key: str, limit: Limit, monkeypatch: pytest.MonkeyPatch
):
    """The limits of the searches say how long they may take: no clock in this test."""
    asked: list[Limit] = []

    def noted(position: Position, part: Limit, **options: object) -> SearchReport:
        asked.append(part)
        return search(position, Limit(iterations=20), seed=1)

    for module in ("engine.analysis.hints", "engine.search.balance"):
        monkeypatch.setattr(import_module(module), "search", noted)
    best_moves(Position.initial(Rules.parse(key)), limit)

    for name in ("seconds", "iterations", "nodes"):
        most = getattr(limit, name)
        if most is None:
            assert all(getattr(part, name) is None for part in asked)
        elif name == "seconds":
            assert sum(part.seconds or 0.0 for part in asked) == pytest.approx(most)
        else:
            assert 0 < sum(getattr(part, name) for part in asked) <= most


def test_what_makes_no_sense_is_refused():
    with pytest.raises(EngineError, match="At least one move"):
        best_moves(Position.initial(Rules()), LIMIT, 0)
    over = Game.replay(Rules(depth=1), [0, 3, 1, 4, 2])
    with pytest.raises(GameOverError):
        best_moves(over.position, LIMIT)
