"""`/leaderboard` and `/profile`."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.ratings import Period, RatingChange, pool_of
from cogs.answering import answering
from cogs.ratings import pictures, texts
from cogs.variants import OPTION_HELP as VARIANT_HELP
from cogs.variants import UnratedVariantError, complete_variant, read_variant
from cogs.views import sealed
from engine import load_variant

if TYPE_CHECKING:
    from bot.client import GameBot

IMAGE_NAME = "profile.png"
PERIOD_CHOICES = [
    app_commands.Choice(name="All time", value=Period.ALL.name),
    app_commands.Choice(name="The last 30 days", value=Period.MONTH.name),
    app_commands.Choice(name="The last 7 days", value=Period.WEEK.name),
]


class Ratings(commands.Cog):
    """Who plays how well."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(
        variant=VARIANT_HELP,
        everywhere="Players of all servers; only of this one if left out",
        period="Ratings of all time, or points won lately",
    )
    @app_commands.choices(period=PERIOD_CHOICES)
    @app_commands.autocomplete(variant=complete_variant)
    async def leaderboard(
        self,
        interaction: discord.Interaction[GameBot],
        variant: str = "standard",
        everywhere: bool = False,
        period: str = Period.ALL.name,
    ) -> None:
        """See the best players of a variant, and where you stand."""
        async with answering(interaction):
            pool = pool_of(load_variant(read_variant(variant)).rules)
            if pool is None:
                raise UnratedVariantError(variant)
            guild_id = None if everywhere else interaction.guild_id
            span, ratings = Period[period], self.bot.ratings
            page = await ratings.leaderboard(pool, guild_id=guild_id, period=span, limit=texts.ROWS)
            own = await ratings.rank_of(interaction.user.id, pool, guild_id, span)
            text = texts.leaderboard(
                page, own, pool=pool, period=span, in_server=guild_id is not None
            )
            await interaction.response.send_message(view=sealed(discord.ui.TextDisplay(text)))

    @app_commands.command()
    @app_commands.describe(player="Whose profile; your own if left out")
    async def profile(
        self, interaction: discord.Interaction[GameBot], player: discord.User | None = None
    ) -> None:
        """See a player's rating, record, streaks and achievements."""
        async with answering(interaction):
            who = player or interaction.user
            found = await self.bot.ratings.profile_of(who.id)
            points: tuple[RatingChange, ...] = ()
            if found.ratings:
                points = await self.bot.ratings.points_of(who.id, found.ratings[0].pool)
            png, alt = await asyncio.to_thread(pictures.profile, who.display_name, found, points)
            image = discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=alt)
            view = sealed(
                discord.ui.TextDisplay(texts.profile(who.display_name, found)),
                discord.ui.MediaGallery[Any](image),
            )
            file = discord.File(io.BytesIO(png), filename=IMAGE_NAME)
            await interaction.response.send_message(view=view, file=file)
