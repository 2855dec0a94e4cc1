"""The commands in the languages of those who type them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.translation.translator import CommandTranslator

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Translate commands for every client that shows them."""
    await bot.tree.set_translator(CommandTranslator())
