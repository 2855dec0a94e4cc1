"""`/privacy`, and what is dropped by itself: servers the bot has left, and old notes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import discord
import structlog
from discord import app_commands
from discord.ext import commands

from bot.model.errors import PlayerError
from cogs.answering import answer, answering
from cogs.privacy.layout import policy_view
from cogs.privacy.leftovers import Leftovers

if TYPE_CHECKING:
    from bot.client import GameBot

TIDY_EVERY_S = 24 * 3600

log = structlog.get_logger(__name__)


class Privacy(commands.Cog):
    """Everybody's own data."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        self.leftovers = Leftovers(bot)

    async def cog_load(self) -> None:
        """Begin to tidy up, and to edit what a deletion before the last stop has left."""
        self._tidying = asyncio.create_task(self._tidy_up(), name="tidying")
        self._editing = asyncio.create_task(self.leftovers.run(), name="leftovers")

    async def cog_unload(self) -> None:
        """Stop both."""
        for task in (self._tidying, self._editing):
            task.cancel()
        await asyncio.gather(self._tidying, self._editing, return_exceptions=True)

    @app_commands.command()
    async def privacy(self, interaction: discord.Interaction[GameBot]) -> None:
        """See what is stored about you, get it as a file, or have it deleted."""
        async with answering(interaction):
            view = policy_view(self.bot.settings.host_contact)
            await answer(interaction, view=view, ephemeral=True)

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Drop what belongs to servers that were left while the bot was away."""
        await self._note_guilds()

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that the bot is in one more server."""
        log.info("server joined", guild=guild.id)
        await self._note_guilds()

    async def _note_guilds(self) -> None:
        assert self.bot.application_id is not None, "known since the login"
        with self.bot.working():
            here = [guild.id for guild in self.bot.guilds]
            for guild_id in await self.bot.privacy.note_guilds(self.bot.application_id, here):
                log.info("server forgotten", guild=guild_id)

    @commands.Cog.listener()
    async def on_erased(self) -> None:
        """Begin to edit what they have left in channels."""
        self.leftovers.call()

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Drop what belongs to a server that the bot is not in any more."""
        with self.bot.working():
            await self.bot.privacy.forget_guild(guild.id)
        log.info("server forgotten", guild=guild.id)

    async def _tidy_up(self) -> None:
        """Drop once a day what there is no reason to keep."""
        while True:
            try:
                await self.bot.privacy.tidy_up()
            except PlayerError as error:  # a full disk, say; tomorrow is another day
                log.warning("not tidied up", reason=str(error))
            await asyncio.sleep(TIDY_EVERY_S)
