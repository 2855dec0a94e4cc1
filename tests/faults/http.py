"""Discord's API refuses, breaks off, is slow and loses answers, at every kind of request.

One case is one request that went wrong. Each route next gets the fault that it has had least often,
so that every route soon has had every fault.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from deploy.sandbox.errors import ApiError
from deploy.sandbox.traffic import Fault, too_many
from tests.faults.judging import Judge
from tests.faults.log_lines import noted
from tests.faults.report import Report
from tests.faults.world import company, in_haste, serving

ROUND = 150
"""People's acts between two checks of everything."""

CHANCES = (0.05, 0.2, 0.4)
"""The share of the requests of a round that go wrong."""

FAULTS: dict[str, Callable[[random.Random], Fault]] = {
    "429": lambda rng: Fault(error=_limited(rng.uniform(0.1, 5.0))),
    "429 of all": lambda rng: Fault(error=_limited(rng.uniform(0.1, 5.0), is_global=True)),
    "429 for long": lambda _: Fault(error=_limited(40.0)),
    "429 of a proxy": lambda _: Fault(error=ApiError(429, 0, "error code: 1015")),
    "500": lambda _: Fault(error=ApiError(500, 0, "500")),
    "502": lambda _: Fault(error=ApiError(502, 0, "502")),
    "503": lambda _: Fault(error=ApiError(503, 0, "503")),
    "500 afterwards": lambda _: Fault(error=ApiError(500, 0, "500"), after=True),
    "503 afterwards": lambda _: Fault(error=ApiError(503, 0, "503"), after=True),
    "reset": lambda _: Fault(error=ConnectionResetError()),
    "answer lost": lambda _: Fault(error=ConnectionResetError(), after=True),
    "slow": lambda rng: Fault(delay_seconds=rng.uniform(0.05, 0.4)),
    "slow and lost": lambda rng: Fault(
        delay_seconds=rng.uniform(0.05, 0.4), error=ConnectionResetError(), after=True
    ),
}


def _limited(seconds: float, *, is_global: bool = False) -> ApiError:
    return too_many(seconds, is_global=is_global, headers={})


@dataclass(slots=True)
class Weather:
    """Decides what goes wrong, by the seed, the route, and the number of its requests so far."""

    seed: int
    chance: float = 0.0
    asked: Counter[str] = field(default_factory=Counter)
    thrown: Counter[tuple[str, str]] = field(default_factory=Counter)

    def choose(self, route: str) -> Fault | None:
        """Return what goes wrong with a request, mostly nothing."""
        self.asked[route] += 1
        rng = random.Random(f"{self.seed} {route} {self.asked[route]}")
        if rng.random() >= self.chance:
            return None
        least = min(self.thrown[route, each] for each in FAULTS)
        name = rng.choice([each for each in FAULTS if self.thrown[route, each] == least])
        self.thrown[route, name] += 1
        return FAULTS[name](rng)


async def run(seed: int, times: int, weather: Weather | None = None) -> Report:
    """Let this many requests go wrong while people play."""
    weather, found, part = weather or Weather(seed), list[str](), 0
    with in_haste(), noted() as lines:
        async with company(seed) as people, serving(people):
            people.sandbox.rate_limits.invalid_requests = (10**9, 600.0)
            judge = Judge(people, lines)
            while weather.thrown.total() < times and not found:
                weather.chance = CHANCES[part % len(CHANCES)]
                people.sandbox.faults.choose = weather.choose
                await people.play(min(ROUND, times), part)
                people.sandbox.faults.clear()
                found = [f"seed {seed}, round {part}: {each}" for each in await judge.look()]
                part += 1
    routes = {route for route, _ in weather.thrown}
    pairs = len(weather.thrown)
    return Report(
        what="429s, 5xx, resets, slow and lost answers at every kind of request",
        cases=weather.thrown.total(),
        bar="0 findings",
        measured=f"{len(found)} findings, {len(routes)} routes, {pairs} pairs of route and fault, "
        f"{people.done:,} acts of people, {len(judge.unknown)} boards left in two places",
        found=tuple(found),
    )
