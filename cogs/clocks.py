"""Naming a clock in an option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands

from bot.language import told
from bot.model.clock_rules import ClockRules
from bot.model.errors import PlayerError
from bot.model.preferences import ServerSettings
from cogs.audience import own_language

if TYPE_CHECKING:
    from bot.client import GameBot

CLOCKS = ("none", "1d", "3d", "7d", "3+2", "5+3", "10+5", "30+20")
"""The usual ones, as they are typed."""


OPTION_HELP = (
    "Time to think: 3d or 36h a move, 5+3 (minutes + seconds a move); default: the server's"
)


def clock_meant(text: str | None, settings: ServerSettings) -> ClockRules:
    """Return the clock a challenge is made with: the server's if none is named.

    Raises:
        InvalidClockError: If `text` is no clock.
    """
    if text is not None:
        return ClockRules.parse(text)
    return settings.clock or ClockRules()


async def complete_clock(
    interaction: discord.Interaction[GameBot], current: str
) -> list[app_commands.Choice[str]]:
    """Offer usual clocks, and what was typed if it is one."""
    try:
        typed = [ClockRules.parse(current)] if current.strip() else []
    except PlayerError:
        typed = []
    offered = typed or [ClockRules.parse(each) for each in CLOCKS if current.strip() in each]
    async with own_language(interaction):
        return [app_commands.Choice(name=told(each.words), value=each.key) for each in offered]
