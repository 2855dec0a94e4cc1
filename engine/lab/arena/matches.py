"""Matches: pairs of games from the same random opening, each player having X once."""

from __future__ import annotations

import os
import random
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Final

from engine.errors import EngineError
from engine.game import Game
from engine.lab.arena.errors import ForfeitError
from engine.lab.arena.players import Player, make_player
from engine.lab.arena.terms import parse_terms
from engine.notation import format_move
from engine.openings import draw_opening_code
from engine.outcome import X
from engine.rules import Rules
from engine.search.mcts import Limit
from engine.types import Cell

OPENING_PLIES: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """A match to be played.

    Attributes:
        players: Their names, as for `make_player`.
        rules: The rules.
        limit: How long they may think about a move, if their names say nothing else.
        pair_count: How many pairs of games.
        opening_plies: How many random moves both games of a pair begin with.
        seed: With a limit in iterations, the same seed gives the same games.
    """

    players: tuple[str, str]
    rules: Rules
    limit: Limit
    pair_count: int
    opening_plies: int = OPENING_PLIES
    seed: int = 1


Job = tuple[MatchPlan, int]  # a match and the number of one of its pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGame:
    """A game of a match.

    Attributes:
        moves: All moves, the random ones first.
        opening_code: As for `Game`.
        x_player: Which player had X, 0 or 1.
        score: The share of points of player 0: 1, 0.5 or 0.
        forfeit: Why it ended early, None if it did not.
    """

    moves: tuple[Cell, ...]
    opening_code: str | None
    x_player: int
    score: float
    forfeit: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedPair:
    """Two games from one opening.

    Attributes:
        number: Its place in the match, from 0.
        games: The game in which player 0 has X, then the other.
    """

    number: int
    games: tuple[PlayedGame, PlayedGame]

    @property
    def score(self) -> float:
        """The share of points of player 0."""
        return (self.games[0].score + self.games[1].score) / 2


def play_pairs(
    plan: MatchPlan, *, concurrency: int = 1, stop: threading.Event | None = None
) -> Iterator[PlayedPair]:
    """Play a match and yield its pairs in order.

    Args:
        plan: What is played.
        concurrency: How many pairs are played at once, each in a thread.
        stop: Set it to end after the moves that are being thought about.

    Raises:
        EngineError: If there is no such player, a program cannot be started, or time
            would be the limit with more games at once than there are cores.
    """
    jobs = ((plan, number) for number in range(plan.pair_count))
    check_concurrency([plan], concurrency)
    return (pair for _, pair in play_jobs(jobs, concurrency=concurrency, stop=stop))


