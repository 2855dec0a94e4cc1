"""A match summed up: points, Elo with its interval, games that ended early."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.lab.arena.elo import Interval, elo_interval, pentanomial, score_interval
from engine.lab.arena.matches import MatchPlan, PlayedPair
from engine.notation import format_move


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """What has been played of a match, seen from player 0.

    Attributes:
        plan: What was to be played.
        pairs: What was played, in order; at least one.
        complete: Whether that is all.
    """

    plan: MatchPlan
    pairs: tuple[PlayedPair, ...]
    complete: bool

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
        """Return the result as JSON; what is infinite is null."""
        plan = self.plan
        won, drawn, lost = self.counts
        return {
            "players": list(plan.players),
            "variant": plan.rules.key,
            "seconds": plan.limit.seconds,
            "iterations": plan.limit.iterations,
            "opening_plies": plan.opening_plies,
            "seed": plan.seed,
            "complete": self.complete,
            "games": 2 * len(self.pairs),
            "won": won,
            "drawn": drawn,
            "lost": lost,
            "pairs": list(pentanomial(self.pair_scores)),
            "score": _bounds(self.score),
            "elo": _bounds(self.elo),
            "forfeits": [{"player": name, "reason": reason} for name, reason in self.forfeits],
            "records": [_record(pair, plan) for pair in self.pairs],
        }


def format_result(result: MatchResult) -> str:
    """Return the result as lines to read."""
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
    values = {"value": interval.value, "low": interval.low, "high": interval.high}
    return {
        name: round(number, 4) if math.isfinite(number) else None for name, number in values.items()
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


def summarise(plan: MatchPlan, pairs: Sequence[PlayedPair]) -> MatchResult:
    """Return the result of the pairs played so far."""
    return MatchResult(plan=plan, pairs=tuple(pairs), complete=len(pairs) == plan.pair_count)
