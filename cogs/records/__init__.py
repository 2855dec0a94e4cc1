"""Games as text: taken along and brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.records.buttons import BUTTONS
from cogs.records.cog import Records

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(Records(bot))
