"""`/hint`, `/review` and `/replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.language import _
from bot.model.errors import MatchError, MatchOverError, NotYourTurnError
from bot.model.match import Match
from cogs.analysis import texts
from cogs.analysis.pages import finished_game, post_replay, post_review
from cogs.answering import answering, defer, fulfil
from cogs.games import OPTION_HELP as GAME_HELP
from cogs.games import complete_any_game, complete_game, game_meant
from cogs.views import sealed

if TYPE_CHECKING:
    from bot.client import GameBot


ANY_GAME_HELP = "The number of a game; default: your latest in this channel"


class AnalysisCog(commands.Cog):
    """The engine's opinion."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(game=GAME_HELP)
    @app_commands.autocomplete(game=complete_game)
    async def hint(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """See the three best moves with their chances, in private."""
        async with answering(interaction):
            match = await game_meant(interaction, game)
            _require_turn(match, interaction.user.id)
            # Thinking may have to wait for other players' hints.
            await defer(interaction, ephemeral=True)
            found = await self.bot.analyst.hints(match.position)
            view = sealed(discord.ui.TextDisplay(texts.hints(match, found)))
            await fulfil(interaction, view=view)

    @app_commands.command()
    @app_commands.describe(game=ANY_GAME_HELP)
    @app_commands.autocomplete(game=complete_any_game)
    async def review(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """Analyse a finished game: accuracy, turning points, better moves."""
        async with answering(interaction):
            await post_review(interaction, await finished_game(interaction, game))

    @app_commands.command()
    @app_commands.describe(game=ANY_GAME_HELP)
    @app_commands.autocomplete(game=complete_any_game)
    async def replay(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """Watch an animated replay of a finished game."""
        async with answering(interaction):
            await post_replay(interaction, await finished_game(interaction, game))


def _require_turn(match: Match, user_id: int) -> None:
    """Raise unless the player is to move: hints are for one's own decisions."""
    if match.is_over:
        raise MatchOverError(match)
    seat = match.seat_to_move
    if seat is None or seat.player_id != user_id:
        raise NotYourTurnError(match)
    if match.rated:
        raise MatchError(match, _("This game is rated: there are no hints in it."))
