"""`/rules`, `/variants` and `/help`."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.language import _
from bot.render import BoardPicture, draw_board
from bot.render.study_table import StudyPage, describe_study_table, draw_study_table
from cogs.answering import answer, answering
from cogs.rules import texts
from cogs.variants import OPTION_HELP, complete_variant, read_variant
from cogs.views import sealed
from engine import VARIANTS, Position, Variant, load_study, load_variant, parse_move

if TYPE_CHECKING:
    from bot.client import GameBot

IMAGE_NAME = "example.png"
EXAMPLE_MOVE = "53"


class RulesAndHelp(commands.Cog):
    """What a newcomer reads; shown to the one who asks and nobody else."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(variant=OPTION_HELP)
    @app_commands.autocomplete(variant=complete_variant)
    async def rules(
        self, interaction: discord.Interaction[GameBot], variant: str = "standard"
    ) -> None:
        """Explain the game, the rule of sending first."""
        async with answering(interaction):
            chosen = load_variant(read_variant(variant))
            view, file = await _rules_message(chosen)
            await answer(interaction, view=view, files=[file], ephemeral=True)

    @app_commands.command()
    async def variants(self, interaction: discord.Interaction[GameBot]) -> None:
        """Compare all variants: how long, how fair, how often drawn."""
        async with answering(interaction):
            view, files = await asyncio.to_thread(_variants_message)
            await answer(interaction, view=view, files=files, ephemeral=True)

    @app_commands.command()
    async def help(self, interaction: discord.Interaction[GameBot]) -> None:
        """Say how to play here and list the commands."""
        async with answering(interaction):
            # Sorted as they are shown: each language has names of its own.
            lines = sorted(
                texts.command_line(command.qualified_name, command.description)
                for command in self.bot.tree.walk_commands()
                if isinstance(command, app_commands.Command)
            )
            text = "\n".join(
                [_(texts.SENDING), _(texts.COMMANDS_HEADING), *lines, _(texts.BUTTONS)]
            )
            view = sealed(discord.ui.TextDisplay(text))
            await answer(interaction, view=view, ephemeral=True)


async def _rules_message(variant: Variant) -> tuple[discord.ui.LayoutView, discord.File]:
    """Lay out the rules of `variant` with the example drawn beside the rule of sending."""
    standard = load_variant("standard").rules
    example = Position.initial(standard).after(parse_move(EXAMPLE_MOVE, standard))
    picture = BoardPicture(
        position=example, names=("X", "O"), status=_("{mark} to move").format(mark="O")
    )
    png = await asyncio.to_thread(draw_board, picture)
    image = discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=_(texts.EXAMPLE_ALT))
    differences = texts.differences(variant)
    parts: list[discord.ui.Item[Any]] = [
        discord.ui.TextDisplay(f"{texts.rules_heading(variant)}\n\n{_(texts.SENDING)}"),
        discord.ui.MediaGallery(image),
        discord.ui.TextDisplay(f"-# {_(texts.EXAMPLE)}\n{_(texts.BASICS)}"),
    ]
    if differences:
        parts.append(discord.ui.TextDisplay(differences))
    return sealed(*parts), discord.File(io.BytesIO(png), filename=IMAGE_NAME)


def _variants_message() -> tuple[discord.ui.LayoutView, list[discord.File]]:
    """Lay out what variants there are and how they compare in our own study."""
    study = load_study()
    lines = [texts.variant_line(variant) for variant in VARIANTS.values()]
    pictures = {f"{page}.png": draw_study_table(study, page=page) for page in StudyPage}
    alts = [describe_study_table(study, page) for page in StudyPage]
    # A gallery each: side by side the tables would be too small to read on a phone.
    galleries = [
        discord.ui.MediaGallery[Any](
            discord.MediaGalleryItem(f"attachment://{name}", description=alt)
        )
        for name, alt in zip(pictures, alts, strict=True)
    ]
    view = sealed(
        discord.ui.TextDisplay("\n".join([_(texts.VARIANTS_HEADING), *lines])),
        *galleries,
        discord.ui.TextDisplay(_(texts.STUDY_NOTE)),
    )
    return view, [discord.File(io.BytesIO(png), filename=name) for name, png in pictures.items()]
