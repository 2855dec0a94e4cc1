"""Buttons and commands of another version: people would see "This interaction failed" otherwise."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import DISCORD_FAILURES, GameBot, Interaction
from bot.language import _
from bot.model.errors import PlayerError
from cogs.answering import answering


class Strays(commands.Cog):
    """Buttons that nothing takes, and commands that do not fit."""

    @commands.Cog.listener()
    async def on_stray(self, interaction: Interaction) -> None:
        """Answer a press of a button or menu that nothing takes."""
        if await interaction.client.admits(interaction):
            async with answering(interaction):
                raise PlayerError(
                    _("This button is out of date. Use the command again for a new one.")
                )


async def _answer_command(
    interaction: discord.Interaction[Any], error: app_commands.AppCommandError
) -> None:
    if interaction.type is discord.InteractionType.autocomplete:
        with suppress(*DISCORD_FAILURES):
            await interaction.response.autocomplete([])
        return
    async with answering(interaction):
        # Discord checks values before it sends them, by the commands as this client knew them.
        if isinstance(error, app_commands.CommandInvokeError):
            raise error
        words = _("This command has changed. Reload Discord, then use it again.")
        raise PlayerError(words) from error


async def setup(bot: GameBot) -> None:
    """Answer what nothing else answers; features handle their own errors."""
    bot.tree.error(_answer_command)
    await bot.add_cog(Strays())
