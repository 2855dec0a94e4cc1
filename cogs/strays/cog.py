"""Answers for what no feature takes: else people see "This interaction failed"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.language import _
from bot.model.errors import PlayerError
from cogs.answering import answering

if TYPE_CHECKING:
    from bot.client import GameBot

PRESSES = (discord.InteractionType.component, discord.InteractionType.modal_submit)


class OldButtonError(PlayerError):
    """The button or menu does nothing any more."""

    def __init__(self) -> None:
        super().__init__(_("This button is out of date. Use the command again for a new one."))


class OldCommandError(PlayerError):
    """The command is no longer used like this."""

    def __init__(self) -> None:
        super().__init__(_("This command has changed. Reload Discord, then use it again."))


class Strays(commands.Cog):
    """Buttons that nothing takes, and commands that do not fit."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    async def cog_load(self) -> None:
        """Receive what is wrong with commands; features answer for what goes wrong in them."""
        self.bot.tree.error(_answer_command)

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction[GameBot]) -> None:
        """Answer a press of a button or menu that nothing takes."""
        if interaction.type not in PRESSES:
            return
        data: Any = interaction.data
        if self._is_taken(data["custom_id"]) or not await self.bot.admits(interaction):
            return
        async with answering(interaction):
            raise OldButtonError

    def _is_taken(self, custom_id: str) -> bool:
        return any(each.fullmatch(custom_id) for each in self.bot.templates)


async def _answer_command(
    interaction: discord.Interaction[Any], error: app_commands.AppCommandError
) -> None:
    if interaction.type is discord.InteractionType.autocomplete:
        return
    async with answering(interaction):
        # Discord checks values before it sends them, by the commands as they were for this client.
        if isinstance(error, app_commands.CommandInvokeError):
            raise error
        raise OldCommandError from error
