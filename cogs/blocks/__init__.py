"""Not having to do with somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.blocks.cog import Blocks

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands."""
    await bot.add_cog(Blocks(bot))
