"""Matches: pairs of games from a random opening, each player having X once; their results."""

from __future__ import annotations

import math
import os
import random
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Final

from engine.errors import EngineError
from engine.game import Game
from engine.lab.arena.elo import Interval, elo_interval, pentanomial, score_interval
from engine.lab.arena.foreign import ForfeitError
from engine.lab.arena.players import Player, make_player, parse_terms
from engine.lab.cluster import carry_out
from engine.notation import format_move
from engine.openings import draw_opening_code
from engine.position import Position
from engine.rules import Rules
from engine.search.mcts import Limit, search
from engine.types import Cell, X

OPENING_PLIES: Final = 4
EVEN: Final = 0.15  # how far from a half the search may value an even opening


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """A match to be played.

    Attributes:
        players: Their names, as for `make_player`.
        limit: How long they may think about a move, unless their names say otherwise.
        opening_plies: How many random moves both games of a pair begin with.
        even: The iterations of the search that must find an opening even; 0 accepts any.
        seed: With a limit in iterations, the same seed gives the same games.
    """

    players: tuple[str, str]
    rules: Rules
    limit: Limit
    pair_count: int
    opening_plies: int = OPENING_PLIES
    even: int = 0
    seed: int = 1


@dataclass(slots=True)
class Thinking:
    """The processor time used for a player, and the moves for which it is known."""

    seconds: float = 0.0
    moves: int = 0

    def add(self, before: float | None, after: float | None) -> None:
        """Count a move from what `cpu_seconds` said before and after it."""
        if before is not None and after is not None:
            self.seconds += after - before
            self.moves += 1


Job = tuple[MatchPlan, int]  # a match and the number of one of its pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGame:
    """A game of a match.

    Attributes:
        moves: All moves, the random ones first.
        x_player: Which player had X, 0 or 1.
        score: The share of points of player 0: 1, 0.5 or 0.
        forfeit: Why it ended early, None if it did not.
        thinking: Processor seconds of each player, and in how many moves; None if unknown.
    """

    moves: tuple[Cell, ...]
    opening_code: str | None
    x_player: int
    score: float
    forfeit: str | None
    thinking: tuple[Thinking, Thinking] = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedPair:
    """Two games from one opening: player 0 has X in the first, O in the second."""

    number: int
    games: tuple[PlayedGame, PlayedGame]

    @property
    def score(self) -> float:
        """The share of points of player 0."""
        return (self.games[0].score + self.games[1].score) / 2


def play_pairs(
    plan: MatchPlan, *, concurrency: int = 1, workers: str | None = None
) -> Iterator[PlayedPair]:
    """Play a match, some pairs at once (see `play_jobs`), and yield its pairs in order.

    Raises:
        EngineError: If there is no such player, a program cannot be started, or games
            limited by time would outnumber the cores.
    """
    jobs = ((plan, number) for number in range(plan.pair_count))
    check_concurrency([plan], 1 if workers else concurrency)
    return (pair for _, pair in play_jobs(jobs, concurrency=concurrency, workers=workers))


def check_concurrency(plans: Iterable[MatchPlan], concurrency: int) -> None:
    """Raise `EngineError` for a wrong name, or for games that would take each other's time."""
    for plan in plans:
        for name in plan.players:
            make_player(name).close()
        most = available_cores()
        if is_timed(plan) and concurrency > most:
            raise EngineError(
                f"This machine can play {most} at once by time: games would take each other's."
                " Lower --concurrency, or limit iterations"
            )


def is_timed(plan: MatchPlan) -> bool:
    """Whether a player of the match is limited in time."""
    terms = [parse_terms(name) for name in plan.players]
    return any((one.limit or plan.limit).seconds is not None for one in terms)


