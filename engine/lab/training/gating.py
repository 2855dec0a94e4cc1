"""Is a net stronger? Pairs of games from random openings, each side once, and an interval."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from engine.game import Game
from engine.kernels.valuing import Evaluator
from engine.lab.arena.elo import elo_interval, score_interval
from engine.openings import draw_opening_code
from engine.rules import Rules
from engine.search.mcts import Limit, Searcher

OPENING_PLIES: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a match said.

    Attributes:
        scores: The first player's share of the points of every pair.
        limit: How long both thought about a move.
    """

    scores: tuple[float, ...]
    limit: Limit

    @property
    def share(self) -> float:
        """The first player's share of all points."""
        return sum(self.scores) / len(self.scores)

    @property
    def is_certain(self) -> bool:
        """Whether the first player is stronger beyond doubt of 2.5 %."""
        return score_interval(self.scores).low > 0.5

    def __str__(self) -> str:
        elo = elo_interval(self.scores)
        thinking = (
            f"{self.limit.iterations} iterations"
            if self.limit.seconds is None
            else f"{1000 * self.limit.seconds:g} ms"
        )
        games = 2 * len(self.scores)
        return f"{elo.value:+.0f} [{elo.low:+.0f}, {elo.high:+.0f}] Elo, {games} games, {thinking}"


def compare(
    rules: Rules,
    evaluators: Sequence[Evaluator | None],
    *,
    limit: Limit,
    pairs: int,
    seed: int = 1,
    threads: int = 2,
) -> Verdict:
    """Play the first of two evaluators against the second; None plays random games."""

    def play(number: int) -> float:
        rng = random.Random(f"{seed}/{number}")
        opening = _draw_opening(rules, rng)
        return sum(_play(opening, evaluators, first, limit, rng) for first in (0, 1)) / 2

    with ThreadPoolExecutor(threads) as pool:
        scores = tuple(pool.map(play, range(pairs)))
    return Verdict(scores=scores, limit=limit)


def _draw_opening(rules: Rules, rng: random.Random) -> Game:
    game = Game(rules, draw_opening_code(rules, seed=rng.getrandbits(63)))
    for _ in range(OPENING_PLIES):
        game.push(rng.choice(game.position.legal_moves))
    return game


def _play(
    opening: Game,
    evaluators: Sequence[Evaluator | None],
    first: int,
    limit: Limit,
    rng: random.Random,
) -> float:
    """Return the points of player 0; player `first` is X."""
    position = opening.position
    searchers = [Searcher(position.rules, evaluation=one) for one in evaluators]
    while position.outcome is None:
        player = position.side ^ first
        report = searchers[player].search(position, limit, seed=rng.getrandbits(63))
        position = position.after(report.move)
    winner = position.outcome.winner
    return 0.5 if winner is None else float(winner ^ first == 0)
