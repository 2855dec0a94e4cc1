"""Two bots share a database, a shard each; one of them is killed -9, and PostgreSQL now and then.

One case is one bot killed while people play in servers of both shards and in direct messages, so
that both bots touch the same games. Before every third one PostgreSQL is killed as well and starts
again. Once a bot is gone, the other one has to bring everything to rest.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from contextlib import ExitStack, asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import discord
from sqlalchemy import func, select

from bot import client
from bot.model.hosting import Shards
from bot.services.notifications import PendingNotification
from bot.storage import postgresql
from bot.storage.notices import open_notices
from bot.storage.schema import match, move
from deploy.sandbox.errors import NoAnswerError
from deploy.sandbox.model import Channel
from tests.bot.services import stored
from tests.cogs.bot_process import BotProcess, begun_bot
from tests.faults import world
from tests.faults.judging import Judge
from tests.faults.log_lines import noted
from tests.faults.report import Report
from tests.faults.world import Company, company, in_haste, serving
from tests.postgresql import find_programs, running_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy import Connection

    from deploy.sandbox import Interaction
    from tests.postgresql import Server

ACTS = 100
"""Of people, while one bot is killed; a quarter of them before, while both live."""

AT_WORK = timedelta(seconds=5)
"""So long before its end a bot may have begun what it did not finish."""

WITHIN_S = 20.0
"""How long a bot may take to start, or to take over."""

BOTH = Shards.parse("0-1/2")
ON_SHARD_1 = (2**40 + 1) << 22
IDENTIFY = patch.object(client, "IDENTIFY_EVERY_S", 0.1)
LOOK_S = 0.2
_entered: list[Any] = []


def hasty() -> None:
    """Be as impatient in the process that is killed, until its end."""
    for each in (in_haste(), IDENTIFY):
        each.__enter__()
        _entered.append(each)


async def run(seed: int, times: int, server: Server | None = None) -> Report:
    """Kill a bot so many times, on a server that is there or on one of its own."""
    rng, found, done = random.Random(seed), list[str](), 0
    with ExitStack() as stack:
        if server is None:
            programs = find_programs()
            assert programs is not None, "PostgreSQL is not installed"
            server = stack.enter_context(running_server(programs))
        lines = stack.enter_context(noted())
        looking = patch.object(postgresql, "_LOOK_EVERY_S", LOOK_S)
        for each in (in_haste(), IDENTIFY, looking, patch.object(world, "WAITS_S", 0.3)):
            stack.enter_context(each)
        url, shards = server.new_database(), Shards.parse("0/2")
        async with company(seed, database_url=url, shards=shards) as people, serving(people) as bot:
            await _settle_on_shard_1(people)
            judge = Judge(people, lines)
            while done < times and not found:
                done += 1
                kills = server if done % 3 == 0 else None
                what = f"seed {seed}, case {done}"
                found = [f"{what}: {each}" for each in await _one(judge, rng, url, kills, done)]
            games, moves = await bot.matches.database.read(_counts)
    lost = sum("is stored" in each for each in found)
    return Report(
        what="kill -9 of one of two bots on a database, and of PostgreSQL before every third",
        cases=done,
        bar="0 moves that were shown lost, nothing told twice, all answered while both live",
        measured=f"{lost} lost of {moves:,} moves in {games:,} games, {len(found) - lost} findings,"
        f" {people.done:,} acts of people",
        found=tuple(found),
    )


async def _settle_on_shard_1(people: Company) -> None:
    """Let everybody be in a server of the other shard as well, whose games the same feed tells."""
    there = people.world
    guild = there.add_guild(ON_SHARD_1, "Shard 1", [there.users[each] for each in people.users])
    there.add_member(guild, there.bot)
    there.add_channel(Channel(id=there.snowflakes.next(), guild_id=guild.id, name="general"))
    feed = there.channel_called("games").id
    await people.bot.servers.change(guild.id, feed_channel=feed)


async def _one(
    judge: Judge, rng: random.Random, url: str, server: Server | None, number: int
) -> list[str]:
    """Kill a bot while people play, and return what is wrong afterwards."""
    people = judge.people
    async with _other_bot(people, url) as other:
        await people.play(ACTS // 4, f"{number} before")
        for each in people.acts:
            with suppress(NoAnswerError):
                await each.wait()
        found = [f"unanswered: {each.data}" for each in people.acts if each.callback is None]
        playing = asyncio.create_task(people.play(ACTS, number))
        await asyncio.sleep(rng.uniform(0.0, 0.5))
        if server is not None:
            await asyncio.to_thread(_kill, server)
            await asyncio.sleep(rng.uniform(0.0, 0.5))
        since = discord.utils.utcnow() - AT_WORK
        judge.lost |= await _on_their_way(people)
        await other.kill()
        judge.lost |= await _on_their_way(people)
        theirs = [each for each in people.acts if _is_of_shard_1(people, each)]
        judge.cut |= {each.id for each in theirs if discord.utils.snowflake_time(each.id) > since}
        await playing
    # What was promised, such as a hint, goes with the bot; what was asked before is answered above.
    judge.excused |= {each.id for each in people.acts if _is_of_shard_1(people, each)}
    found += await _taken_over(people) + await judge.look()
    return found + await asyncio.to_thread(stored.check, url)


@asynccontextmanager
async def _other_bot(people: Company, url: str) -> AsyncIterator[BotProcess]:
    """Run the bot of shard 1 in a process of its own; nobody may find a mistake of its."""
    environment = {"DATABASE_URL": url, "SHARDS": "1/2", "CLICKS_PER_SECOND": "0"}
    sessions = people.sandbox.gateway.sessions
    with TemporaryDirectory() as folder:
        said = Path(folder, "stderr").read_text
        async with begun_bot(
            people.sandbox, Path(folder), hasty, **environment, COMPUTER_SECONDS="0.05"
        ) as process:
            async with asyncio.timeout(WITHIN_S):
                while (1, 2) not in [e.shard for e in sessions.values() if e.connection]:
                    assert process.status is None, said()
                    await asyncio.sleep(0.05)
            yield process
        assert "incident" not in said(), said()


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


def _is_of_shard_1(people: Company, act: Interaction) -> bool:
    return people.world.channels[act.channel_id].guild_id == ON_SHARD_1


async def _on_their_way(people: Company) -> set[str]:
    """Return the nonces of what is being sent: it may arrive, and who has sent it be dead."""
    untold = (await people.bot.matches.database.read(open_notices)).untold
    tried = [each.news for each in untold if each.tried_at is not None]
    return {PendingNotification(each.match_id, each.user_id, each).nonce for each in tried}


async def _taken_over(people: Company) -> list[str]:
    """Wait until the bot that lives stands in for the other one."""
    database = people.bot.matches.database
    try:
        async with asyncio.timeout(WITHIN_S):
            while database.home != BOTH:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            await asyncio.sleep(3 * LOOK_S)  # it looks a second time
            while database.reading_again:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    except TimeoutError:
        return ["nobody stands in for the bot that was killed"]
    return []


def _counts(connection: Connection) -> tuple[int, int]:
    counted = (select(func.count()).select_from(table) for table in (match, move))
    games, moves = (connection.execute(each).scalar_one() for each in counted)
    return games, moves
