"""`/leaderboard` and `/profile`, and the buttons below them."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.language import _, told
from bot.model.errors import PlayerError
from bot.model.ratings.pools import pool_of
from bot.model.ratings.values import BoardKind, Period
from cogs.answering import GameItem, answering
from cogs.audience import own_presentation
from cogs.options import VARIANT_HELP, complete_variant, read_variant
from cogs.pages import belongs_to
from cogs.ratings.pages import (
    BOARD,
    PROFILE,
    BoardState,
    Page,
    ProfileState,
    post_board,
    post_profile,
)
from engine import load_variant

PERIOD_CHOICES = [
    app_commands.Choice(name="All time", value=Period.ALL.name),
    app_commands.Choice(name="The last 30 days", value=Period.MONTH.name),
    app_commands.Choice(name="The last 7 days", value=Period.WEEK.name),
]


KIND_CHOICES = [
    app_commands.Choice(name="Rating", value=BoardKind.RATING.name),
    app_commands.Choice(name="Games won in this server", value=BoardKind.WINS.name),
]


class Ratings(commands.Cog):
    """Who plays how well."""

    @app_commands.command()
    @app_commands.describe(
        variant=VARIANT_HELP,
        everywhere="Players of all servers; default: this one",
        period="All time, or only points gained lately",
        by="How players are ranked; default: rating",
        text="As text instead of a picture; default: as in your settings",
    )
    @app_commands.choices(period=PERIOD_CHOICES, by=KIND_CHOICES)
    @app_commands.autocomplete(variant=complete_variant)
    async def leaderboard(
        self,
        interaction: Interaction,
        variant: str = "standard",
        everywhere: bool = False,
        period: str = Period.ALL.name,
        by: str = BoardKind.RATING.name,
        text: bool | None = None,
    ) -> None:
        """See the best players of a variant, and where you stand."""
        async with answering(interaction):
            pool = _pool(variant)
            user_id, guild_id = interaction.user.id, interaction.guild_id
            everywhere = everywhere or guild_id is None
            if text is None:
                text = (await own_presentation(interaction)).text_board
            state = BoardState(
                owner=user_id,
                pool=pool,
                everywhere=everywhere,
                period=Period[period],
                kind=BoardKind[by],
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
        interaction: Interaction,
        player: discord.User | None = None,
        against: discord.User | None = None,
        variant: str | None = None,
    ) -> None:
        """See a player's rating, record, streaks and achievements."""
        async with answering(interaction):
            await _show_profile(interaction, player or interaction.user, against, variant)


@app_commands.context_menu(name="Profile")
async def profile_of_them(interaction: Interaction, player: discord.User) -> None:
    """Show somebody's profile from the menu of their name, as `/profile` does by default."""
    async with answering(interaction):
        await _show_profile(interaction, player)


async def _show_profile(
    interaction: Interaction,
    who: discord.User | discord.Member,
    against: discord.User | None = None,
    variant: str | None = None,
) -> None:
    """Post somebody's profile, or how they did against somebody else."""
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
        PlayerError: If its rules are none of the named ones.
    """
    chosen = load_variant(read_variant(variant))
    pool = pool_of(chosen.rules)
    if pool is None:
        words = _("There are no ratings for {variant}: only named variants are rated.")
        raise PlayerError(words.format(variant=told(chosen.name)))
    return pool


class BoardButton(GameItem, template=BOARD):
    """Turns to another page of a leaderboard, or to another leaderboard."""

    async def pressed(self, interaction: Interaction) -> None:
        """Show it here; to somebody else in a message of their own."""
        state = BoardState.parse(self.custom_id)
        update = belongs_to(interaction, state.owner)
        await post_board(interaction, replace(state, owner=interaction.user.id), update=update)


class ProfileButton(GameItem, template=PROFILE):
    """Turns to another page of a profile."""

    async def pressed(self, interaction: Interaction) -> None:
        """Show it here; to somebody else in a message of their own."""
        state = ProfileState.parse(self.custom_id)
        update = belongs_to(interaction, state.owner)
        await post_profile(interaction, replace(state, owner=interaction.user.id), update=update)


BUTTONS = (BoardButton, ProfileButton)


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    bot.tree.add_command(profile_of_them)
    await bot.add_cog(Ratings())