def available_cores() -> int:
    """Return how many cores this process may use, which a container may limit."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def play_jobs(
    jobs: Iterable[Job], *, concurrency: int = 1, workers: str | None = None
) -> Iterator[tuple[Job, PlayedPair]]:
    """Play pairs of matches and yield them in order.

    A job is taken from `jobs` only when its turn is near. Closing the iterator ends the
    games as soon as the current moves have been chosen. `workers` is the address of a dask
    scheduler whose workers play instead of threads.
    """
    with closing(_Tables()) as tables:
        played = carry_out(
            tables.play if workers is None else play_elsewhere,
            jobs,
            concurrency=concurrency,
            workers=workers,
            stop=tables.stop.set,
        )
        with closing(played):
            for job, pair in played:
                if pair is not None:
                    yield job, pair


def play_elsewhere(plan: MatchPlan, number: int) -> PlayedPair | None:
    """Play a pair with players made for it."""
    with closing(_Tables()) as tables:
        return tables.play(plan, number)


class _Tables:
    """The players of every thread, made when first needed."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: list[Player] = []

    def close(self) -> None:
        """End all players."""
        for player in self._all:
            player.close()

    def play(self, plan: MatchPlan, number: int) -> PlayedPair | None:
        """Play a pair; None if it was stopped meanwhile."""
        players = (self._player(plan.players[0], 0), self._player(plan.players[1], 1))
        return play_pair(players, plan, number, stop=self.stop)

    def _player(self, name: str, place: int) -> Player:
        """Return this thread's player; one that meets itself is made twice."""
        own: dict[tuple[str, int], Player] = self._own.__dict__.setdefault("players", {})
        if (name, place) not in own:
            own[name, place] = make_player(name)
            with self._lock:
                self._all.append(own[name, place])
        return own[name, place]


def draw_opening(plan: MatchPlan, number: int) -> Game:
    """Return the start of both games of a pair: random moves that do not end the game."""
    code, moves = _draw_moves(plan, number)
    return Game.replay(plan.rules, moves, opening_code=code)


@lru_cache(maxsize=256)  # both games of a pair share one search
def _draw_moves(plan: MatchPlan, number: int) -> tuple[str | None, tuple[Cell, ...]]:
    rng = random.Random(f"{plan.seed}/{plan.rules.key}/{number}")
    for _ in range(1000):
        game = Game(plan.rules, draw_opening_code(plan.rules, seed=rng.getrandbits(63)))
        while game.outcome is None and len(game.moves) < plan.opening_plies:
            game.push(rng.choice(game.position.legal_moves))
        if game.outcome is None and (plan.even == 0 or _is_even(game.position, plan.even)):
            return game.opening_code, game.moves
    if plan.even:
        raise EngineError(f"No opening of {plan.opening_plies} random moves is found to be even")
    raise EngineError(f"No game goes on after {plan.opening_plies} random moves")


def _is_even(position: Position, iterations: int) -> bool:
    report = search(position, Limit(iterations=iterations), seed=1)
    return abs(report.score_for_side - 0.5) <= EVEN


def play_pair(
    players: tuple[Player, Player],
    plan: MatchPlan,
    number: int,
    *,
    stop: threading.Event | None = None,
) -> PlayedPair | None:
    """Play both games of a pair; None if it was stopped."""
    games = []
    for x_player in (0, 1):
        played = play_game(players, plan, number=number, x_player=x_player, stop=stop)
        if played is None:
            return None
        games.append(played)
    return PlayedPair(number=number, games=(games[0], games[1]))


def play_game(
    players: tuple[Player, Player],
    plan: MatchPlan,
    *,
    number: int,
    x_player: int,
    stop: threading.Event | None = None,
) -> PlayedGame | None:
    """Play one game of a pair; None if it was stopped.

    Both games of a pair draw the same random numbers for a ply, so that a player that
    meets itself plays two equal games.
    """
    game = draw_opening(plan, number)
    forfeit: tuple[int, str] | None = None
    thinking = (Thinking(), Thinking())
    for place in (0, 1):
        try:
            players[place].begin(game)
        except ForfeitError as error:
            forfeit = forfeit or (place, str(error))
    while game.outcome is None and forfeit is None:
        if stop is not None and stop.is_set():
            return None
        place = x_player if game.position.side == X else 1 - x_player
        before = players[place].cpu_seconds()
        reason = _take_turn(players[place], game, plan, number)
        thinking[place].add(before, players[place].cpu_seconds())
        if reason is not None:
            forfeit = (place, reason)
    return _played(game, x_player, forfeit, thinking)


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


