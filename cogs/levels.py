"""Choosing how strong the computer plays."""

from __future__ import annotations

from discord import app_commands

from engine import LEVELS

DEFAULT_LEVEL = 3

LEVEL_CHOICES = [
    app_commands.Choice(name=f"{level.number} - {level.name}: {level.summary}", value=level.number)
    for level in LEVELS
]
