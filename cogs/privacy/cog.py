"""`/privacy` with its buttons, and what is dropped automatically: servers left, and old notes.

Its messages are private: only their reader can press.
"""

from __future__ import annotations

import asyncio
import io
from typing import Any

import discord
import structlog
from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.language import _, label
from bot.model.errors import PlayerError
from bot.operations import HEAVY
from bot.services.privacy import packed
from bot.storage.erasing import Outdated, Subject
from cogs.answering import (
    GameItem,
    answer,
    answering,
    button,
    defer,
    fulfil,
    sealed,
    update_clicked,
)
from cogs.privacy import texts
from cogs.privacy.leftovers import edit, edit_all

# Custom ids: add some, never change one. None names a person: each is about its user.
GET = "privacy:get"
DELETE = "privacy:delete"
REALLY_DELETE = "privacy:really-delete"
KEEP = "privacy:keep"

TIDY_EVERY_S = 24 * 3600

log = structlog.get_logger(__name__)


class Privacy(commands.Cog):
    """Everybody's own data."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        self._erased = asyncio.Event()

    async def cog_load(self) -> None:
        """Start tidying up, and editing what a deletion before the last stop has left."""
        self._tidying = asyncio.create_task(self._tidy_up(), name="tidying")
        self._editing = asyncio.create_task(edit_all(self.bot, self._erased), name="leftovers")

    async def cog_unload(self) -> None:
        """Stop both."""
        for task in (self._tidying, self._editing):
            task.cancel()
        await asyncio.gather(self._tidying, self._editing, return_exceptions=True)

    @app_commands.command()
    async def privacy(self, interaction: Interaction) -> None:
        """See what is stored about you, get it as a file, or have it deleted."""
        async with answering(interaction):
            primary, danger = discord.ButtonStyle.primary, discord.ButtonStyle.danger
            buttons = [
                button(label("Get my data"), GET, style=primary),
                button(label("Delete my data"), DELETE, style=danger),
            ]
            view = sealed(texts.policy(self.bot.settings.host_contact), buttons)
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
        shards = self.bot.settings.shards
        serves = (lambda _: True) if shards is None else shards.serve
        with self.bot.working():
            here = [guild.id for guild in self.bot.guilds]
            left = await self.bot.privacy.note_guilds(self.bot.application_id, here, serves)
            for guild_id in left:
                log.info("server forgotten", guild=guild_id)

    @commands.Cog.listener()
    async def on_erased(self) -> None:
        """Begin to edit what they have left in channels."""
        self._erased.set()

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


class GetButton(GameItem, template=GET):
    """Gives users a file with their data."""

    cost = HEAVY

    async def pressed(self, interaction: Interaction) -> None:
        """Answer with the file, which may take a while to write."""
        await defer(interaction, ephemeral=True, thinking=True)
        found = await interaction.client.privacy.export(interaction.user.id)
        limit, who = interaction.filesize_limit, interaction.user.id
        name, content = await interaction.client.drawing.run(packed, found, limit, who=who)
        file = discord.File(io.BytesIO(content), filename=name)
        view = sealed(texts.handed_out(), discord.ui.File[Any](f"attachment://{name}"))
        await fulfil(interaction, view=view, files=[file])


class DeleteButton(GameItem, template=DELETE):
    """Asks whether to delete the user's data."""

    async def pressed(self, interaction: Interaction) -> None:
        """Say what would be lost, and ask."""
        found = await interaction.client.privacy.holdings_of(interaction.user.id)
        yes = button(label("Yes, delete it all"), REALLY_DELETE, style=discord.ButtonStyle.danger)
        buttons = [yes, button(label("Keep my data"), KEEP)]
        await answer(interaction, view=sealed(texts.question(found), buttons), ephemeral=True)


class ReallyDeleteButton(GameItem, template=REALLY_DELETE):
    """Deletes the user's data."""

    async def pressed(self, interaction: Interaction) -> None:
        """Delete everything, say so, and show others what has changed for them."""
        bot = interaction.client
        await defer(interaction)
        erased = await bot.privacy.erase(interaction.user.id)
        await fulfil(interaction, view=sealed(texts.deleted(len(erased.matches))))
        # The games that were given up and the challenges that were closed.
        for number in erased.matches:
            await edit(bot, Outdated(Subject.MATCH, number))
        for number in erased.challenges:
            await edit(bot, Outdated(Subject.CHALLENGE, number))
        bot.dispatch("erased")


class KeepButton(GameItem, template=KEEP):
    """Leaves everything as it is."""

    async def pressed(self, interaction: Interaction) -> None:
        """Close the question."""
        await update_clicked(interaction, view=sealed(_("Nothing was deleted.")))


async def setup(bot: GameBot) -> None:
    """Add the command, its buttons, and the daily tidying."""
    bot.add_dynamic_items(GetButton, DeleteButton, ReallyDeleteButton, KeepButton)
    await bot.add_cog(Privacy(bot))
