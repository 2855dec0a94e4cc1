"""The gateway drops, forgets sessions, asks for reconnects, falls silent, is down for an hour.

One case is one of these. People press buttons and use commands all the time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta

from deploy.sandbox import World
from engine import EndReason
from tests.faults.judging import Judge
from tests.faults.log_lines import noted
from tests.faults.machine import LOOKS_EVERY_S, Machine
from tests.faults.report import Report
from tests.faults.world import LIBRARY_HASTE, Company, company, in_haste, serving

ACTS = 40
"""People's acts while one of these happens."""

HEARTBEAT_S, SILENCE_S = 0.2, 0.6
"""How often the bot is asked for a sign of life, and how long it waits for one."""

BACK_WITHIN_S = 20.0
FORGETTING = ("forgotten", "invalid", "refused", "hour")
"""After these the bot hears too late, or never, of what people did meanwhile."""

MINUTE = timedelta(minutes=1)


class Faults:
    """What happens to the gateway of a company."""

    def __init__(self, people: Company, machine: Machine, rng: random.Random) -> None:
        self.people, self.machine, self.rng = people, machine, rng
        self.gateway = people.sandbox.gateway

    async def drop(self) -> None:
        """Cut the connection; the bot resumes."""
        await self.gateway.drop_connections(abruptly=self.rng.random() < 0.5)

    async def many_drops(self) -> None:
        """Cut the connection 25 times in ten seconds, or as often as it comes back."""
        for _ in range(25):
            await self.drop()
            await asyncio.sleep(self.rng.uniform(0.0, 0.4))

    async def forgotten(self) -> None:
        """Cut the connection and forget the session."""
        self.gateway.forget_sessions()
        await self.drop()

    async def invalid(self) -> None:
        """Invalidate the session: the bot has to identify again, or to resume."""
        self.gateway.invalidate_sessions(resumable=self.rng.random() < 0.5)

    async def asked(self) -> None:
        """Ask the bot to connect again."""
        self.gateway.ask_to_reconnect()

    async def silent(self) -> None:
        """Send nothing more on a connection that stays open."""
        self.gateway.go_silent()
        await asyncio.sleep(SILENCE_S + 2 * HEARTBEAT_S)

    async def refused(self) -> None:
        """Refuse connections for a while."""
        self.gateway.is_down = True
        await self.drop()
        await asyncio.sleep(self.rng.uniform(0.1, 1.0))
        self.gateway.is_down = False

    async def hour(self) -> None:
        """Let Discord be down for an hour, by all clocks."""
        self.gateway.is_down = True
        await self.drop()
        for _ in range(60):
            self.machine.run_on(MINUTE)
            await asyncio.sleep(LOOKS_EVERY_S)
        self.gateway.is_down = False

    @property
    def kinds(self) -> list[Callable[[], Awaitable[None]]]:
        """All of them."""
        return [
            *(self.drop, self.forgotten, self.invalid, self.asked, self.silent, self.refused),
            *(self.many_drops, self.hour),
        ]


async def run(seed: int, times: int) -> Report:
    """Let this many faults hit the gateway, each kind once before any comes again."""
    machine, rng, found, done = Machine(), random.Random(seed), list[str](), 0
    world = World.default(clock=machine.discord)
    with in_haste(), machine.installed(), noted() as lines:
        async with company(seed, world) as people:
            people.sandbox.gateway.heartbeat_seconds = HEARTBEAT_S
            async with serving(people) as bot:
                machine.install(people)
                bot._connection.heartbeat_timeout = SILENCE_S
                await people.sandbox.gateway.drop_connections()  # from now on it waits less
                found += await _back(people)
                judge, faults = Judge(people, lines), Faults(people, machine, rng)
                kinds: list[Callable[[], Awaitable[None]]] = []
                while done < times and not found:
                    kinds = kinds or rng.sample(faults.kinds, len(faults.kinds))
                    done, kind = done + 1, kinds.pop()
                    what = f"seed {seed}, {kind.__name__} ({done})"
                    found = [f"{what}: {each}" for each in await _one(people, judge, kind, done)]
    return Report(
        what="gateway: drops, invalid sessions, silence, outages of an hour",
        cases=done,
        bar="0 findings",
        measured=f"{len(found)} findings, {people.done:,} acts of people",
        found=tuple(found),
    )


async def _one(
    people: Company, judge: Judge, fault: Callable[[], Awaitable[None]], number: int
) -> list[str]:
    """Let one fault happen while people play, and return what is wrong afterwards."""
    playing = asyncio.create_task(people.play(ACTS, number))
    await asyncio.sleep(0.1)
    await fault()
    found = await _back(people)
    await playing
    if fault.__name__ in FORGETTING:
        judge.excused |= {each.id for each in people.acts if each.callback is None}
    await people.play(ACTS // 4, f"{number} afterwards")
    found += await judge.look()
    return found + await out_of_time(people)


async def _back(people: Company) -> list[str]:
    """Wait until the bot is online again by itself."""
    try:
        async with asyncio.timeout(BACK_WITHIN_S):
            while not (people.world.bot_online and people.bot.is_online):  # noqa: ASYNC110
                await asyncio.sleep(LIBRARY_HASTE)
    except TimeoutError:
        return ["the bot does not come back"]
    return []


async def out_of_time(people: Company) -> list[str]:
    """Return the games that were lost on time: nobody here plays long enough to lose one."""
    numbers = await people.numbers()
    matches = [await people.bot.matches.load(each) for each in numbers]
    lost = [each for each in matches if each.end_reason is EndReason.TIME]
    return [f"match {each.id} was lost on time ({each.clock.key})" for each in lost]
