"""`/hint`, `/review` and `/replay`."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.errors import MatchNotOverError, MatchOverError, NotYourTurnError
from bot.language import speaking
from bot.matches import Match
from cogs.analysis import pictures, texts
from cogs.answering import answering
from cogs.audience import shared_manner
from cogs.games import OPTION_HELP as GAME_HELP
from cogs.games import complete_game, game_meant
from cogs.play.texts import image_status
from cogs.views import sealed

if TYPE_CHECKING:
    from bot.client import GameBot


GRAPH_NAME = "review.png"
FILM_NAME = "replay.gif"


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
            await interaction.response.defer(ephemeral=True)
            found = await self.bot.analyst.hints(match.position)
            view = sealed(discord.ui.TextDisplay(texts.hints(match, found)))
            await interaction.followup.send(view=view, ephemeral=True)

    @app_commands.command()
    @app_commands.describe(game="The number of a game; your latest in this channel if left out")
    async def review(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """Look a finished game over: accuracy, turning points, better moves."""
        async with answering(interaction):
            match = await _finished(interaction, game)
            await interaction.response.defer()
            analysis = await self.bot.analyst.review(match.game)
            manner = await shared_manner(interaction)
            with speaking(manner.language):
                graph, alt = await asyncio.to_thread(
                    pictures.evaluation, match, analysis, manner.theme
                )
                view = _with_picture(texts.review(match, analysis), GRAPH_NAME, alt)
            file = discord.File(io.BytesIO(graph), filename=GRAPH_NAME)
            await interaction.followup.send(view=view, file=file)

    @app_commands.command()
    @app_commands.describe(game="The number of a game; your latest in this channel if left out")
    async def replay(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """Watch a finished game again, as an animated picture."""
        async with answering(interaction):
            match = await _finished(interaction, game)
            await interaction.response.defer()
            manner = await shared_manner(interaction)
            with speaking(manner.language):
                ended = image_status(match)
                film, alt = await asyncio.to_thread(pictures.replay, match, ended, manner.theme)
                view = _with_picture(texts.replay(match), FILM_NAME, alt)
            file = discord.File(io.BytesIO(film), filename=FILM_NAME)
            await interaction.followup.send(view=view, file=file)


async def _finished(interaction: discord.Interaction[GameBot], game: int | None) -> Match:
    """Return the finished match a command means; anybody may look at any of them.

    Raises:
        PlayerError: If there is none, or it is still going on.
    """
    if game is None:
        match = await game_meant(interaction, None)
    else:
        match = await interaction.client.matches.load(game)
    if not match.is_over:
        raise MatchNotOverError(match)
    return match


def _with_picture(text: str, name: str, alt: str) -> discord.ui.LayoutView:
    image = discord.MediaGalleryItem(f"attachment://{name}", description=alt)
    return sealed(discord.ui.TextDisplay(text), discord.ui.MediaGallery[Any](image))


def _require_turn(match: Match, user_id: int) -> None:
    """Raise unless the player is to move: hints are for one's own decisions."""
    if match.is_over:
        raise MatchOverError(match)
    seat = match.seat_to_move
    if seat is None or seat.player_id != user_id:
        raise NotYourTurnError(match)
