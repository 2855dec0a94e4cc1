"""`/challenge` and `/lobby`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.services.clock_scheduler import ClockScheduler
from cogs.answering import answer, answering
from cogs.challenge.layout import lobby_view
from cogs.challenge.showing import post_challenge, refresh_challenge, require_audience
from cogs.clocks import OPTION_HELP as CLOCK_HELP
from cogs.clocks import clock_meant, complete_clock
from cogs.people import person_of
from cogs.places import playing_here
from cogs.rated import require_rateable
from cogs.variants import START_HELP, complete_variant, variant_meant
from engine import O, X

if TYPE_CHECKING:
    from bot.client import GameBot
    from bot.model.match import Match
    from bot.services.clocks import Reminder

COLOUR_CHOICES = [
    app_commands.Choice(name="X, and move first", value=X),
    app_commands.Choice(name="O, and move second", value=O),
]


class Challenges(commands.Cog):
    """Games between people."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    async def cog_load(self) -> None:
        """Begin to keep time."""
        self._time = asyncio.create_task(self._keep_time(), name="deadlines")

    async def cog_unload(self) -> None:
        """Stop keeping time."""
        self._time.cancel()
        await asyncio.gather(self._time, return_exceptions=True)

    @app_commands.command()
    @app_commands.describe(
        player="Who to challenge; leave empty to let anyone accept",
        variant=START_HELP,
        colour="Your marks; random if left empty",
        opening="The opening's code, for variants with a random one: 51837; random if left empty",
        clock=CLOCK_HELP,
        rated="Whether it counts for your ratings; default: no",
    )
    @app_commands.choices(colour=COLOUR_CHOICES)
    @app_commands.autocomplete(variant=complete_variant, clock=complete_clock)
    async def challenge(
        self,
        interaction: discord.Interaction[GameBot],
        player: discord.User | None = None,
        variant: str | None = None,
        colour: int | None = None,
        opening: str | None = None,
        clock: str | None = None,
        rated: bool = False,
    ) -> None:
        """Challenge someone to a game, or offer one to anyone."""
        async with answering(interaction):
            settings = await playing_here(interaction)
            key = variant_meant(variant, settings)
            await require_audience(interaction, player)
            if rated:
                require_rateable(self.bot, key, interaction.user, player)
            challenge = await self.bot.challenges.offer(
                challenger=person_of(interaction.user),
                opponent=None if player is None else person_of(player),
                variant_key=key,
                opening_code=opening.strip() if opening else None,
                side=colour,
                rated=rated,
                clock=clock_meant(clock, settings),
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
                user_id=interaction.user.id,
            )
            await answer(interaction, view=lobby_view(waiting), ephemeral=True)

    async def _keep_time(self) -> None:
        """Settle what runs out while the bot is online, and show it."""
        await self.bot.wait_until_ready()
        await ClockScheduler(
            self.bot.matches,
            self.bot.challenges,
            on_settled=self._settled,
            on_reminder=self._remind,
            on_expired=partial(refresh_challenge, self.bot),
        ).run()

    async def _settled(self, match: Match) -> None:
        """See to it that a match lost on time is shown so."""
        self.bot.publisher.check(match.id)

    async def _remind(self, reminder: Reminder) -> None:
        """Pass a reminder on to those who tell players what is new."""
        self.bot.dispatch("reminder", reminder)
