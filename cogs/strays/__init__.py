"""What reaches the bot and means nothing to it: buttons and commands of another version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.strays.cog import Strays

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Answer what nothing else answers."""
    await bot.add_cog(Strays(bot))
