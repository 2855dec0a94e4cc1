"""Finished games: lists of them, and each one again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.history.buttons import ITEMS
from cogs.history.cog import History

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*ITEMS)
    await bot.add_cog(History(bot))
