"""Finding somebody to play with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.challenge.buttons import BUTTONS
from cogs.challenge.cog import Challenges

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands and make every challenge ever posted answerable."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(Challenges(bot))
