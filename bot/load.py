"""What `python -m bot load` measures: a bot of its own process under the clicks of many people.

The people sit in the sandbox. Each plays at human pace, against a level of the computer or with
both seats of a game between two, and presses legal buttons at random. What is measured is what
they wait for: from a click to the first answer, and to the computer's reply on the board.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bot.host_errors import HostError
from deploy.sandbox import HandError, NoAnswerError, Sandbox, running_sandbox
from deploy.sandbox.components import walk
from deploy.sandbox.model import Channel, ChannelKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from deploy.sandbox import Interaction
    from deploy.sandbox.model import User

DEADLINE_S: Final = 3.0
"""How long Discord waits for a first answer."""

_START_WITHIN_S: Final = 60.0
_REPLY_WITHIN_S: Final = 20.0
_LOOK_EVERY_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    """What people do.

    Attributes:
        stages: How many games are played at once, one stage after the other.
        seconds: How long each stage is measured, after its games have begun.
        think_s: How long people think about a click, on average; exponentially distributed.
        levels: Those of the computer, dealt in turn; one may be named more often than another.
        between_people: Of how many games people have both seats: 0 to 1.
        pictures: So many `/field` one person asks for at the beginning of each stage.
        seed: Makes what people do repeatable, if not when.
    """

    stages: tuple[int, ...] = (200,)
    seconds: float = 30.0
    think_s: float = 4.6
    levels: tuple[int, ...] = tuple(range(1, 11))
    between_people: float = 0.1
    pictures: int = 0
    seed: int = 1


@dataclass(slots=True)
class Waits:
    """How long people have waited for one kind of thing, in seconds."""

    answers: list[float] = field(default_factory=list)
    replies: list[float] = field(default_factory=list)
    unanswered: int = 0


async def load_lines(plan: LoadPlan) -> AsyncIterator[str]:
    """Run a plan and yield the lines of the report.

    Raises:
        HostError: If the bot does not start.
    """
    yield (
        f"{'kind':<18}{'clicks':>8}{'a second':>9}{'p50 ms':>9}{'p95':>8}{'p99':>8}{'max':>8}"
        f"{'past 3 s':>10}{'reply p50':>11}{'p99':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:
        async with running_sandbox() as sandbox, _bot(sandbox, Path(folder)) as bot:
            crowd = _Crowd(sandbox, plan)
            try:
                for games in plan.stages:
                    await crowd.grow(games)
                    before, busy = time.monotonic(), _cpu_s(bot.pid)
                    await asyncio.sleep(plan.seconds)
                    took = time.monotonic() - before
                    yield f"{games} games"
                    for line in _table(crowd.take_waits(), took):
                        yield line
                    share, memory = (_cpu_s(bot.pid) - busy) / took, _memory_mib(bot.pid)
                    yield f"  the bot: {share:.0%} of a core, {memory:.0f} MiB"
            finally:
                await crowd.leave()


def _table(waits: dict[str, Waits], seconds: float) -> Iterable[str]:
    """Yield a line for each kind, and one for all of them together."""
    every = Waits()
    for kind, each in sorted(waits.items(), key=lambda item: (len(item[0]), item[0])):
        every.answers += each.answers
        every.replies += each.replies
        every.unanswered += each.unanswered
        yield _line(kind, each, seconds)
    yield _line("all", every, seconds)


def _line(kind: str, waits: Waits, seconds: float) -> str:
    answers, replies = sorted(waits.answers), sorted(waits.replies)
    late = waits.unanswered + sum(each > DEADLINE_S for each in answers)
    figures = "".join(
        f"{quantile(answers, part) * 1000:>{width}.0f}"
        for part, width in ((0.5, 9), (0.95, 8), (0.99, 8), (1.0, 8))
    )
    replied = "".join(
        f"{quantile(replies, part) * 1000:>{width}.0f}" for part, width in ((0.5, 11), (0.99, 8))
    )
    clicks = len(answers) + waits.unanswered
    line = f"  {kind:<16}{clicks:>8}{clicks / seconds:>9.1f}{figures}{late:>10}"
    return line + (replied if replies else "")


def quantile(ordered: Sequence[float], part: float) -> float:
    """Return the value that so large a part of those in order do not exceed; 0.0 of none.

    Examples:
        >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5), quantile([1.0, 2.0], 1.0)
        (3.0, 2.0)
    """
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


@asynccontextmanager
async def _bot(sandbox: Sandbox, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a bot with an empty database while the block lasts."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--until-eof"),
        stdin=asyncio.subprocess.PIPE,
        env=os.environ
        | {
            "DISCORD_TOKEN": sandbox.token,
            "DISCORD_API_BASE": sandbox.api_base,
            "DISCORD_GATEWAY_URL": sandbox.gateway_url,
            "DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'matches.sqlite3'}",
            "LOG_LEVEL": "WARNING",
        },
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


class _Crowd:
    """People at their games; each game is a task."""

    def __init__(self, sandbox: Sandbox, plan: LoadPlan) -> None:
        self._world, self._people, self._plan = sandbox.world, sandbox.people, plan
        self._games: list[asyncio.Task[None]] = []
        self._waits: dict[str, Waits] = defaultdict(Waits)

    async def grow(self, games: int) -> None:
        """Let games begin until there are so many, spread over a moment's thought."""
        first = len(self._games)
        for number in range(first, games):
            self._games.append(asyncio.create_task(self._play(number)))
            await asyncio.sleep(self._plan.think_s / max(1, games - first))
        self._waits.clear()
        for _ in range(self._plan.pictures):
            self._games.append(asyncio.create_task(self._ask_for_picture()))

    def take_waits(self) -> dict[str, Waits]:
        """Return how long people have waited since the last time, by kind."""
        taken, self._waits = self._waits, defaultdict(Waits)
        return taken

    async def leave(self) -> None:
        """End all games; raise what has gone wrong in one."""
        for game in self._games:
            game.cancel()
        results = await asyncio.gather(*self._games, return_exceptions=True)
        for each in results:
            if isinstance(each, Exception):
                raise each

    async def _ask_for_picture(self) -> None:
        user, channel = self._world.people[0], self._world.channel_called("general")
        await self._timed(
            "/field", self._people.slash(user.id, channel.id, "field", {"name": "basic"})
        )

    async def _play(self, number: int) -> None:
        """Play one game after the other in a channel of one's own."""
        rng = random.Random(f"{self._plan.seed} {number}")
        guild = self._world.guild_of(self._world.channel_called("general"))
        assert guild is not None
        players = [self._world.add_user(f"player{number}-{seat}") for seat in range(2)]
        for each in players:
            self._world.add_member(guild, each)
        channel = self._world.add_channel(
            Channel(
                id=self._world.snowflakes.next(),
                kind=ChannelKind.TEXT,
                name=f"load-{number}",
                guild_id=guild.id,
            )
        )
        level = self._plan.levels[number % len(self._plan.levels)]
        is_between_people = rng.random() < self._plan.between_people
        while True:
            if is_between_people:
                message_id = await self._challenge(players, channel.id)
                await self._play_out("two people", players, message_id, rng)
            else:
                options = {"level": level}
                asked = self._people.slash(players[0].id, channel.id, "play", options)
                message_id = await self._timed("/play", asked)
                await self._play_out(f"level {level}", players[:1], message_id, rng)

    async def _challenge(self, players: Sequence[User], channel_id: int) -> int | None:
        first, second = (each.id for each in players)
        asked = self._people.slash(first, channel_id, "challenge", {"player": str(second)})
        message_id = await self._timed("/challenge", asked)
        if message_id is None:
            return None
        accept = next(iter(self._ids(message_id, second, "accept")), None)
        if accept is None:
            return None
        return await self._timed("accept", self._people.press(second, message_id, accept))

    async def _play_out(
        self, kind: str, players: Sequence[User], message_id: int | None, rng: random.Random
    ) -> None:
        """Press buttons until a game is over, or its board is gone."""
        while message_id is not None:
            await asyncio.sleep(rng.expovariate(1 / self._plan.think_s))
            boards = self._ids(message_id, players[0].id, "board")
            offered = boards or self._ids(message_id, players[0].id, "cell")
            if not offered:
                return
            chosen = rng.choice(offered)
            ply = int(chosen.split(":")[2])
            mover = players[ply % len(players)].id
            clicked = time.monotonic()
            try:
                pressed = self._people.press(mover, message_id, chosen)
                await self._timed("choose a board" if boards else kind, pressed)
            except HandError:
                continue  # the board has changed under the hand
            if not boards and len(players) == 1 and await self._reply(message_id, mover):
                self._waits[kind].replies.append(time.monotonic() - clicked)

    async def _timed(self, kind: str, begun: Any) -> int | None:
        """Wait for an answer, note how long that took, and return the message it is."""
        clicked = time.monotonic()
        interaction: Interaction = await begun
        try:
            await interaction.wait()
        except NoAnswerError:
            self._waits[kind].unanswered += 1
            return None
        self._waits[kind].answers.append(time.monotonic() - clicked)
        return None if interaction.message is None else interaction.message.id

    async def _reply(self, message_id: int, user_id: int) -> bool:
        """Wait until the computer has replied; return whether it has."""
        until = time.monotonic() + _REPLY_WITHIN_S
        while time.monotonic() < until:
            if any(self._ids(message_id, user_id, kind) for kind in ("board", "cell", "again")):
                return True
            await asyncio.sleep(_LOOK_EVERY_S)
        return False

    def _ids(self, message_id: int, user_id: int, kind: str) -> list[str]:
        """Return the custom ids of one kind that can be pressed on a message."""
        message = self._world.find_message(message_id)
        if message is None or not self._world.sees_message(user_id, message):
            return []
        return [
            part["custom_id"]
            for part in walk(message.components)
            if part.get("custom_id", "").startswith(f"{kind}:") and not part.get("disabled")
        ]


def _cpu_s(pid: int) -> float:
    """Return the processor time of a process, in seconds; nan where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mib(pid: int) -> float:
    """Return what a process holds in memory, in MiB; nan where there is no /proc."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
