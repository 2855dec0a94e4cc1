"""How good players are: leaderboards and profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.ratings.buttons import BUTTONS
from cogs.ratings.cog import Ratings

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(Ratings(bot))
