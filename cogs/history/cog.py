"""`/history` and `/game`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.language import _
from bot.model.errors import PlayerError
from cogs.answering import answering
from cogs.games import complete_any_game, game_seen
from cogs.history.ids import HistoryState
from cogs.history.pages import post_game, post_history
from cogs.variants import complete_variant, name_of, read_variant
from engine import VARIANTS, Variant, load_variant

if TYPE_CHECKING:
    from bot.client import GameBot

RESULT_CHOICES = [
    app_commands.Choice(name="Won", value="w"),
    app_commands.Choice(name="Drawn", value="d"),
    app_commands.Choice(name="Lost", value="l"),
]


class CustomRulesError(PlayerError):
    """Games are found by the name of their variant.

    Attributes:
        variant: What was asked for.
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        words = _("Games can be found by named variants only, and {variant} is none.")
        super().__init__(words.format(variant=name_of(variant)))


class History(commands.Cog):
    """Games that were played."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(
        player="Whose games; default: yours",
        variant="Only games of this variant",
        opponent="Only games against this player",
        result="Only games that ended like this",
        rated="Only rated games, or only casual ones",
        computer="Only games against the computer, or only games against people",
    )
    @app_commands.choices(result=RESULT_CHOICES)
    @app_commands.autocomplete(variant=complete_variant)
    async def history(
        self,
        interaction: discord.Interaction[GameBot],
        player: discord.User | None = None,
        variant: str | None = None,
        opponent: discord.User | None = None,
        result: str | None = None,
        rated: bool | None = None,
        computer: bool | None = None,
    ) -> None:
        """List the finished games of a player, the newest first."""
        async with answering(interaction):
            who = player or interaction.user
            state = HistoryState(
                who=who.id,
                opponent=0 if opponent is None else opponent.id,
                variant=None if variant is None else _named(variant),
                result=result,
                rated=rated,
                computer=computer,
            )
            names = {each.id: each.display_name for each in (who, opponent) if each is not None}
            await post_history(interaction, state, names=names)

    @app_commands.command()
    @app_commands.describe(number="The number of any game, shown below its board")
    @app_commands.autocomplete(number=complete_any_game)
    async def game(
        self, interaction: discord.Interaction[GameBot], number: app_commands.Range[int, 1]
    ) -> None:
        """See any game, finished or not: board, result, moves; share it if you like."""
        async with answering(interaction):
            await post_game(interaction, await game_seen(interaction, number))


def _named(variant: str) -> str:
    """Return the key of a named variant that was typed.

    Raises:
        CustomRulesError: If its rules are none of the named ones.
    """
    key = read_variant(variant)
    if key not in VARIANTS:
        raise CustomRulesError(load_variant(key))
    return key
