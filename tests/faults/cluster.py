"""Three bots, a shard each, share a database and dask workers; each part in turn gets `kill -9`.

One bot is this process, which checks everything. The two others, a scheduler, two workers and
PostgreSQL are processes of their own. People play in servers of all shards and in direct messages,
so that several bots touch the same games. In each case some parts are killed while people play, and
the others have to finish all open work. Then everything is restarted, as a supervisor does, and the
next case begins with everybody being answered.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
from collections import Counter, defaultdict
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import discord
from sqlalchemy import func, select

from bot import client, cluster
from bot.model.hosting import Shards
from bot.services import analysis
from bot.services.notifications import PendingNotification
from bot.storage import postgresql
from bot.storage.matches import list_awaiting_computer, list_behind
from bot.storage.notices import open_notices
from bot.storage.outbox import list_outbox
from bot.storage.schema import match, move
from deploy.sandbox.errors import NoAnswerError
from deploy.sandbox.model import Channel
from tests.bot.services import stored
from tests.cogs.bot_process import begun_bot
from tests.dask import HERE, scheduler_process, worker_process
from tests.faults import world
from tests.faults.judging import DEFERRED_MESSAGE, MOVING, Judge
from tests.faults.log_lines import noted
from tests.faults.report import Report
from tests.faults.world import Company, company, in_haste, serving
from tests.postgresql import find_programs, running_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from sqlalchemy import Connection

    from deploy.sandbox import Interaction
    from tests.postgresql import Server

ACTS: Final = 100
"""People's acts while something is killed; a quarter as many before, while everything runs."""

WORLD: Final = 12
"""A new world begins after this many cases: all its games are checked after each case."""

KILLED: Final = (
    ("bot 1",),
    ("bot 0",),
    ("PostgreSQL", "bot 1"),
    ("worker 0", "bot 0"),
    ("scheduler",),
    ("PostgreSQL",),
    ("bot 0", "bot 1", "worker 1"),
)
"""What each case kills, in this order."""

AT_WORK: Final = timedelta(seconds=5)
"""Work that began this long before a bot was killed may be unfinished."""

WITHIN_S: Final = 60.0
"""How long a part may take to start, and the others to finish all open work."""

LOOK_S: Final = 0.2
COMPUTER_S: Final = 1.0
"""How long a reply may take: a worker of dask is asked only if it has time to answer."""

_PATCHES: Final = (
    (client, "IDENTIFY_EVERY_S", 0.1),
    (postgresql, "_LOOK_EVERY_S", LOOK_S),
    (cluster, "_LOOK_S", LOOK_S),
    (analysis, "HINT_SECONDS", 0.1),
    (world, "WAITS_S", 0.3),
    (world, "COMMANDS", (*world.COMMANDS, ("play", {"level": 10}, 3.0), ("board", {}, 5.0))),
)
_entered: list[Any] = []


def hasty() -> ExitStack:
    """Apply `in_haste` and `_PATCHES`; in the processes that are killed, until they end."""
    stack = ExitStack()
    for each in (in_haste(), *(patch.object(*given) for given in _PATCHES)):
        stack.enter_context(each)
    _entered.append(stack)
    return stack


@dataclass(slots=True)
class Part:
    """A process that is killed, and started again.

    Attributes:
        begin: Runs it, and kills it -9 at the end of the block.
    """

    begin: Callable[[], AbstractAsyncContextManager[object]]
    running: AsyncExitStack | None = None

    async def start(self) -> None:
        if self.running is None:
            self.running = AsyncExitStack()
            await self.running.enter_async_context(self.begin())

    async def kill(self) -> None:
        if self.running is not None:
            running, self.running = self.running, None
            await running.aclose()


@dataclass(slots=True)
class Sums:
    """What was done in all worlds.

    Attributes:
        direct: Presses in direct messages.
        touched: Matches of this world, and the shards whose bots were asked to change them.
    """

    cases: int = 0
    acts: int = 0
    games: int = 0
    moves: int = 0
    direct: int = 0
    shared: int = 0
    answered: int = 0
    touched: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))


async def run(
    seed: int, times: int, server: Server | None = None, *, searching: bool = True
) -> Report:
    """Kill parts this many times, on the given server or one of its own.

    Args:
        seed: Decides what people do, and when something is killed.
        times: How many cases.
        server: A server of PostgreSQL.
        searching: Whether there are a scheduler and workers of dask.
    """
    rng, found, sums = random.Random(seed), list[str](), Sums()
    with ExitStack() as stack:
        if server is None:
            programs = find_programs()
            assert programs is not None, "PostgreSQL is not installed"
            server = stack.enter_context(running_server(programs))
        stack.enter_context(hasty())
        while sums.cases < times and not found:
            found = await _play_world(
                rng, seed, min(WORLD, times - sums.cases), sums, server, searching=searching
            )
    lost = sum("is stored" in each for each in found)
    killed = Counter[str]()
    for number in range(sums.cases):
        killed.update(each.partition(" ")[0] for each in KILLED[number % len(KILLED)])
    return Report(
        what="kill -9 of bots that share a database, of dask's scheduler and workers, and of "
        "PostgreSQL, while people play",
        cases=sums.cases,
        bar="0 moves that were shown lost, nothing told twice, everybody answered by what lives",
        measured=f"{lost} lost of {sums.moves:,} moves in {sums.games:,} games, "
        f"{len(found) - lost} findings; {sums.acts:,} acts of people, {sums.direct:,} presses in "
        f"direct messages, {sums.shared:,} games by several bots, {sums.answered:,} searches by "
        f"workers of those one bot asked for",
        found=tuple(found),
    )


