"""How the game is played, and what the bot can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.rules.cog import RulesAndHelp

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands."""
    await bot.add_cog(RulesAndHelp(bot))
