"""What players and those who manage a server may set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.settings.cog import SettingsCog
from cogs.settings.menus import MENUS

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands and make every panel ever opened work."""
    bot.add_dynamic_items(*MENUS)
    await bot.add_cog(SettingsCog(bot))