async def _play_world(
    rng: random.Random, seed: int, cases: int, sums: Sums, server: Server, *, searching: bool
) -> list[str]:
    """Play some cases in a new world; stop at the first with findings, and return them."""
    url, port = server.new_database(), _free_port()
    given: dict[str, Any] = {"search_url": f"tcp://{HERE}:{port}"} if searching else {}
    shards = Shards.parse("2/3")
    async with AsyncExitStack() as stack:
        lines = stack.enter_context(noted())
        folder = Path(stack.enter_context(TemporaryDirectory()))
        people = await stack.enter_async_context(
            company(
                seed + sums.cases,
                database_url=url,
                shards=shards,
                **given,
                computer_seconds=COMPUTER_S,
            )
        )
        parts = _parts(people, url, folder, given)
        for each in parts.values():
            stack.push_async_callback(each.kill)
        bot = await stack.enter_async_context(serving(people))
        await _settle(people)
        judge = Judge(people, lines)
        for _ in range(cases):
            names = KILLED[sums.cases % len(KILLED)]
            sums.cases += 1
            found = await _one(judge, rng, parts, names, sums, server)
            said = (folder / "stderr").read_text()
            found += ["an incident"] if "incident" in said else []
            if found:
                return [f"seed {seed}, case {sums.cases}, {names}: {each}" for each in found]
        games, moves = await bot.matches.database.read(_counts)
        elsewhere = bot.matches.computer.cluster
        sums.answered += 0 if elsewhere is None else elsewhere.answered
    sums.games, sums.moves = sums.games + games, sums.moves + moves
    sums.shared += sum(len(each) > 1 for each in sums.touched.values())
    sums.touched.clear()
    return await asyncio.to_thread(stored.check, url)


def _parts(people: Company, url: str, folder: Path, given: dict[str, Any]) -> dict[str, Part]:
    """Return what can be killed and started, by name; workers end with their scheduler."""
    environment = {"DATABASE_URL": url, "CLICKS_PER_SECOND": "0"}
    environment |= {"COMPUTER_SECONDS": str(COMPUTER_S)}
    environment |= {name.upper(): value for name, value in given.items()}

    def bot(number: int) -> Callable[[], AbstractAsyncContextManager[object]]:
        return lambda: _other_bot(people, folder, number, environment)

    parts = {f"bot {number}": Part(bot(number)) for number in range(2)}
    if given:
        address = given["search_url"]
        parts["scheduler"] = Part(lambda: scheduler_process(int(address.split(":")[-1]), folder))
        for number in range(2):
            parts[f"worker {number}"] = Part(lambda: worker_process(address, folder))
    return parts


