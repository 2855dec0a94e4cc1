"""`/export` and `/import`."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.render import BoardPicture, Theme, describe_position, draw_board
from cogs.answering import answer, answering
from cogs.audience import own_presentation
from cogs.games import complete_any_game, game_meant, game_seen
from cogs.levels import DEFAULT_LEVEL, LEVEL_CHOICES
from cogs.people import person_of
from cogs.play.showing import redraw
from cogs.records import texts
from cogs.records.files import record_message
from cogs.views import sealed
from engine import O, X
from engine.records import GameRecord, parse_record

if TYPE_CHECKING:
    from bot.client import GameBot

SIDE_CHOICES = [
    app_commands.Choice(name="X", value=X),
    app_commands.Choice(name="O", value=O),
]
GAME_HELP = "The number of any game; default: your latest in this channel"
LONGEST_RECORD = 6000
"""So many characters Discord takes in an option; the longest strategic games need about 4,000."""

IMAGE_NAME = "record.png"


class Records(commands.Cog):
    """Game records, readable by people and programs."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(game=GAME_HELP)
    @app_commands.autocomplete(game=complete_any_game)
    async def export(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """Get the record of a game as a file."""
        async with answering(interaction):
            if game is None:
                match = await game_meant(interaction, None)
            else:
                match = await game_seen(interaction, game)
            view, file = record_message(match)
            await answer(interaction, view=view, files=[file], ephemeral=True)

    @app_commands.command(name="import")
    @app_commands.describe(
        record="The text of a game record, as /export writes it",
        level="How strong the computer plays on, from 1 to 10; default: 3",
        side="Which side you play; default: the side to move",
    )
    @app_commands.choices(level=LEVEL_CHOICES)
    @app_commands.choices(side=SIDE_CHOICES)
    async def import_(
        self,
        interaction: discord.Interaction[GameBot],
        record: app_commands.Range[str, 1, LONGEST_RECORD],
        level: int = DEFAULT_LEVEL,
        side: int | None = None,
    ) -> None:
        """Play on from a game record against the computer, or view a finished one."""
        async with answering(interaction):
            read = await asyncio.to_thread(parse_record, record)
            if read.result != "*":
                theme = (await own_presentation(interaction)).theme
                view, file = await asyncio.to_thread(_finished, read, theme)
                await answer(interaction, view=view, files=[file], ephemeral=True)
                return
            match = await self.bot.matches.start_from_record(
                read,
                person=person_of(interaction.user),
                side=read.game.position.side if side is None else side,
                level=level,
                channel_id=interaction.channel_id,
                guild_id=interaction.guild_id,
            )
            await redraw(interaction, match)


def _finished(record: GameRecord, theme: Theme) -> tuple[discord.ui.LayoutView, discord.File]:
    """Show how a recorded game ended."""
    game = record.game
    ended_off_board = game.outcome is None
    status = texts.ending(record) if ended_off_board else None
    png = draw_board(
        BoardPicture(
            position=game.position,
            names=record.players,
            status=status,
            is_over=True,
            winner=texts.winner_of(record),
            theme=theme,
        )
    )
    alt = describe_position(game.position, record.players, status=status)
    image = discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=alt)
    view = sealed(
        discord.ui.TextDisplay(texts.finished(record)), discord.ui.MediaGallery[Any](image)
    )
    return view, discord.File(io.BytesIO(png), filename=IMAGE_NAME)
