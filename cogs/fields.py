"""`/field`: fields of Strategic Tic-Tac-Toe to print."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.language import _, ngettext
from bot.operations import HEAVY
from bot.render.fields import DEFAULT_MAP, FIELDS, Drawing, draw_sheets, to_pdf, to_png
from cogs.answering import answering, defer, fulfil, sealed
from cogs.options import complete_game
from engine import Game

FIELD_CHOICES = [
    app_commands.Choice(name=f"{field.name}: {field.description}"[:100], value=key)
    for key, field in FIELDS.items()
]
MAPS = [f"map{row}{column}" for row in range(1, 9) for column in range(1, 9)]

MOST_PICTURES = 4
"""Sheets shown as pictures; the PDF has them all."""

PREVIEW_UNIT_PX = 24
"""The side of a unit cell in the picture: legible on a phone, and well below 8 MB."""


class Fields(commands.Cog):
    """Fields to print and play on with a pencil."""

    @app_commands.command(extras={"cost": HEAVY})
    @app_commands.describe(
        name="Which field",
        map="Which of the 64 maps a mapped field shows; default: map34",
        game="Fill it from one of your strategic games",
    )
    @app_commands.choices(name=FIELD_CHOICES)
    @app_commands.autocomplete(game=complete_game)
    async def field(
        self,
        interaction: Interaction,
        name: str,
        map: str | None = None,  # the option's name on Discord
        game: int | None = None,
    ) -> None:
        """Get a field of Strategic Tic-Tac-Toe to print, as picture and as A4 PDF."""
        async with answering(interaction):
            filled = None
            if game is not None:
                match = await interaction.client.matches.load_for(game, user_id=interaction.user.id)
                filled = match.game
            # A4 sheets take longer to draw than a board: the answer follows.
            await defer(interaction, ephemeral=True)
            view, files = await interaction.client.drawing.run(
                _message, name, map, filled, who=interaction.user.id
            )
            await fulfil(interaction, view=view, files=files)

    @field.autocomplete("map")
    async def _complete_map(
        self, _interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        """Offer the maps, the authors' default first."""
        wanted = current.strip().lower()
        maps = [DEFAULT_MAP, *(each for each in MAPS if each != DEFAULT_MAP)]
        return [app_commands.Choice(name=each, value=each) for each in maps if wanted in each][:25]


def _message(
    name: str, map_key: str | None, game: Game | None
) -> tuple[discord.ui.LayoutView, list[discord.File]]:
    """Draw the sheets and lay them out: pictures to look at, and the PDF to print."""
    sheets = draw_sheets(name, map_key=map_key, game=game)
    pictures = {
        f"{name}-{number}.png": to_png(sheet, unit_px=PREVIEW_UNIT_PX)
        for number, sheet in enumerate(sheets[:MOST_PICTURES], 1)
    }
    pdf_name = f"{name}.pdf"
    gallery = discord.ui.MediaGallery[Any](
        *(
            discord.MediaGalleryItem(f"attachment://{each}", description=sheet.title)
            for each, sheet in zip(pictures, sheets, strict=False)
        )
    )
    credit = _(
        "-# Strategic Tic-Tac-Toe: game idea and fields by Mikhail Demchenko and Anton Shashkov, "
        "CC-BY 4.0, <https://github.com/echo-Mike/STTT>. This drawing is ours. "
        "Print the PDF at 100 %, without fitting it to the page."
    )
    pdf = discord.ui.File[Any](f"attachment://{pdf_name}")
    view = sealed(_heading(sheets), gallery, pdf, credit)
    contents = pictures | {pdf_name: to_pdf(*sheets)}
    return view, [discord.File(io.BytesIO(data), filename=each) for each, data in contents.items()]


def _heading(sheets: Sequence[Drawing]) -> str:
    """Name the field, and say how many sheets its game needs."""
    title = f"### {sheets[0].title}"
    if len(sheets) == 1:
        return title
    words = ngettext("{title}, {count} sheet", "{title}, {count} sheets", len(sheets))
    return words.format(title=title, count=len(sheets))


async def setup(bot: GameBot) -> None:
    """Add the command."""
    await bot.add_cog(Fields())
