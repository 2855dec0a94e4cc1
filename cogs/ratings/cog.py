"""`/leaderboard` and `/profile`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.model.ratings.pools import pool_of
from bot.model.ratings.values import Period
from cogs.answering import answering
from cogs.audience import own_presentation
from cogs.ratings.board import post_board
from cogs.ratings.ids import BoardState, Page, ProfileState
from cogs.ratings.profiles import post_profile
from cogs.variants import OPTION_HELP as VARIANT_HELP
from cogs.variants import UnratedVariantError, complete_variant, read_variant
from engine import load_variant

if TYPE_CHECKING:
    from bot.client import GameBot

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
        everywhere="Players of all servers; default: this one",
        period="Ratings of all time, or points won lately",
        text="As text instead of a picture; default: as in your settings",
    )
    @app_commands.choices(period=PERIOD_CHOICES)
    @app_commands.autocomplete(variant=complete_variant)
    async def leaderboard(
        self,
        interaction: discord.Interaction[GameBot],
        variant: str = "standard",
        everywhere: bool = False,
        period: str = Period.ALL.name,
        text: bool | None = None,
    ) -> None:
        """See the best players of a variant, and where you stand."""
        async with answering(interaction):
            pool = _pool(variant)
            user_id, guild_id = interaction.user.id, interaction.guild_id
            if guild_id is not None:
                await self.bot.ratings.note_member(user_id, guild_id)
            if text is None:
                text = (await own_presentation(interaction)).text_board
            state = BoardState(
                owner=user_id,
                pool=pool,
                everywhere=everywhere or guild_id is None,
                period=Period[period],
                as_text=text,
            )
            await post_board(interaction, state)

    @app_commands.command()
    @app_commands.describe(
        player="Whose profile; default: yours",
        against="Compare with this player: all games between the two",
        variant="The rating of which variant; default: the one played most",
    )
    @app_commands.autocomplete(variant=complete_variant)
    async def profile(
        self,
        interaction: discord.Interaction[GameBot],
        player: discord.User | None = None,
        against: discord.User | None = None,
        variant: str | None = None,
    ) -> None:
        """See a player's rating, record, streaks and achievements."""
        async with answering(interaction):
            who = player or interaction.user
            state = ProfileState(
                page=Page.CARD if against is None else Page.VERSUS,
                owner=interaction.user.id,
                who=who.id,
                pool=None if variant is None else _pool(variant),
                against=0 if against is None else against.id,
            )
            names = {each.id: each.display_name for each in (who, against) if each is not None}
            await post_profile(interaction, state, names=names)


def _pool(variant: str) -> str:
    """Return the pool of a variant that was typed.

    Raises:
        UnratedVariantError: If its rules are none of the named ones.
    """
    chosen = load_variant(read_variant(variant))
    pool = pool_of(chosen.rules)
    if pool is None:
        raise UnratedVariantError(chosen)
    return pool
