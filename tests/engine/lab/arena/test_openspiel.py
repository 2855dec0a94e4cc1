"""OpenSpiel plays the game by the rules that we call standard."""

from __future__ import annotations

import importlib
import importlib.util
import random
from typing import Any

import pytest

from engine import EngineError, Game, Rules, load_variant
from engine.lab.arena import foreign
from engine.lab.arena.players import make_player
from engine.search.mcts import Limit

needs_openspiel = pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="open_spiel is not installed"
)
GAMES = 100


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(foreign, "_PYSPIEL", "no_such_module_as_pyspiel")
    with pytest.raises(EngineError, match=r"requirements-bench\.txt"):
        make_player("openspiel")


@needs_openspiel
def test_random_games_are_legal_move_by_move_and_end_alike():
    pyspiel = importlib.import_module("pyspiel")

    spiel_game = pyspiel.load_game("ultimate_tic_tac_toe")
    results = set()
    for seed in range(GAMES):
        numbers = random.Random(seed)
        game, state = Game(Rules()), spiel_game.new_initial_state()
        while game.outcome is None:
            assert not state.is_terminal()
            legal = game.position.legal_moves
            if foreign.is_choosing(state):
                boards = state.legal_actions()
                assert boards == sorted({move // 9 for move in legal})
                found = [9 * board + cell for board in boards for cell in _cells(state, board)]
            else:
                found = [9 * (legal[0] // 9) + cell for cell in state.legal_actions()]
            assert tuple(found) == legal, game.moves
            move = numbers.choice(legal)
            if foreign.is_choosing(state):
                state.apply_action(move // 9)
            state.apply_action(move % 9)
            game.push(move)
        assert state.is_terminal()
        winner = game.outcome.winner
        assert state.returns()[0] == {0: 1.0, 1: -1.0, None: 0.0}[winner]
        results.add(winner)
    assert results == {0, 1, None}


def _cells(state: Any, board: int) -> list[int]:
    after = state.clone()
    after.apply_action(board)
    return list(after.legal_actions())


@needs_openspiel
def test_it_plays_legal_moves_in_the_time_given_on_average():
    player: Any = make_player("openspiel")
    game, numbers = Game(Rules()), random.Random(1)
    player.begin(game)
    for _ in range(20):
        move = player.choose(game, Limit(seconds=0.02), 1)
        assert move in game.position.legal_moves
        game.push(move)
        if game.outcome is None:
            game.push(numbers.choice(game.position.legal_moves))
        if game.outcome is not None:
            break
    assert player._seconds >= 0.8 * 0.02 * ((len(game.moves) + 1) // 2)


@needs_openspiel
def test_iterations_and_a_seed_repeat_a_move():
    game = Game(Rules())
    moves = {make_player("openspiel").choose(game, Limit(iterations=200), 7) for _ in range(3)}
    assert len(moves) == 1


@needs_openspiel
def test_other_rules_are_refused():
    with pytest.raises(EngineError, match="'standard' only"):
        make_player("openspiel").begin(Game(load_variant("won-board").rules))
