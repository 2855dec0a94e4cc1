"""Telling players what is new in their matches, if they have asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.notices.cog import Notices

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Begin to tell."""
    await bot.add_cog(Notices(bot))
