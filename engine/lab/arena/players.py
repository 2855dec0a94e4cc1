"""Who can take part in a match: references to beat, levels, other programs."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from engine.errors import EngineError, GameOverError
from engine.game import Game
from engine.lab import kernels
from engine.lab.arena.foreign import (
    OPENSPIEL,
    ForeignPlayer,
    OpenSpielPlayer,
    checkout_player,
    is_installed,
)
from engine.position import Position, loaded_rules
from engine.rules import Rules
from engine.search.evaluation import Evaluation, load_evaluator
from engine.search.levels import LEVELS, choose_move, levels_of
from engine.search.mcts import Clock, Limit, Searcher
from engine.types import BoardStatus, Cell, LevelNumber

if TYPE_CHECKING:
    from engine.kernels.valuing import Evaluator

TABLE_SIZE: Final = 1 << 19  # 21 MB
CHUNK_NODES: Final = 500  # about a millisecond


_TERMS: Final = re.compile(r"(?P<name>.*?)(?:@(?P<amount>[0-9]{1,9})(?P<unit>ms|s|it))?")
_SECONDS: Final = {"ms": 0.001, "s": 1.0}

COMMAND_PREFIX: Final = "cmd:"
CHECKOUT_PREFIX: Final = "checkout:"
LEVEL_PREFIX: Final = "level:"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaBetaReport:
    """What the last finished depth found.

    Attributes:
        score: For the side to move, in logits of the evaluator around 0.
        is_decided: Whether the game is won or lost for certain.
    """

    move: Cell
    score: int
    depth: int
    nodes: int
    is_decided: bool


class AlphaBeta:
    """Searches deeper and deeper up to a limit; remembers positions from move to move.

    Raises:
        EngineError: If the rules are not of depth 2.
    """

    def __init__(self, rules: Rules) -> None:
        evaluator = load_evaluator(rules, Evaluation.HAND) if rules.depth == 2 else None
        if evaluator is None:
            raise EngineError(f"alphabeta plays games of depth 2 only, not {rules.key!r}")
        self._evaluator = evaluator
        self._loaded = loaded_rules(rules)
        self._search = kernels.alphabeta.make_search(TABLE_SIZE)

    def search(self, position: Position, limit: Limit, *, max_depth: int = 81) -> AlphaBetaReport:
        """Search for the best move; the limit's iterations count positions.

        Raises:
            GameOverError: If the game has ended.
        """
        codes, started = kernels.alphabeta, self._begin(position, limit)
        report = None
        for depth in range(1, min(max_depth, 81 - position.ply) + 1):
            self._open(position, depth, -codes.INFINITE, codes.INFINITE)
            if not self._finish(limit, started, must=report is None):
                break
            frame = self._search.frames[0]
            score = int(frame[codes.BEST])
            report = AlphaBetaReport(
                move=int(frame[codes.BEST_MOVE]),
                score=score,
                depth=depth,
                nodes=int(self._search.head[codes.NODES]),
                is_decided=abs(score) > codes.SURE,
            )
            if report.is_decided:
                break
        assert report is not None
        return report

    def _begin(self, position: Position, limit: Limit) -> float:
        """Reset the count of positions, and return the time by the limit's clock."""
        if position.outcome is not None:
            raise GameOverError(f"The game is over: {position.outcome}.")
        self._search.head[kernels.alphabeta.NODES] = 0
        return limit.clock.now()

    def wins_within(self, position: Position, plies: int, limit: Limit) -> bool | None:
        """Whether the side to move can force a win within `plies`, None if the limit came first.

        Raises:
            GameOverError: If the game has ended.
        """
        codes, started = kernels.alphabeta, self._begin(position, limit)
        slower = codes.WIN - (position.ply + plies) - 1
        self._open(position, plies, slower, slower + 1)
        if not self._finish(limit, started, must=False):
            return None
        return int(self._search.frames[0, codes.BEST]) > slower

    def _open(self, position: Position, depth: int, alpha: int, beta: int) -> None:
        search = self._search
        search.positions[0] = position.search_state().words
        kernels.alphabeta.enter(search, 0, depth, alpha, beta, *self._loaded, self._evaluator)

    def _finish(self, limit: Limit, started: float, *, must: bool) -> bool:
        """Search the depth that was opened; False if a limit came first."""
        codes, search = kernels.alphabeta, self._search
        while True:
            chunk = CHUNK_NODES
            if limit.iterations is not None and not must:
                chunk = min(chunk, limit.iterations - int(search.head[codes.NODES]))
                if chunk <= 0:
                    return False
            if codes.think(search, *self._loaded, self._evaluator, chunk):
                return True
            if must or limit.seconds is None:
                continue
            if limit.clock.now() - started >= limit.seconds:
                return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a player's name says, such as `puct-net@10ms`, `uct@2000it` or `level:7`.

    Time is processor time, so that a busy machine puts no player at a disadvantage.

    Attributes:
        name: The player itself: a reference, a level or a command.
        limit: A limit of its own, after `@`; None if the match's applies.
    """

    name: str
    limit: Limit | None = None


def parse_terms(text: str) -> Terms:
    """Read a player's name with its terms.

    Raises:
        EngineError: If the time makes no sense.

    Examples:
        >>> terms = parse_terms("puct-net@10ms")
        >>> terms.name, terms.limit.seconds
        ('puct-net', 0.01)
        >>> parse_terms("cmd:other --level 3@500it").limit.iterations
        500
    """
    found = _TERMS.fullmatch(text)
    if found is None:  # a line break in a command
        return Terms(name=text)
    amount, unit = found["amount"], found["unit"]
    limit = None
    if amount is not None:
        if int(amount) == 0:
            raise EngineError(f"{text!r}: a player needs time or iterations, not 0{unit}")
        if unit == "it":
            limit = Limit(iterations=int(amount))
        else:
            limit = Limit(seconds=int(amount) * _SECONDS[unit], clock=Clock.CPU)
    return Terms(name=found["name"], limit=limit)


class Player(Protocol):
    """A player in matches; not for use by several threads at once."""

    def begin(self, game: Game) -> None:
        """Get ready for a game."""

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the move to play; it is this player's turn.

        With a limit in iterations, the same seed gives the same move.

        Raises:
            ForfeitError: If the player is a program that failed.
        """

    def cpu_seconds(self) -> float | None:
        """Return the processor time used for it, None if unknown; only differences count."""

    def close(self) -> None:
        """End the player; may be called more than once."""


