"""`/challenge` and `/lobby`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands, tasks

from cogs.answering import answering
from cogs.challenge.layout import lobby_view
from cogs.challenge.showing import post_challenge, refresh_challenge
from cogs.people import person_of
from cogs.variants import OPTION_HELP as VARIANT_HELP
from cogs.variants import complete_variant, read_variant
from engine import O, X

if TYPE_CHECKING:
    from bot.client import GameBot

COLOUR_CHOICES = [
    app_commands.Choice(name="X, and move first", value=X),
    app_commands.Choice(name="O, and move second", value=O),
]


class Challenges(commands.Cog):
    """Games between people."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    async def cog_load(self) -> None:
        """Begin to look for challenges that nobody answered."""
        self.close_expired.start()

    async def cog_unload(self) -> None:
        """Stop looking."""
        self.close_expired.cancel()

    @app_commands.command()
    @app_commands.describe(
        player="Whom to challenge; anyone may take it if left out",
        variant=VARIANT_HELP,
        colour="Your marks; by lot if left out",
        code="The opening's code, for variants that draw one: 51837; drawn if left out",
    )
    @app_commands.choices(colour=COLOUR_CHOICES)
    @app_commands.autocomplete(variant=complete_variant)
    async def challenge(
        self,
        interaction: discord.Interaction[GameBot],
        player: discord.User | None = None,
        variant: str = "standard",
        colour: int | None = None,
        code: str | None = None,
    ) -> None:
        """Challenge somebody to a game, or offer one to anyone."""
        async with answering(interaction):
            challenge = await self.bot.challenges.offer(
                challenger=person_of(interaction.user),
                opponent=None if player is None else person_of(player),
                variant_key=read_variant(variant),
                opening_code=code.strip() if code else None,
                side=colour,
                channel_id=interaction.channel_id,
                guild_id=interaction.guild_id,
            )
            await post_challenge(interaction, challenge)

    @app_commands.command()
    async def lobby(self, interaction: discord.Interaction[GameBot]) -> None:
        """See who is looking for an opponent here."""
        async with answering(interaction):
            waiting = await self.bot.challenges.open_challenges(
                guild_id=interaction.guild_id,
                channel_id=None if interaction.guild_id else interaction.channel_id,
            )
            others = [each for each in waiting if each.challenger.id != interaction.user.id]
            await interaction.response.send_message(view=lobby_view(others), ephemeral=True)

    @tasks.loop(minutes=1)
    async def close_expired(self) -> None:
        """Show the challenges whose time is over as closed."""
        for challenge in await self.bot.challenges.expire():
            await refresh_challenge(self.bot, challenge)

    @close_expired.before_loop
    async def _until_ready(self) -> None:
        await self.bot.wait_until_ready()
