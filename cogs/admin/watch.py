"""Automatic tasks: showing maintenance in the bot's presence, and reporting failed backups."""

from __future__ import annotations

import asyncio
from typing import Final

import discord
import structlog
from discord.ext import commands

from bot.client import DISCORD_FAILURES, GameBot
from bot.model.errors import PlayerError
from bot.storage.backups import last_backup
from cogs.answering import DiscordError, Fault, asking

LOOKS_EVERY_S: Final = 60.0

NO_WORDS: Final = "Maintenance: no new games for now"

log = structlog.get_logger(__name__)


class HostWatch(commands.Cog):
    """Looks once a minute, and when something has been announced."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        self._shown: str | None = None

    async def cog_load(self) -> None:
        """Start watching; what was announced before a restart is shown from the start."""
        self._shown = self._announced()
        self.bot.activity = _activity(self._shown)
        self._watching = asyncio.create_task(self._watch(), name="host")

    async def cog_unload(self) -> None:
        """Stop watching."""
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)

    async def _watch(self) -> None:
        await self.bot.ready_once.wait()
        while True:
            try:
                await self.show()
                await self.tell_of_backup()
            except (DiscordError, PlayerError) as error:
                log.warning("the host was not told", reason=str(error))
            except Exception:
                log.exception("the host was not told")
            await asyncio.sleep(LOOKS_EVERY_S)

    @commands.Cog.listener()
    async def on_maintenance(self) -> None:
        """Show at once what has been announced."""
        with self.bot.working():
            await self.show()

    def _announced(self) -> str | None:
        announced = self.bot.hosting.maintenance
        return None if announced is None else announced.words or NO_WORDS

    async def show(self) -> None:
        """Show announced maintenance in the bot's presence, until it is over."""
        words = self._announced()
        if words == self._shown:
            return
        self.bot.activity = _activity(words)  # for connections that are made later
        try:
            await self.bot.change_presence(activity=self.bot.activity)
        except (*DISCORD_FAILURES, discord.ConnectionClosed, AttributeError) as error:
            log.info("presence not changed", reason=str(error))  # connecting: again in a minute
        else:
            self._shown = words

    async def tell_of_backup(self) -> None:
        """Tell the hosts, once, that the last backup failed or that there was none since.

        Raises:
            DiscordError: If no host can be written to now.
            StorageFailedError: If it could not be noted.
        """
        bot, hosting = self.bot, self.bot.hosting
        last = await asyncio.to_thread(last_backup, bot.settings.backup_folder)
        problem = None if last is None else last.problem(bot.matches.clock())
        if last is None or problem is None:
            return
        failure = f"{last.at.isoformat()} {bool(last.broken)}"
        if await hosting.is_told(failure):
            return
        log.error("no sound backup", problem=problem, file=last.file)
        content = f"{problem[:1500]}\n`python -m bot doctor` says more."
        await _write_to_hosts(bot, content, nonce=f"backup.{last.at.timestamp():.0f}")
        await hosting.note_told(failure)


async def _write_to_hosts(bot: GameBot, content: str, nonce: str) -> None:
    """Write to all hosts of the bot who can be written to; once for each nonce.

    Raises:
        DiscordError: If that is worth trying again, or Discord does not say who they are.
    """
    told, passing = 0, None
    with asking():
        await bot.is_owner(discord.Object(0))  # type: ignore[arg-type]  # learns who it is
    for user_id in bot.owner_ids or {bot.owner_id or 0}:
        try:
            with asking():
                channel = await bot.create_dm(discord.Object(user_id))
                await channel.send(content, nonce=nonce)
            told += 1
        except DiscordError as error:
            log.warning("a host cannot be written to", user=user_id, reason=str(error))
            passing = error if error.fault is Fault.PASSING else passing
    if passing is not None and not told:
        raise passing


def _activity(words: str | None) -> discord.CustomActivity | None:
    return None if words is None else discord.CustomActivity(name=words)
