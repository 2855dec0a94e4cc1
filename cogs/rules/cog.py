"""`/rules`, `/variants` and `/help`."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.language import _
from bot.model.errors import NoMatchError
from bot.model.match import Match
from bot.render import BoardPicture, describe_position, draw_board
from bot.render.study_table import StudyPage, describe_study_table, draw_study_table
from cogs.answering import answer, answering
from cogs.games import game_meant
from cogs.rules import texts
from cogs.variants import DEFAULT_VARIANT, complete_variant, read_variant
from cogs.views import sealed
from engine import (
    VARIANTS,
    Variant,
    example_of,
    explain_example,
    explain_rules,
    load_study,
    load_variant,
    variant_of,
)

if TYPE_CHECKING:
    from bot.client import GameBot

IMAGE_NAME = "example.png"

RULES_HELP = "Which rules: a name, or options such as goal=five; default: your latest game's"


class RulesAndHelp(commands.Cog):
    """What a newcomer reads; shown to the one who asks and nobody else."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(variant=RULES_HELP)
    @app_commands.autocomplete(variant=complete_variant)
    async def rules(
        self, interaction: discord.Interaction[GameBot], variant: str | None = None
    ) -> None:
        """Explain the rules, starting with the most important one."""
        async with answering(interaction):
            chosen, match = await _variant_meant(interaction, variant)
            heading = texts.rules_heading(chosen, match, interaction.channel_id)
            view = rules_view(chosen, heading)
            png = await asyncio.to_thread(draw_board, BoardPicture(example_of(chosen.rules)))
            file = discord.File(io.BytesIO(png), filename=IMAGE_NAME)
            await answer(interaction, view=view, files=[file], ephemeral=True)

    @app_commands.command()
    async def variants(self, interaction: discord.Interaction[GameBot]) -> None:
        """Compare all variants: how long, how fair, how often drawn."""
        async with answering(interaction):
            view, files = await asyncio.to_thread(_variants_message)
            await answer(interaction, view=view, files=files, ephemeral=True)

    @app_commands.command()
    async def help(self, interaction: discord.Interaction[GameBot]) -> None:
        """See how to play, and all commands."""
        async with answering(interaction):
            # Sorted as they are shown: each language has names of its own.
            lines = sorted(
                texts.command_line(command.qualified_name, command.description)
                for command in self.bot.tree.walk_commands()
                if isinstance(command, app_commands.Command)
            )
            text = "\n".join(
                [
                    texts.rule(explain_rules(load_variant(DEFAULT_VARIANT).rules)[0]),
                    _(texts.COMMANDS_HEADING),
                    *lines,
                    _(texts.BUTTONS),
                    *texts.credits_of(*VARIANTS.values()),
                ]
            )
            view = sealed(discord.ui.TextDisplay(text))
            await answer(interaction, view=view, ephemeral=True)


async def _variant_meant(
    interaction: discord.Interaction[GameBot], text: str | None
) -> tuple[Variant, Match | None]:
    """Return the variant that is named, else that of the reader's latest game, with the game."""
    if text is not None:
        return load_variant(read_variant(text)), None
    try:
        match = await game_meant(interaction, None)
    except NoMatchError:
        return VARIANTS[DEFAULT_VARIANT], None
    return variant_of(match.rules), match


def rules_view(variant: Variant, heading: str) -> discord.ui.LayoutView:
    """Lay out the rules of `variant`, with its example beside the rule of sending."""
    rules = variant.rules
    alt = describe_position(example_of(rules), ("", ""))
    return sealed(
        discord.ui.TextDisplay(f"{heading}\n\n{texts.rule(explain_rules(rules)[0])}"),
        discord.ui.MediaGallery[Any](
            discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=alt)
        ),
        discord.ui.TextDisplay(
            f"-# {explain_example(rules).told(_)}\n{texts.further_rules(variant)}"
        ),
    )


def _variants_message() -> tuple[discord.ui.LayoutView, list[discord.File]]:
    """Lay out what variants there are and how they compare in our own study."""
    study = load_study()
    lines = [texts.variant_line(variant) for variant in VARIANTS.values()]
    credits = texts.credits_of(*VARIANTS.values())
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
        discord.ui.TextDisplay("\n".join([_(texts.VARIANTS_HEADING), *lines, *credits])),
        *galleries,
        discord.ui.TextDisplay(_(texts.STUDY_NOTE)),
    )
    return view, [discord.File(io.BytesIO(png), filename=name) for name, png in pictures.items()]
