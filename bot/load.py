"""What `python -m bot load` measures: a bot in its own process under the clicks of many people.

It measures how long they wait, from a click to the first answer, and to the computer's reply on
the board or the picture that was promised; and what the process needs for it.
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import TYPE_CHECKING, Final

from bot.crowd import Crowd, LoadPlan, Waits
from bot.host_errors import HostError
from bot.process import resident_bytes
from bot.storage import open_storage
from bot.storage.copying import is_empty
from bot.storage.matches import list_matches
from deploy.sandbox import Sandbox, running_sandbox
from deploy.sandbox.model import Channel, Overwrite, Role

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

DEADLINE_S: Final = 3.0
"""How long Discord waits for a first answer."""

_START_WITHIN_S: Final = 60.0
_PARTS: Final = 18
_PORTION: Final = 500
_SAMPLES: Final = 240
"""How often the memory is measured in each stage, but not more than twice a second."""


ROLES: Final = 20
CHANNELS: Final = 30
"""How many a server has after people have worked on it for some years."""

_AT_REST_S: Final = 2.0
_IDLE_S: Final = 0.05
_REST_WITHIN_S: Final = 60.0
"""The longest wait for a process to rest: to use at most `_IDLE_S` within `_AT_REST_S`."""

SOAK: Final = LoadPlan(
    stages=(40,), seconds=3600.0, think_s=2.0, levels=(1, 2, 3, 4, 5, 6, 7), visitors=4, rests=24
)
"""An hour that shows whether memory grows: quick games, and everything else that is drawn.

Memory is measured while everybody rests: what reviews and replays need varies, and how many
of them there are at once depends on what else the machine does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What was measured in one stage.

    Attributes:
        games: How many games were played at once.
        waits: How long people have waited, by kind.
        cores: How many cores the bot has used.
        people_cores: How many cores this process, the people, has used: at most one.
        memory: What the bot held in memory: seconds since the start of the stage, and MiB.
    """

    games: int
    seconds: float
    waits: Mapping[str, Waits]
    cores: float
    people_cores: float
    memory: Sequence[tuple[float, float]]

    def together(self, *kinds: str) -> Waits:
        """Return all waits of these kinds, or of all."""
        every = Waits()
        for kind, each in self.waits.items():
            if not kinds or kind in kinds:
                every.answers += each.answers
                every.replies += each.replies
                every.refused += each.refused
                every.unanswered += each.unanswered
                every.unsure += each.unsure
        return every


@dataclass(frozen=True, slots=True)
class Kept:
    """What has become of the moves that people were shown.

    Attributes:
        acknowledged: How many there were.
        lost: How many are missing in the database once the bot has stopped, or differ there.
    """

    acknowledged: int
    lost: int


async def measure(
    plan: LoadPlan, tell: Callable[[Stage], None], database_url: str | None = None
) -> Kept:
    """Run a plan and tell of each stage; the database is a temporary file unless one is named.

    Raises:
        HostError: If the bot does not start, or the database is not empty.
    """
    with tempfile.TemporaryDirectory() as folder:
        url = database_url or f"sqlite+aiosqlite:///{Path(folder) / 'matches.sqlite3'}"
        async with open_storage(url) as database:
            if not await database.read(is_empty):
                raise HostError("There is something in that database. Name an empty one.")
        async with running_sandbox() as sandbox, _bot(sandbox, url) as bot:
            crowd = Crowd(sandbox, plan)
            try:
                for games in plan.stages:
                    await crowd.grow(games)
                    tell(await _stage(crowd, plan, games, bot.pid))
            finally:
                await crowd.leave()
        return await _look_up(crowd.acknowledged, url)


async def _stage(crowd: Crowd, plan: LoadPlan, games: int, pid: int) -> Stage:
    began, busy, own, memory = time.monotonic(), _cpu_s(pid), time.process_time(), []
    pause_s = plan.seconds / plan.rests if plan.rests else max(0.5, plan.seconds / _SAMPLES)
    while (passed := time.monotonic() - began) < plan.seconds:
        await asyncio.sleep(min(pause_s, plan.seconds - passed))
        if plan.rests:
            crowd.plays.clear()
            await _at_rest(pid)
        memory.append((time.monotonic() - began, _memory_mib(pid)))
        crowd.plays.set()
    return Stage(
        games=games,
        seconds=passed,
        waits=crowd.take_waits(),
        cores=(_cpu_s(pid) - busy) / passed,
        people_cores=(time.process_time() - own) / passed,
        memory=memory,
    )


async def measure_servers(count: int) -> tuple[float, float]:
    """Return what each of `count` servers costs a bot: KiB of memory, ms of processor time.

    They have `ROLES` roles and `CHANNELS` channels, each of these open to three roles.

    Raises:
        HostError: If the bot does not start.
    """
    (memory, busy), (more_memory, busier) = [await _with_servers(each) for each in (0, count)]
    return (more_memory - memory) * 1024 / count, (busier - busy) * 1000 / count


async def _with_servers(count: int) -> tuple[float, float]:
    """Return the memory and the processor time of a bot that has just loaded some servers."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{Path(folder) / 'matches.sqlite3'}"
        async with running_sandbox() as sandbox:
            _add_servers(sandbox, count)
            async with _bot(sandbox, url) as bot:
                busy = await _at_rest(bot.pid)
                return _memory_mib(bot.pid), busy


async def _at_rest(pid: int) -> float:
    """Wait until a process has nothing to do, at most a minute; return its processor time."""
    busy, until = -1.0, time.monotonic() + _REST_WITHIN_S
    while busy + _IDLE_S < (busy := _cpu_s(pid)) and time.monotonic() < until:  # noqa: ASYNC110
        await asyncio.sleep(_AT_REST_S)
    return busy