def _played(
    game: Game, x_player: int, forfeit: tuple[int, str] | None, thinking: tuple[Thinking, Thinking]
) -> PlayedGame:
    """Return the result of a game from player 0's point of view."""
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
        thinking=thinking,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The pairs of a match played so far, from player 0's point of view; figures need one."""

    plan: MatchPlan
    pairs: Sequence[PlayedPair]

    @property
    def complete(self) -> bool:
        """Whether all pairs were played."""
        return len(self.pairs) == self.plan.pair_count

    @property
    def pair_scores(self) -> tuple[float, ...]:
        """The share of points in every pair."""
        return tuple(pair.score for pair in self.pairs)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Games won, drawn and lost."""
        scores = [game.score for pair in self.pairs for game in pair.games]
        return scores.count(1.0), scores.count(0.5), scores.count(0.0)

    @property
    def milliseconds(self) -> tuple[float | None, float | None]:
        """Average processor time of each player per move, None if unknown."""
        games = [game for pair in self.pairs for game in pair.games]

        def mean(place: int) -> float | None:
            moves = sum(game.thinking[place].moves for game in games)
            seconds = math.fsum(game.thinking[place].seconds for game in games)
            return 1000 * seconds / moves if moves else None

        return mean(0), mean(1)

    @property
    def score(self) -> Interval:
        """The share of points."""
        return score_interval(self.pair_scores)

    @property
    def elo(self) -> Interval:
        """The difference in strength."""
        return elo_interval(self.pair_scores)

    @property
    def forfeits(self) -> tuple[tuple[str, str], ...]:
        """Who could not go on, and why, in the order of the games."""
        return tuple(
            (self.plan.players[int(game.score)], game.forfeit)
            for pair in self.pairs
            for game in pair.games
            if game.forfeit is not None
        )

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON; infinite numbers are null."""
        plan = self.plan
        won, drawn, lost = self.counts
        return {
            "players": list(plan.players),
            "variant": plan.rules.key,
            "seconds": plan.limit.seconds,
            "iterations": plan.limit.iterations,
            "opening_plies": plan.opening_plies,
            "even": plan.even,
            "seed": plan.seed,
            "complete": self.complete,
            "games": 2 * len(self.pairs),
            "won": won,
            "drawn": drawn,
            "lost": lost,
            "pairs": list(pentanomial(self.pair_scores)),
            "score": _bounds(self.score),
            "elo": _bounds(self.elo),
            "milliseconds": list(self.milliseconds),
            "forfeits": [{"player": name, "reason": reason} for name, reason in self.forfeits],
            "records": [_record(pair, plan) for pair in self.pairs],
        }


def format_result(result: MatchResult) -> str:
    """Return the result as readable lines."""
    first, second = result.plan.players
    won, drawn, lost = result.counts
    score, elo = result.score, result.elo
    lines = [
        f"{first} against {second}, {result.plan.rules.key}, {2 * len(result.pairs)} games",
        f"won {won}, drawn {drawn}, lost {lost}: {100 * score.value:.1f} %"
        f" [{100 * score.low:.1f}, {100 * score.high:.1f}]",
        f"Elo {format_interval(elo)}",
        f"pairs with 0, 1/2, 1, 3/2, 2 points: {pentanomial(result.pair_scores)}",
    ]
    if is_timed(result.plan):
        lines += [
            f"{name}: {spent:.1f} ms of the processor a move"
            for name, spent in zip(result.plan.players, result.milliseconds, strict=True)
            if spent is not None
        ]
    shown = dict.fromkeys(result.forfeits)
    lines += [f"{name} lost a game early. {reason}" for name, reason in shown]
    if not result.complete:
        lines.append("Interrupted: this is what had been played.")
    return "\n".join(lines)


def format_interval(elo: Interval) -> str:
    """Return a difference in Elo with its bounds.

    Examples:
        >>> format_interval(Interval(value=108.2, low=24, high=206))
        '+108 [+24, +206]'
    """
    return f"{_signed(elo.value)} [{_signed(elo.low)}, {_signed(elo.high)}]"


def _signed(number: float) -> str:
    return f"{round(number):+d}" if math.isfinite(number) else f"{'+' if number > 0 else '-'}inf"


def _bounds(interval: Interval) -> dict[str, float | None]:
    return {
        name: round(number, 4) if math.isfinite(number) else None
        for name, number in asdict(interval).items()
    }


def _record(pair: PlayedPair, plan: MatchPlan) -> list[dict[str, object]]:
    return [
        {
            "x": plan.players[game.x_player],
            "opening": game.opening_code,
            "moves": " ".join(format_move(move, plan.rules) for move in game.moves),
            "score": game.score,
        }
        for game in pair.games
    ]
