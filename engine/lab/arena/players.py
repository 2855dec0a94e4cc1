"""Who can take part in a match: references to beat, levels, other programs."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from engine.errors import EngineError
from engine.game import Game
from engine.lab.arena.alphabeta import AlphaBeta
from engine.lab.arena.foreign import ForeignPlayer
from engine.lab.arena.openspiel import OPENSPIEL, OpenSpielPlayer, is_installed
from engine.lab.arena.terms import parse_terms
from engine.outcome import BoardStatus
from engine.position import Position
from engine.search.evaluation import Evaluation
from engine.search.levels import LEVELS, Level, choose_move
from engine.search.mcts import Limit, Searcher
from engine.types import Cell

COMMAND_PREFIX: Final = "cmd:"
LEVEL_PREFIX: Final = "level:"


class Player(Protocol):
    """Somebody who can play; not for several threads at once."""

    def begin(self, game: Game) -> None:
        """Get ready for a game."""

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the move to play.

        Args:
            game: The game so far; it is this player's turn.
            limit: How long to think; references that do not think ignore it.
            seed: With a limit in iterations, the same seed gives the same move.

        Raises:
            ForfeitError: If the player is a program that failed.
        """

    def close(self) -> None:
        """Leave; may be called more than once."""


class _Plain:
    """A player with nothing to prepare."""

    def begin(self, game: Game) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""


class RandomPlayer(_Plain):
    """Plays any legal move."""

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return a random move."""
        del limit
        return random.Random(seed).choice(game.position.legal_moves)


class GreedyPlayer(_Plain):
    """Looks one ply ahead: wins the game, else a board, else plays at random."""

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the move that wins most, a random one among equals."""
        del limit
        position = game.position
        gains = {move: _gain(position, move) for move in position.legal_moves}
        most = max(gains.values())
        return random.Random(seed).choice([move for move in gains if gains[move] == most])


def _gain(position: Position, move: Cell) -> int:
    """Return what a move wins: more for a board further out."""
    after = position.after(move)
    gain = 0
    for depth in range(position.rules.depth):
        board = move // 9 ** (position.rules.depth - depth)
        before = position.board_status(board, depth=depth)
        won = after.board_status(board, depth=depth).winner == position.side
        if won and before is BoardStatus.ONGOING:
            gain += 4 ** (position.rules.depth - depth)
    return gain


@dataclass(frozen=True, slots=True)
class LevelPlayer(_Plain):
    """A level of the computer, within its own limits and the match's time."""

    level: Level
    threads: int = 1

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the level's move."""
        return choose_move(
            game.position,
            self.level,
            seed=seed,
            max_seconds=limit.seconds,
            threads=self.threads,
        ).move


class SearchPlayer:
    """Tree search with one way to value positions; the tree is kept for the game."""

    def __init__(self, evaluation: Evaluation, threads: int = 1) -> None:
        self._evaluation = evaluation
        self._threads = threads
        self._searcher: Searcher | None = None

    def begin(self, game: Game) -> None:
        """Forget the last game."""
        self._searcher = Searcher(game.rules, evaluation=self._evaluation, threads=self._threads)

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the best move found."""
        assert self._searcher is not None
        return self._searcher.search(game.position, limit, seed=seed).move

    def close(self) -> None:
        """Nothing to do."""


class AlphaBetaPlayer:
    """Iterative deepening with a transposition table, kept for the game."""

    def __init__(self) -> None:
        self._engine: AlphaBeta | None = None

    def begin(self, game: Game) -> None:
        """Forget the last game."""
        self._engine = AlphaBeta(game.rules)

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the best move of the last depth that was finished."""
        del seed
        assert self._engine is not None
        return self._engine.search(game.position, limit).move

    def close(self) -> None:
        """Nothing to do."""


class OnOwnTerms:
    """A player with a limit of its own, whatever the match's is."""

    def __init__(self, player: Player, limit: Limit) -> None:
        self._player = player
        self._limit = limit

    def begin(self, game: Game) -> None:
        """Get ready for a game."""
        self._player.begin(game)

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the player's move within its own limit."""
        del limit
        return self._player.choose(game, self._limit, seed)

    def close(self) -> None:
        """Leave."""
        self._player.close()


# Those that may think in several threads, and how each values positions.
_SEARCHES: Final = {
    "uct": Evaluation.PLAYOUTS,
    "puct-hand": Evaluation.HAND,
    "puct-net": Evaluation.NET,
}

_REFERENCES: Final[dict[str, Callable[[], Player]]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "alphabeta": AlphaBetaPlayer,
    OPENSPIEL: OpenSpielPlayer,  # where its package is installed
}


def player_names() -> tuple[str, ...]:
    """Return the names of the references that are there, without levels and commands."""
    references = (name for name in _REFERENCES if name != OPENSPIEL or is_installed())
    return (*references, *_SEARCHES)


def make_player(text: str) -> Player:
    """Return a player: a reference, `level:5`, or `cmd:COMMAND`, with terms as in `terms`.

    Raises:
        EngineError: If there is no such player.

    Examples:
        >>> make_player("level:3").level.number
        3
        >>> make_player("nobody")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        engine.errors.EngineError: There is no player 'nobody': choose random, greedy, ...
    """
    terms = parse_terms(text)
    player = _find(terms.name, terms.threads)
    return player if terms.limit is None else OnOwnTerms(player, terms.limit)


def _find(name: str, threads: int) -> Player:
    if name in _SEARCHES:
        return SearchPlayer(_SEARCHES[name], threads)
    if name.startswith(LEVEL_PREFIX):
        for level in LEVELS:
            if name == f"{LEVEL_PREFIX}{level.number}":
                return LevelPlayer(level, threads)
    if threads > 1:
        raise EngineError(
            f"{name!r} thinks in one thread: only {', '.join(_SEARCHES)} and levels in several"
        )
    if name in _REFERENCES:
        return _REFERENCES[name]()
    if name.startswith(COMMAND_PREFIX):
        return ForeignPlayer(name.removeprefix(COMMAND_PREFIX))
    raise EngineError(
        f"There is no player {name!r}: choose {', '.join(player_names())}, level:1 to"
        f" level:{len(LEVELS)}, or a program as 'cmd:COMMAND'"
    )
