"""OpenSpiel's Monte Carlo tree search as a player, where its package is installed.

Its bot takes a number of simulations, not a time. Each move gets as many as fit into its
time at the speed measured over the moves before, plus what those moves have left unused:
so its time adds up to no less than the limit for every move, whatever the machine does.
A free choice is two actions there, the board and then a cell; each gets half.

`open_spiel` is for measuring only: the engine neither needs nor installs it.
"""

from __future__ import annotations

import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from engine.errors import EngineError
from engine.game import Game
from engine.rules import Rules
from engine.search.mcts import Limit
from engine.types import Cell

OPENSPIEL: Final = "openspiel"
EXPLORATION: Final = 1.4  # values reach from -1 to 1 there: the 0.7 of our own search
_MEMORY_MB: Final = 1000
_FIRST_SIMULATIONS: Final = 500  # of the first move, while the speed is not known
_MOST_SIMULATIONS: Final = 10_000_000
_MODULE: Final = "pyspiel"


class OpenSpielPlayer:
    """Plays what OpenSpiel's `MCTSBot` with random games finds; `standard` only."""

    def __init__(self) -> None:
        """Load OpenSpiel.

        Raises:
            EngineError: If it is not installed.
        """
        try:
            self._spiel: Any = import_module(_MODULE)
        except ImportError:
            raise EngineError(
                "The player 'openspiel' needs the package open_spiel:"
                " pip install -r deploy/requirements-bench.txt"
            ) from None
        self._game = self._spiel.load_game("ultimate_tic_tac_toe")
        self._simulations = 0
        self._seconds = 0.0
        self._owed = 0.0

    def begin(self, game: Game) -> None:
        """Refuse rules that OpenSpiel does not know.

        Raises:
            EngineError: If the game is not of the standard rules.
        """
        if game.rules != Rules():
            raise EngineError(f"OpenSpiel plays 'standard' only, not {game.rules.key!r}")

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the move found; with a limit in time, what is owed is made good."""
        state = replay(self._game, game)
        actions = 2 if is_choosing(state) else 1
        found: list[int] = []
        if limit.seconds is not None:
            self._owed += limit.seconds
        for left in range(actions, 0, -1):
            started = time.perf_counter()
            count = self._simulations_for(limit, left)
            action = int(self._bot(count, seed).step(state))
            spent = time.perf_counter() - started
            self._simulations += count
            self._seconds += spent
            if limit.seconds is not None:
                self._owed -= spent
            state.apply_action(action)
            found.append(action)
        board = found[0] if actions == 2 else _target(game)
        return 9 * board + found[-1]

    def close(self) -> None:
        """Nothing to do."""

    def _simulations_for(self, limit: Limit, actions: int) -> int:
        if limit.iterations is not None:
            return max(1, limit.iterations // actions)
        if self._seconds == 0.0:
            return _FIRST_SIMULATIONS
        speed = self._simulations / self._seconds
        return max(1, min(_MOST_SIMULATIONS, round(speed * self._owed / actions)))

    def _bot(self, simulations: int, seed: int) -> Any:
        number = seed % 2**31
        evaluator = self._spiel.RandomRolloutEvaluator(1, number)
        return self._spiel.MCTSBot(
            self._game, evaluator, EXPLORATION, simulations, _MEMORY_MB, True, number, False
        )


def is_installed() -> bool:
    """Whether OpenSpiel is there to play."""
    return find_spec(_MODULE) is not None


def replay(spiel_game: Any, game: Game) -> Any:
    """Return OpenSpiel's state after the moves of a game of the standard rules."""
    state = spiel_game.new_initial_state()
    for move in game.moves:
        if is_choosing(state):
            state.apply_action(move // 9)
        state.apply_action(move % 9)
    return state


def is_choosing(state: Any) -> bool:
    """Whether the next action names a board, not a cell.

    Its text says so: the state has no other way to ask.
    """
    return "Forced board: any" in str(state)


def _target(game: Game) -> int:
    """Return the one board that may be played in."""
    return int(game.position.legal_moves[0]) // 9
