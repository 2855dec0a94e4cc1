"""What is stored about somebody: shown, handed out, deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.privacy.buttons import BUTTONS
from cogs.privacy.cog import Privacy

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the command, its buttons, and the daily tidying."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(Privacy(bot))
