"""Naming a variant in an option: chosen from a list, typed by name, or put together."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.language import _
from bot.model.errors import PlayerError
from bot.model.preferences import ServerSettings
from cogs.audience import own_language
from engine import VARIANTS, EngineError, Variant, load_variant

MOST_CHOICES = 25
"""So many choices Discord shows at once."""

LONGEST_NAME = 100
"""So many characters of a choice Discord shows, and takes as its value."""

DEFAULT_VARIANT = "standard"

START_HELP = "Rules to play by: a name, or options such as goal=five; default: the server's"

OPTION_HELP = "Which rules to play by: a name, or options such as won_board=open,goal=five"


class UnratedVariantError(PlayerError):
    """There are no ratings for rules that somebody put together.

    Attributes:
        variant: What was asked for.
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        words = _("There are no ratings for {variant}: only named variants are rated.")
        super().__init__(words.format(variant=name_of(variant)))


def read_variant(text: str) -> str:
    """Return the key of the variant that `text` names by its key, its name or its options.

    Raises:
        InvalidRulesError: If it names none; the message says what there is.
    """
    wanted = text.strip().casefold()
    for key, variant in VARIANTS.items():
        if wanted in (key, str(variant.name).casefold(), name_of(variant).casefold()):
            return key
    return load_variant(wanted.replace(" ", "")).key


def variant_meant(text: str | None, settings: ServerSettings) -> str:
    """Return the key of the variant a game is to be started by: the server's if none is named.

    Raises:
        InvalidRulesError: If `text` names none; the message says what there is.
    """
    if text is not None:
        return read_variant(text)
    return settings.variant_key or DEFAULT_VARIANT


async def complete_variant(
    interaction: discord.Interaction[Any], current: str
) -> list[app_commands.Choice[str]]:
    """Offer the named variants that `current` is found in, and what it says if it is rules."""
    async with own_language(interaction):
        wanted = current.strip().casefold()
        offered = [
            variant
            for key, variant in VARIANTS.items()
            if wanted in f"{key} {variant.name} {name_of(variant)}".casefold()
        ]
        if not offered:
            try:
                offered = [load_variant(wanted.replace(" ", ""))]
            except EngineError:
                return []
        return [
            app_commands.Choice(
                name=f"{name_of(each)}: {each.summary.told(_)}"[:LONGEST_NAME], value=each.key
            )
            for each in offered[:MOST_CHOICES]
            if len(each.key) <= LONGEST_NAME
        ]


def name_of(variant: Variant) -> str:
    """Return what to call a variant in the language that is being spoken."""
    return variant.name.told(_)
