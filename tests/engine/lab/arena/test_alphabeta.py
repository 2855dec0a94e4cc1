"""Alpha-beta finds what plain minimax finds, only sooner."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import EngineError, Game, GameOverError, Limit, Position, Rules, parse_position
from engine.kernels import valuing
from engine.lab.arena.players import AlphaBeta
from engine.lab.kernels import alphabeta
from engine.position import loaded_rules
from engine.search.evaluation import load_evaluator
from tests import strategies

LIMIT = Limit(iterations=10**9)
KEYS = ("standard", "majority", "won-board", "open-board", "tic-tac-ku", "tactical")
FLAT = st.sampled_from([Rules.parse(key) for key in KEYS])


def value(position: Position, depth: int) -> int:
    """Plain minimax; at the last ply the evaluator's logit of every move."""
    room = valuing.make_room(2)
    evaluator = load_evaluator(position.rules, "hand")
    assert evaluator is not None
    words = position.search_state().words
    count = valuing.value_moves(words, *loaded_rules(position.rules), evaluator, room)
    logits = {int(room.moves[place]): int(room.logits[place]) for place in range(count)}
    best = -alphabeta.INFINITE
    for move in position.legal_moves:
        after = position.after(move)
        if after.outcome is not None:
            winner = after.outcome.winner
            certain = alphabeta.WIN - after.ply
            score = 0 if winner is None else certain if winner == position.side else -certain
        elif depth == 1:
            score = logits[move] - valuing.EVEN
        else:
            score = -value(after, depth - 1)
        best = max(best, score)
    return best


@settings(max_examples=15, deadline=None)
@given(game=strategies.games(FLAT, longest=70), depth=st.integers(1, 3))
def test_alpha_beta_is_minimax(game: Game, depth: int):
    """A fresh search, and one that remembers the position before."""
    if game.outcome is not None or len(game.position.legal_moves) > 12:
        return
    fresh = AlphaBeta(game.rules).search(game.position, LIMIT, max_depth=depth)
    if fresh.depth == depth or fresh.is_decided:
        assert fresh.score == value(game.position, fresh.depth)
        after = game.position.after(fresh.move)
        if after.outcome is None and fresh.depth > 1 and not fresh.is_decided:
            assert -value(after, fresh.depth - 1) == fresh.score


def test_what_is_remembered_changes_no_score():
    rng = random.Random(3)
    position = Position.initial(Rules())
    engine = AlphaBeta(position.rules)
    for _ in range(20):
        position = position.after(rng.choice(position.legal_moves))
        known = engine.search(position, LIMIT, max_depth=3)
        assert known.score == AlphaBeta(position.rules).search(position, LIMIT, max_depth=3).score


def test_a_win_is_taken_and_called_one():
    position = parse_position("standard X 41 - XX7 XXX6/XXX6/XX7/O2O5/O2O5/O2O5/O2O5/9/9")
    report = AlphaBeta(position.rules).search(position, LIMIT)

    assert (report.move, report.depth, report.is_decided) == (20, 1, True)


def test_an_ending_is_solved():
    """Forced back and forth: the last plies of a random game have no secrets."""
    rng = random.Random(11)
    game = Game(Rules())
    while game.outcome is None:
        game.push(rng.choice(game.position.legal_moves))
    for _ in range(5):
        game.pop()
    position = game.position
    report = AlphaBeta(position.rules).search(position, LIMIT)

    assert report.score == value(position, 6)


def test_a_limit_in_positions_repeats_a_search():
    reports = [
        AlphaBeta(Rules()).search(Position.initial(Rules()), Limit(iterations=5000))
        for _ in range(2)
    ]

    assert reports[0] == reports[1]
    assert reports[0].depth > 3


def test_what_it_cannot_play_is_refused():
    with pytest.raises(EngineError, match="depth 2 only"):
        AlphaBeta(Rules(depth=1))
    over = Game(Rules())
    rng = random.Random(1)
    while over.outcome is None:
        over.push(rng.choice(over.position.legal_moves))
    with pytest.raises(GameOverError):
        AlphaBeta(Rules()).search(over.position, LIMIT)
