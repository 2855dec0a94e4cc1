"""Being away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.vacation.cog import Vacations

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands."""
    await bot.add_cog(Vacations(bot))
