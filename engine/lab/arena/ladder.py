"""The levels against each other, and the ratings that follow."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.errors import EngineError
from engine.lab.arena.elo import Fit, Gap, fit_ratings
from engine.lab.arena.matches import OPENING_PLIES, Job, MatchPlan, check_concurrency, play_jobs
from engine.lab.arena.players import LEVEL_PREFIX
from engine.rules import Rules
from engine.search.mcts import Limit
from engine.search.ratings import ANCHOR_ELO, ANCHOR_LEVEL, level_rating
from engine.types import LevelNumber

PairingScore: TypeAlias = tuple[tuple[int, int], float]
"""The places of two levels, and the share of points of the first in a pair of games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPlan:
    """A round robin of levels.

    Attributes:
        levels: Their numbers, ascending; at least two.
        limit: No level thinks longer than this about a move.
        span: How far apart two levels that meet may be: games of distant ones tell nothing.
        opening_plies: How many random moves both games of a pair begin with.

    Raises:
        EngineError: If there are fewer than two levels.
    """

    levels: tuple[LevelNumber, ...]
    rules: Rules
    pair_count: int
    limit: Limit
    span: int = 9
    opening_plies: int = OPENING_PLIES
    seed: int = 1

    def __post_init__(self) -> None:
        if len(self.levels) < 2 or list(self.levels) != sorted(set(self.levels)):
            raise EngineError(
                f"A ladder needs two or more levels in ascending order, got {self.levels}"
            )

    @property
    def pairings(self) -> tuple[tuple[int, int], ...]:
        """Who meets whom, as places in `levels`; the stronger first."""
        places = range(len(self.levels))
        return tuple(
            (high, low)
            for low, high in itertools.combinations(places, 2)
            if high - low <= self.span
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Ratings of levels, and the score of each pair of games by the places of both levels."""

    plan: LadderPlan
    fit: Fit
    results: dict[tuple[int, int], tuple[float, ...]]

    @property
    def pair_count(self) -> int:
        """The least number of pairs of games that two levels have played."""
        return min(len(scores) for scores in self.results.values())

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """How much stronger each level is than the one below, beginning with the second."""
        return tuple(self.fit.gap(place, place - 1) for place in range(1, len(self.plan.levels)))

    @property
    def is_monotone(self) -> bool:
        """Whether every level is rated above the one below."""
        return all(gap.elo > 0 for gap in self.gaps)


def play_ladder(
    plan: LadderPlan,
    *,
    concurrency: int = 1,
    workers: str | None = None,
    max_seconds: float | None = None,
) -> Iterator[PairingScore]:
    """Play the round robin in rounds, one pair of games of every two levels in each.

    No round begins later than `max_seconds` from now, but each is finished, so that every
    pairing is played equally often.

    Raises:
        EngineError: If time is the limit and there are fewer cores than games at once.
    """
    matches = {pairing: _match(plan, pairing) for pairing in plan.pairings}
    check_concurrency(matches.values(), 1 if workers else concurrency)
    pairing_of = {match.players: pairing for pairing, match in matches.items()}
    ending = None if max_seconds is None else time.monotonic() + max_seconds

    def jobs() -> Iterator[Job]:
        for number in range(plan.pair_count):
            if number and ending is not None and time.monotonic() >= ending:
                return
            yield from ((match, number) for match in matches.values())

    for (match, _), pair in play_jobs(jobs(), concurrency=concurrency, workers=workers):
        yield pairing_of[match.players], pair.score


def _match(plan: LadderPlan, pairing: tuple[int, int]) -> MatchPlan:
    stronger, weaker = (f"{LEVEL_PREFIX}{plan.levels[place]}" for place in pairing)
    return MatchPlan(
        players=(stronger, weaker),
        rules=plan.rules,
        limit=plan.limit,
        pair_count=plan.pair_count,
        opening_plies=plan.opening_plies,
        seed=plan.seed,
    )


def rate(plan: LadderPlan, played: Sequence[PairingScore]) -> Ladder:
    """Return the ratings from the pairs played, which must connect all levels.

    Without the level whose rating is fixed, the lowest keeps its stored rating.
    """
    results: dict[tuple[int, int], tuple[float, ...]] = {}
    for pairing, score in played:
        results[pairing] = (*results.get(pairing, ()), score)
    anchor, anchor_elo = 0, float(level_rating(plan.levels[0], plan.rules.key))
    if ANCHOR_LEVEL in plan.levels:
        anchor, anchor_elo = plan.levels.index(ANCHOR_LEVEL), ANCHOR_ELO
    names = [f"{LEVEL_PREFIX}{number}" for number in plan.levels]
    fit = fit_ratings(names, results, anchor=anchor, anchor_elo=anchor_elo)
    return Ladder(plan=plan, fit=fit, results=results)
