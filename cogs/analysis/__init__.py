"""What the engine thinks of a game: hints while it goes on, a review when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.analysis.buttons import BUTTONS
from cogs.analysis.cog import AnalysisCog

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(AnalysisCog(bot))