def _add_servers(sandbox: Sandbox, count: int) -> None:
    world = sandbox.world
    for number in range(count):
        guild_id = world.snowflakes.next()
        guild = world.add_guild(guild_id, f"Server {number}", world.people[:1])
        world.add_member(guild, world.bot)
        for place in range(1, ROLES):
            role = Role(id=world.snowflakes.next(), name=f"Role {place}", permissions=1 << 10)
            guild.roles[role.id] = role
        open_to = [Overwrite(id=each, kind=0, allow=1 << 11) for each in list(guild.roles)[:3]]
        for place in range(CHANNELS):
            world.add_channel(
                Channel(
                    id=world.snowflakes.next(),
                    name=f"channel-{place}",
                    guild_id=guild_id,
                    position=place,
                    topic=f"What people of server {number} talk about in channel {place}.",
                    overwrites=list(open_to),
                )
            )


async def _look_up(acknowledged: Mapping[tuple[int, int], int], url: str) -> Kept:
    """Compare what people were shown with what a bot would find at its next start."""
    stored: dict[tuple[int, int], int] = {}
    async with open_storage(url) as database:
        match_ids = sorted({match for match, _ply in acknowledged})
        for start in range(0, len(match_ids), _PORTION):
            for row in await database.read(list_matches, match_ids[start : start + _PORTION]):
                stored |= {(row.id, ply): cell for ply, cell in enumerate(row.moves)}
    lost = [key for key, cell in acknowledged.items() if stored.get(key) != cell]
    return Kept(len(acknowledged), len(lost))


HEADING: Final = (
    f"{'kind':<18}{'clicks':>8}{'a second':>9}{'p50 ms':>9}{'p95':>8}{'p99':>8}{'max':>8}"
    f"{'past 3 s':>10}{'refused':>9}{'reply p50':>11}{'p99':>8}"
)


def lines_of(stage: Stage) -> Iterable[str]:
    """Yield a line for each kind, one for all of them together, and what the bot needed."""
    yield f"{stage.games} games"
    for kind, waits in sorted(stage.waits.items(), key=lambda item: (len(item[0]), item[0])):
        yield _line(kind, waits, stage.seconds)
    yield _line("all", stage.together(), stage.seconds)
    yield (
        f"  the bot: {stage.cores:.0%} of a core, {stage.memory[-1][1]:.0f} MiB, "
        f"{growth(stage.memory):+.1f} MiB an hour; the people: {stage.people_cores:.0%} of a core, "
        f"which stood still when {stage.together().unsure} got no answer"
    )


def late(waits: Waits) -> int:
    """Return how many were not answered while Discord waits."""
    return waits.unanswered + sum(each > DEADLINE_S for each in waits.answers)


def _line(kind: str, waits: Waits, seconds: float) -> str:
    answers, replies = sorted(waits.answers), sorted(waits.replies)
    figures = "".join(
        f"{quantile(answers, part) * 1000:>{width}.0f}"
        for part, width in ((0.5, 9), (0.95, 8), (0.99, 8), (1.0, 8))
    )
    replied = "".join(
        f"{quantile(replies, part) * 1000:>{width}.0f}" for part, width in ((0.5, 11), (0.99, 8))
    )
    clicks = len(answers) + waits.unanswered
    line = f"  {kind:<16}{clicks:>8}{clicks / seconds:>9.1f}{figures}{late(waits):>10}"
    return f"{line}{waits.refused:>9}" + (replied if replies else "")


def quantile(ordered: Sequence[float], part: float) -> float:
    """Return the quantile `part` of `ordered` values; 0.0 if there are none.

    Examples:
        >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5), quantile([1.0, 2.0], 1.0)
        (3.0, 2.0)
    """
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def growth(memory: Sequence[tuple[float, float]]) -> float:
    """Return by how much memory grows in an hour, from seconds and MiB: a line of least squares.

    The first quarter is left out, in which caches fill: of `SOAK` it is as long as a way to a
    message lasts, and in it more games end than stay in memory. If nobody rests, only the lowest
    sample of each part of the others counts.

    Examples:
        >>> growth([(0, 50), (900, 100), (1800, 101), (2700, 102), (3600, 103)])
        4.0
    """
    later = memory[len(memory) // 4 :]
    size = math.ceil(len(later) / _PARTS)
    parts = [later[start : start + size] for start in range(0, len(later), size)]
    if len(parts) < 2:
        return 0.0
    least = [min(part, key=lambda sample: sample[1]) for part in parts]
    return linear_regression(*zip(*least, strict=True)).slope * 3600


@asynccontextmanager
async def _bot(sandbox: Sandbox, url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a bot with an empty database while the block lasts."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--until-eof"),
        stdin=asyncio.subprocess.PIPE,
        env=os.environ | sandbox.environment | {"DATABASE_URL": url, "LOG_LEVEL": "WARNING"},
    )
    try:
        began = time.monotonic()
        while not (sandbox.world.bot_online and sandbox.world.commands.get(None)):
            if process.returncode is not None or time.monotonic() - began > _START_WITHIN_S:
                raise HostError("The bot did not start; what it said above tells why.")
            await asyncio.sleep(0.05)
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _cpu_s(pid: int) -> float:
    """Return the processor time of a process, in seconds; nan where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mib(pid: int) -> float:
    """Return what a process holds in memory, in MiB; nan where there is no /proc."""
    size = resident_bytes(pid)
    return float("nan") if size is None else size / 2**20
