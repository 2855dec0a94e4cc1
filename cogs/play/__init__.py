"""Playing a game: starting it, its buttons, finding it again, giving it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.play.buttons import BUTTONS
from cogs.play.cog import Play

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(Play(bot))