async def _one(
    judge: Judge,
    rng: random.Random,
    parts: dict[str, Part],
    names: tuple[str, ...],
    sums: Sums,
    server: Server,
) -> list[str]:
    """Start what does not run, kill parts while people play, and return what is wrong."""
    people, number = judge.people, sums.cases
    await asyncio.gather(*(each.start() for each in parts.values()))
    await people.play(ACTS // 4, f"{number} before")
    await _promises_kept(people.acts)
    found = [f"unanswered: {each.data}" for each in people.acts if each.callback is None]
    _sum_up(people, sums)
    found += await _come_to_rest(people) + await judge.look()
    if found:
        return found
    playing = asyncio.create_task(people.play(ACTS, number))
    await asyncio.sleep(rng.uniform(0.0, 0.5))
    if "PostgreSQL" in names:
        await asyncio.to_thread(_kill, server)
        await asyncio.sleep(rng.uniform(0.0, 0.5))
    bots = [int(each[-1]) for each in names if each.startswith("bot")]
    since = discord.utils.utcnow() - AT_WORK
    judge.lost |= await _on_their_way(people)
    await asyncio.gather(*(parts[each].kill() for each in names if each in parts))
    if "scheduler" in names:
        await asyncio.gather(*(each.kill() for name, each in parts.items() if "worker" in name))
    judge.lost |= await _on_their_way(people)
    theirs = [each for each in people.acts if _shard_of(people, each) in bots]
    judge.cut |= {each.id for each in theirs if discord.utils.snowflake_time(each.id) > since}
    await playing
    # A promised answer, such as a hint, dies with the bot; earlier requests are answered above.
    judge.excused |= {each.id for each in people.acts if _shard_of(people, each) in bots}
    await _promises_kept([each for each in people.acts if each.id not in judge.excused])
    _sum_up(people, sums)
    return await _come_to_rest(people) + await judge.look()


async def _promises_kept(acts: list[Interaction]) -> None:
    """Wait for answers, and for what they promised: another process may be working on it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(WITHIN_S):
            for each in acts:
                with suppress(NoAnswerError):
                    first = await each.wait()
                    if first["type"] == DEFERRED_MESSAGE:
                        await each.settled()


async def _settle(people: Company) -> None:
    """Put everybody into a server of each shard, all with one feed, and open DMs with the bot.

    By Discord's formula 2 to the power of 40 belongs to shard 1.
    """
    there = people.world
    feed = there.channel_called("games").id
    served = {_shard_of_guild(each) for each in there.guilds}
    for shard in {0, 1, 2} - served:
        number = 2**40 + (shard - 1) % 3
        persons = [there.users[each] for each in people.users]
        guild = there.add_guild(number << 22, f"Shard {shard}", persons)
        there.add_member(guild, there.bot)
        there.add_channel(Channel(id=there.snowflakes.next(), guild_id=guild.id, name="general"))
        await people.bot.servers.change(guild.id, feed_channel=feed)
    for user in people.users:
        await people.sandbox.people.open_direct(user)


@asynccontextmanager
async def _other_bot(
    people: Company, folder: Path, number: int, environment: dict[str, str]
) -> AsyncIterator[None]:
    """Run the bot of a shard in a process of its own."""
    sessions, shard = people.sandbox.gateway.sessions, (number, 3)
    async with begun_bot(
        people.sandbox, folder, _hasty, **environment, SHARDS=f"{number}/3"
    ) as process:
        async with asyncio.timeout(WITHIN_S):
            while shard not in [each.shard for each in sessions.values() if each.connection]:
                assert process.status is None, (folder / "stderr").read_text()
                await asyncio.sleep(0.05)
        yield
    while shard in [each.shard for each in sessions.values() if each.connection]:  # noqa: ASYNC110
        await asyncio.sleep(0.02)  # until the sandbox has noticed


def _hasty() -> None:
    hasty()


def _kill(server: Server) -> None:
    """Kill PostgreSQL -9, and start it again once its processes are gone."""
    os.kill(int((server.folder / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    for last in (False,) * 20 + (True,):
        try:
            server.start()
        except AssertionError:  # its memory is still in use
            if last:
                raise
        else:
            return


async def _come_to_rest(people: Company) -> list[str]:
    """Wait until no bot has work left; what a dead one left is noticed at the next look."""
    await asyncio.sleep(3 * LOOK_S)
    database, left = people.bot.matches.database, None
    try:
        async with asyncio.timeout(WITHIN_S):
            while (  # noqa: ASYNC110
                left := await database.read(_left)
            ) or database._readers:
                await asyncio.sleep(0.05)
    except TimeoutError:
        return [f"nobody does what is left: {left}"]
    return []


def _left(connection: Connection) -> list[object]:
    """Return the work left for any bot."""
    awaited = [each.id for each in list_awaiting_computer(connection)]
    untold = open_notices(connection).untold
    return [*awaited, *untold, *list_behind(connection), *list_outbox(connection)]


async def _on_their_way(people: Company) -> set[str]:
    """Return the nonces of messages being sent: they may arrive after their sender has died."""
    untold = (await people.bot.matches.database.read(open_notices)).untold
    tried = [each.news for each in untold if each.tried_at is not None]
    return {PendingNotification(each.match_id, each.user_id, each).nonce for each in tried}


def _sum_up(people: Company, sums: Sums) -> None:
    """Count what people did since the last count, and which bots it concerned."""
    sums.acts += len(people.acts)
    for each in people.acts:
        pressed = MOVING.match(each.data.get("custom_id") or "")
        if pressed is not None:
            sums.touched[int(pressed[1])].add(_shard_of(people, each))
            sums.direct += people.world.channels[each.channel_id].guild_id is None


def _shard_of(people: Company, act: Interaction) -> int:
    return _shard_of_guild(people.world.channels[act.channel_id].guild_id)


def _shard_of_guild(guild_id: int | None) -> int:
    """Return the shard of a server by Discord's formula; direct messages are those of shard 0."""
    return ((guild_id or 0) >> 22) % 3


def _counts(connection: Connection) -> tuple[int, int]:
    counted = (select(func.count()).select_from(table) for table in (match, move))
    games, moves = (connection.execute(each).scalar_one() for each in counted)
    return games, moves


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HERE, 0))
        return int(found.getsockname()[1])
