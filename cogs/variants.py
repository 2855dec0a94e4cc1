"""Naming a variant in an option: chosen from a list, typed by name, or put together."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.errors import PlayerError
from engine import VARIANTS, EngineError, load_variant

MOST_CHOICES = 25
"""So many choices Discord shows at once."""

LONGEST_NAME = 100
"""So many characters of a choice Discord shows."""

OPTION_HELP = "Which rules to play by: a name, or options such as won_board=open,goal=five"


class UnratedVariantError(PlayerError):
    """There are no ratings for rules that somebody put together.

    Attributes:
        text: What was asked for.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(f"There are no ratings for {text!r}: only named variants are rated.")


def read_variant(text: str) -> str:
    """Return the key of the variant that `text` names by its key, its name or its options.

    Raises:
        InvalidRulesError: If it names none; the message says what there is.
    """
    wanted = text.strip().casefold()
    for key, variant in VARIANTS.items():
        if wanted in (key, variant.name.casefold()):
            return key
    return load_variant(wanted.replace(" ", "")).key


async def complete_variant(
    _interaction: discord.Interaction[Any], current: str
) -> list[app_commands.Choice[str]]:
    """Offer the named variants that `current` is found in, and what it says if it is rules."""
    wanted = current.strip().casefold()
    offered = [
        (f"{variant.name}: {variant.summary}", key)
        for key, variant in VARIANTS.items()
        if wanted in f"{key} {variant.name}".casefold()
    ]
    if not offered:
        try:
            custom = load_variant(wanted.replace(" ", ""))
        except EngineError:
            return []
        offered = [(f"{custom.name}: {custom.summary}", custom.key)]
    return [
        app_commands.Choice(name=name[:LONGEST_NAME], value=key)
        for name, key in offered[:MOST_CHOICES]
    ]
