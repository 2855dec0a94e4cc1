"""The machine's clock is set by hours and days, to 1970 and to 2200, while people play.

One case is one jump. Discord's own time and the monotonic clock are not affected.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

from bot.services.clocks import ClockScheduler
from deploy.sandbox import World
from tests.faults.gateway import out_of_time
from tests.faults.judging import Judge
from tests.faults.log_lines import noted
from tests.faults.machine import LOOKS_EVERY_S, Machine
from tests.faults.report import Report
from tests.faults.world import Company, company, in_haste, serving

ACTS = 30
"""People's acts around one jump."""

QUIET_S = 0.5
"""How long the bot's looks at its clocks are counted while nothing happens."""

VACATIONS = ("vacation start", "vacation end")


def target(rng: random.Random, machine: Machine) -> timedelta:
    """Return how far the date is ahead of the true one after a jump."""
    real = datetime.now(UTC)
    return rng.choice(
        [
            *(timedelta(), timedelta(), datetime(1970, 1, 2, tzinfo=UTC) - real),
            datetime(2200, 1, 1, tzinfo=UTC) - real,
            machine.date + timedelta(hours=rng.choice((-5, -1, 1, 5))),
            machine.date + timedelta(days=rng.choice((-40, -3, 3, 40))),
            machine.date + timedelta(seconds=rng.uniform(-90, 90)),
        ]
    )


async def run(seed: int, times: int) -> Report:
    """Let the clock jump this often while people play games with clocks."""
    machine, rng, found, jumps = Machine(), random.Random(seed), list[str](), 0
    looks = Looks()
    with in_haste(), machine.installed(), looks.counted(), noted() as lines:
        world = World.default(clock=machine.discord)
        async with company(seed, world) as people, serving(people):
            machine.install(people)
            judge = Judge(people, lines)
            while jumps < times and not found:
                jumps += 1
                playing = asyncio.create_task(people.play(ACTS, jumps))
                await asyncio.sleep(rng.uniform(0.0, 0.2))
                machine.date = jump = target(rng, machine)
                if rng.random() < 0.3:
                    await _vacation(people, rng)
                await playing
                found = await judge.look() + await out_of_time(people)
                found += await looks.in_quiet()
                found = [f"seed {seed}, jump {jumps} to {jump}: {each}" for each in found]
    return Report(
        what="jumps of the machine's clock by hours and days, to 1970 and 2200",
        cases=jumps,
        bar="0 findings, 0 games lost on time",
        measured=f"{len(found)} findings, {people.done:,} acts of people",
        found=tuple(found),
    )


async def _vacation(people: Company, rng: random.Random) -> None:
    user, name = rng.choice(people.users), rng.choice(VACATIONS)
    options = {"days": rng.randint(1, 5)} if name.endswith("start") else {}
    place = people.world.channel_called("general").id
    people.acts.append(await people.sandbox.people.slash(user, place, name, options))


class Looks:
    """Counts how often the bot looks at its clocks."""

    def __init__(self) -> None:
        self.count = 0

    def counted(self) -> AbstractContextManager[object]:
        """Count while the block runs."""
        work = ClockScheduler.work

        async def counting(scheduler: ClockScheduler) -> None:
            self.count += 1
            await work(scheduler)

        return patch.object(ClockScheduler, "work", counting)

    async def in_quiet(self) -> list[str]:
        """Return whether it looks far too often, or not at all."""
        self.count, most = 0, 4 * QUIET_S / LOOKS_EVERY_S
        await asyncio.sleep(QUIET_S)
        if self.count > most:
            return [f"looked {self.count} times in {QUIET_S} s"]
        for _ in range(100):  # a busy machine is late
            if self.count:
                return []
            await asyncio.sleep(QUIET_S / 5)
        return ["does not look any more"]