class _Plain:
    """A player in this thread, with nothing to prepare."""

    def cpu_seconds(self) -> float:
        """Return the processor time used by this thread."""
        return time.thread_time()

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
    """Return how much a move wins: outer boards count more."""
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

    number: LevelNumber

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the level's move."""
        return choose_move(
            game.position,
            levels_of(game.rules)[self.number - 1],
            seed=seed,
            max_seconds=limit.seconds,
            clock=limit.clock,
        ).move


class SearchPlayer(_Plain):
    """Tree search with one evaluation; the tree is kept during the game."""

    def __init__(self, evaluation: Evaluation | Evaluator | None) -> None:
        self._evaluation = evaluation
        self._searcher: Searcher | None = None

    def begin(self, game: Game) -> None:
        """Forget the last game."""
        self._searcher = Searcher(game.rules, evaluation=self._evaluation)

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the best move found."""
        assert self._searcher is not None
        return self._searcher.search(game.position, limit, seed=seed).move


class AlphaBetaPlayer(_Plain):
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


class OnOwnTerms:
    """A player with a limit of its own, whatever the match's is."""

    def __init__(self, player: Player, limit: Limit) -> None:
        self._player = player
        self._limit = limit
        self.begin, self.close = player.begin, player.close
        self.cpu_seconds = player.cpu_seconds

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the player's move within its own limit."""
        del limit
        return self._player.choose(game, self._limit, seed)


_REFERENCES: Final[dict[str, Callable[[], Player]]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "alphabeta": AlphaBetaPlayer,
    OPENSPIEL: OpenSpielPlayer,  # where its package is installed
    "uct": partial(SearchPlayer, Evaluation.PLAYOUTS),
    "puct-hand": partial(SearchPlayer, Evaluation.HAND),
    "puct-net": partial(SearchPlayer, Evaluation.NET),
}


def player_names() -> tuple[str, ...]:
    """Return the names of the available references, without levels and commands."""
    return tuple(name for name in _REFERENCES if name != OPENSPIEL or is_installed())


def make_player(text: str) -> Player:
    """Return a player: a reference, `level:5`, `checkout:FOLDER` or `cmd:COMMAND`, with terms.

    Raises:
        EngineError: If there is no such player.

    Examples:
        >>> make_player("level:3").number
        3
        >>> make_player("nobody")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        engine.errors.EngineError: There is no player 'nobody': choose random, greedy, ...
    """
    terms = parse_terms(text)
    player = _find(terms.name)
    return player if terms.limit is None else OnOwnTerms(player, terms.limit)


def _find(name: str) -> Player:
    for level in LEVELS:
        if name == f"{LEVEL_PREFIX}{level.number}":
            return LevelPlayer(level.number)
    if name in _REFERENCES:
        return _REFERENCES[name]()
    if name.startswith(CHECKOUT_PREFIX):
        return checkout_player(name.removeprefix(CHECKOUT_PREFIX))
    if name.startswith(COMMAND_PREFIX):
        return ForeignPlayer(name.removeprefix(COMMAND_PREFIX))
    raise EngineError(
        f"There is no player {name!r}: choose {', '.join(player_names())}, level:1 to"
        f" level:{len(LEVELS)}, another checkout's engine as 'checkout:FOLDER', or a program as"
        " 'cmd:COMMAND'"
    )
