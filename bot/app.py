"""The composition root: settings, then storage, services and the client, each closed in turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import structlog

from bot.client import GameBot, point_at
from bot.cluster import open_cluster
from bot.gc_tuning import put_away, relax, return_memory, trim_often
from bot.host_errors import StartError
from bot.metrics import watched
from bot.operations import Workers
from bot.process import asked_to_stop
from bot.services.analysis import Analyst, ReviewBook
from bot.services.challenges import ChallengeService
from bot.services.computer import ComputerPlayers, Replies
from bot.services.explorer import Explorer
from bot.services.hosting import Hosting
from bot.services.matches import MatchService
from bot.services.preferences import PreferenceStore, ServerStore
from bot.services.privacy import PrivacyService
from bot.services.publisher import Publisher
from bot.services.puzzles import PuzzleBook
from bot.services.ratings import RatingBook
from bot.settings import Settings
from bot.storage import open_storage
from engine import warm_up

log = structlog.get_logger(__name__)

CLOSING_SECONDS = 3.0
"""How long a stop waits for the connection to Discord to end by itself."""

QUICK_PICTURE_S = 0.05
"""Pictures that take longer to draw than a board, such as a field, are drawn one at a time."""

LONGEST_PICTURE_WAIT_S = 20.0
"""People who would wait longer for one of those are told to come back later."""


@asynccontextmanager
async def application(settings: Settings, *, sync: bool = False) -> AsyncIterator[GameBot]:
    """Build the bot and everything behind it, and take it down in reverse order.

    Raises:
        StartError: If the database or the cluster cannot be used; the message says why.
    """
    async with (
        open_storage(settings.database_url, settings.shards) as storage,
        open_cluster(settings.cluster) as cluster,
        ComputerPlayers(
            threads=settings.computer_threads, seconds=settings.computer_seconds, cluster=cluster
        ) as computer,
        MatchService(storage, computer) as matches,
        Replies(matches) as replies,
        Publisher[Any](matches) as publisher,
        Analyst(cluster) as analyst,
        Workers(
            "drawing", threads=1, quick_s=QUICK_PICTURE_S, longest_wait_s=LONGEST_PICTURE_WAIT_S
        ) as drawing,
    ):
        preferences, servers = PreferenceStore(storage), ServerStore(storage)
        bot = GameBot(
            settings=settings,
            matches=matches,
            challenges=ChallengeService(matches),
            replies=replies,
            publisher=publisher,
            ratings=RatingBook(storage),
            preferences=preferences,
            servers=servers,
            privacy=PrivacyService(
                matches,
                forget=[preferences.forget, publisher.forget_player],
                forget_guild=[servers.forget],
            ),
            hosting=Hosting(matches),
            analyst=analyst,
            reviews=ReviewBook(storage, analyst),
            puzzles=PuzzleBook(storage),
            explorer=Explorer(storage),
            drawing=drawing,
            sync=sync,
        )
        async with bot:
            try:
                yield bot
            finally:
                await bot.drain()


async def run(settings: Settings, *, sync: bool = False, until_eof: bool = False) -> None:
    """Run the bot until SIGTERM or SIGINT, then finish what it has begun and stop.

    With `until_eof` it stops as well when standard input ends: a bot whose sandbox was
    killed would otherwise reconnect forever.

    Raises:
        StartError: If the bot cannot start; the message says what to do.
    """
    if settings.discord_token is None:
        raise StartError(
            "DISCORD_TOKEN is not set. Put the bot's token in the environment or in .env, "
            "or play without Discord: python -m bot start."
        )
    point_at(settings)
    return_memory()
    async with application(settings, sync=sync) as bot, watched(bot, settings):
        with asked_to_stop(until_eof=until_eof) as stop:
            # The kernels are read from the disk while Discord answers the login.
            warming = asyncio.create_task(asyncio.to_thread(warm_up))
            client = asyncio.create_task(bot.serve(settings.discord_token))
            stopping = asyncio.create_task(stop.wait())
            asked = asyncio.create_task(bot.stop_asked.wait())
            trimming = asyncio.create_task(trim_often())
            try:
                await warming
                relax()
                put_away("libllvmlite")
                await asyncio.wait({client, stopping, asked}, return_when=asyncio.FIRST_COMPLETED)
                if client.done():
                    client.result()
                else:
                    log.info("stopping")
                    await bot.drain()
                    await bot.close()
                    # A client that Discord never answered would keep trying for half a minute.
                    await asyncio.wait({client}, timeout=CLOSING_SECONDS)
                    if client.done():
                        client.result()
            finally:
                tasks = (warming, client, stopping, asked, trimming)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
    log.info("stopped")
