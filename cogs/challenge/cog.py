"""`/challenge` and `/lobby`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import discord
import structlog
from discord import app_commands
from discord.ext import commands

from bot.errors import NotRatedError, PlayerError
from bot.matches import ClockRules, Deadlines
from cogs.answering import answering
from cogs.challenge.layout import lobby_view
from cogs.challenge.showing import post_challenge, refresh_challenge
from cogs.people import person_of
from cogs.play.showing import refresh_posted
from cogs.variants import OPTION_HELP as VARIANT_HELP
from cogs.variants import complete_variant, read_variant
from engine import O, X, load_variant

if TYPE_CHECKING:
    from bot.client import GameBot
    from bot.matches import Reminder

log = structlog.get_logger(__name__)

Anybody = discord.User | discord.Member

COLOUR_CHOICES = [
    app_commands.Choice(name="X, and move first", value=X),
    app_commands.Choice(name="O, and move second", value=O),
]


CLOCKS = ("none", "1d", "3d", "7d", "3+2", "5+3", "10+5", "30+20")


async def complete_clock(
    _interaction: discord.Interaction[GameBot], current: str
) -> list[app_commands.Choice[str]]:
    """Offer usual clocks, and what was typed if it is one."""
    try:
        typed = [ClockRules.parse(current)] if current.strip() else []
    except PlayerError:
        typed = []
    offered = typed or [ClockRules.parse(each) for each in CLOCKS if current.strip() in each]
    return [app_commands.Choice(name=each.words, value=each.key) for each in offered]


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
        player="Whom to challenge; anyone may take it if left out",
        variant=VARIANT_HELP,
        colour="Your marks; by lot if left out",
        code="The opening's code, for variants that draw one: 51837; drawn if left out",
        clock="Time to think: 3d or 36h a move, 5+3 (minutes + seconds a move); none if left out",
        rated="Whether it counts for your ratings; no if left out",
    )
    @app_commands.choices(colour=COLOUR_CHOICES)
    @app_commands.autocomplete(variant=complete_variant, clock=complete_clock)
    async def challenge(
        self,
        interaction: discord.Interaction[GameBot],
        player: discord.User | None = None,
        variant: str = "standard",
        colour: int | None = None,
        code: str | None = None,
        clock: str = "none",
        rated: bool = False,
    ) -> None:
        """Challenge somebody to a game, or offer one to anyone."""
        async with answering(interaction):
            key = read_variant(variant)
            if rated:
                self._require_rateable(key, interaction.user, player)
            challenge = await self.bot.challenges.offer(
                challenger=person_of(interaction.user),
                opponent=None if player is None else person_of(player),
                variant_key=key,
                opening_code=code.strip() if code else None,
                side=colour,
                rated=rated,
                clock=ClockRules.parse(clock),
                channel_id=interaction.channel_id,
                guild_id=interaction.guild_id,
            )
            await post_challenge(interaction, challenge)

    def _require_rateable(self, key: str, challenger: Anybody, opponent: Anybody | None) -> None:
        """Raise if this game could not count: better told now than after it."""
        ids = [each.id for each in (challenger, opponent) if each is not None]
        reason = self.bot.ratings.why_not_rated(load_variant(key).rules, ids)
        if reason is not None:
            raise NotRatedError(reason.sentence)

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

    async def _keep_time(self) -> None:
        """Settle what runs out while the bot is online, and show it."""
        await self.bot.wait_until_ready()
        await Deadlines(
            self.bot.matches,
            self.bot.challenges,
            on_settled=partial(refresh_posted, self.bot),
            on_reminder=_remind,
            on_expired=partial(refresh_challenge, self.bot),
        ).run()


async def _remind(reminder: Reminder) -> None:
    """Note a reminder. Nobody can ask for one on Discord yet, so none is sent."""
    log.info("reminder due", match=reminder.match.id)