def check_concurrency(plans: Iterable[MatchPlan], concurrency: int) -> None:
    """Refuse games that would take each other's time; tell a wrong name before the first.

    Raises:
        EngineError: If there is no such player, or not enough cores.
    """
    for plan in plans:
        terms = [parse_terms(name) for name in plan.players]
        for name in plan.players:
            make_player(name).close()
        is_timed = any((one.limit or plan.limit).seconds is not None for one in terms)
        threads = max(one.threads for one in terms)
        most = max(1, available_cores() // threads)
        if is_timed and concurrency > most:
            raise EngineError(
                f"With {threads} thread{'s' if threads > 1 else ''} a player this machine can play"
                f" {most} at once by time: games would take each other's. Lower --concurrency, or"
                " limit iterations"
            )


def available_cores() -> int:
    """Return how many cores this process may use, which a container may limit."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def play_jobs(
    jobs: Iterable[Job], *, concurrency: int = 1, stop: threading.Event | None = None
) -> Iterator[tuple[Job, PlayedPair]]:
    """Play pairs of matches and yield them in order; `stop` ends it early.

    A job is taken from `jobs` only when its turn is near.

    Raises:
        EngineError: If there is no such player, or a program cannot be started.
    """
    tables = _Tables(stop or threading.Event())
    with ThreadPoolExecutor(max_workers=concurrency) as pool:
        running: deque[tuple[Job, Future[PlayedPair | None]]] = deque()
        todo = iter(jobs)
        try:
            while True:
                for job in islice(todo, 2 * concurrency - len(running)):
                    running.append((job, pool.submit(tables.play, *job)))
                if not running:
                    return
                job, future = running.popleft()
                pair = future.result()
                if pair is not None:
                    yield job, pair
        finally:
            tables.stop.set()
            pool.shutdown(cancel_futures=True)
            tables.leave()


class _Tables:
    """The players of every thread, made when first needed."""

    def __init__(self, stop: threading.Event) -> None:
        self.stop = stop
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: list[Player] = []

    def leave(self) -> None:
        """Close all players."""
        for player in self._all:
            player.close()

    def play(self, plan: MatchPlan, number: int) -> PlayedPair | None:
        """Play a pair; None if it was stopped meanwhile."""
        players = (self._player(plan.players[0], 0), self._player(plan.players[1], 1))
        games = []
        for x_player in (0, 1):
            played = play_game(players, plan, number=number, x_player=x_player, stop=self.stop)
            if played is None:
                return None
            games.append(played)
        return PlayedPair(number=number, games=(games[0], games[1]))

    def _player(self, name: str, place: int) -> Player:
        """Return this thread's player; who meets itself is two."""
        own: dict[tuple[str, int], Player] = self._own.__dict__.setdefault("players", {})
        if (name, place) not in own:
            own[name, place] = make_player(name)
            with self._lock:
                self._all.append(own[name, place])
        return own[name, place]


def draw_opening(plan: MatchPlan, number: int) -> Game:
    """Return the start of both games of a pair: random moves that end nothing.

    Raises:
        EngineError: If there is no such opening.
    """
    rng = random.Random(f"{plan.seed}/{plan.rules.key}/{number}")
    for _ in range(1000):
        game = Game(plan.rules, draw_opening_code(plan.rules, seed=rng.getrandbits(63)))
        while game.outcome is None and len(game.moves) < plan.opening_plies:
            game.push(rng.choice(game.position.legal_moves))
        if game.outcome is None:
            return game
    raise EngineError(f"No game goes on after {plan.opening_plies} random moves")


def play_game(
    players: tuple[Player, Player],
    plan: MatchPlan,
    *,
    number: int,
    x_player: int,
    stop: threading.Event | None = None,
) -> PlayedGame | None:
    """Play one game of a pair; None if it was stopped.

    Both games of a pair draw the same random numbers for a ply, so that a player
    meets itself in two equal games.
    """
    game = draw_opening(plan, number)
    forfeit: tuple[int, str] | None = None
    for place in (0, 1):
        try:
            players[place].begin(game)
        except ForfeitError as error:
            forfeit = forfeit or (place, str(error))
    while game.outcome is None and forfeit is None:
        if stop is not None and stop.is_set():
            return None
        place = x_player if game.position.side == X else 1 - x_player
        reason = _take_turn(players[place], game, plan, number)
        if reason is not None:
            forfeit = (place, reason)
    return _played(game, x_player, forfeit)


def _take_turn(player: Player, game: Game, plan: MatchPlan, number: int) -> str | None:
    """Play a move; return why the player cannot go on, None if it can."""
    rng = random.Random(f"{plan.seed}/{number}/{game.position.ply}")
    try:
        move = player.choose(game, plan.limit, rng.getrandbits(62))
    except ForfeitError as error:
        return str(error)
    refusal = game.position.explain_refusal(move)
    if refusal is not None:
        return f"It played {format_move(move, game.rules)}, which is illegal. {refusal}"
    game.push(move)
    return None


def _played(game: Game, x_player: int, forfeit: tuple[int, str] | None) -> PlayedGame:
    """Return what has become of a game, seen from player 0."""
    if forfeit is not None:
        loser, reason = forfeit
        score = float(loser)
    else:
        reason = None
        assert game.outcome is not None
        winner = game.outcome.winner
        score = 0.5 if winner is None else float((winner == X) == (x_player == 0))
    return PlayedGame(
        moves=game.moves,
        opening_code=game.opening_code,
        x_player=x_player,
        score=score,
        forfeit=reason,
    )
