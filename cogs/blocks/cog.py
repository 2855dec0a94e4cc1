"""`/block`, `/unblock` and `/blocks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from cogs.answering import answer, answering
from cogs.blocks import texts
from cogs.challenge.showing import refresh_challenge

if TYPE_CHECKING:
    from bot.client import GameBot


class Blocks(commands.Cog):
    """Whom somebody does not want to have to do with. All answers are private."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(player="Who to block; they won't be told")
    async def block(self, interaction: discord.Interaction[GameBot], player: discord.User) -> None:
        """Stop someone from challenging you."""
        async with answering(interaction):
            closed = await self.bot.challenges.block(interaction.user.id, player.id)
            said = texts.blocked(player.display_name, len(closed))
            await answer(interaction, said, ephemeral=True)
            for challenge in closed:
                await refresh_challenge(self.bot, challenge)

    @app_commands.command()
    @app_commands.describe(player="Who to unblock")
    async def unblock(
        self, interaction: discord.Interaction[GameBot], player: discord.User
    ) -> None:
        """Let someone challenge you again."""
        async with answering(interaction):
            was_blocked = player.id in await self.bot.challenges.blocked_by(interaction.user.id)
            await self.bot.challenges.unblock(interaction.user.id, player.id)
            said = texts.unblocked if was_blocked else texts.was_not_blocked
            await answer(interaction, said(player.display_name), ephemeral=True)

    @app_commands.command()
    async def blocks(self, interaction: discord.Interaction[GameBot]) -> None:
        """See who you've blocked."""
        async with answering(interaction):
            blocked = await self.bot.challenges.blocked_by(interaction.user.id)
            await answer(interaction, texts.blocks(blocked), ephemeral=True)
