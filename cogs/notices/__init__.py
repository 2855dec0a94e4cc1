"""Notifying players about their matches, and letting them mute that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.notices.cog import MuteButton, Notices, UnmuteButton

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Start notifying."""
    bot.add_dynamic_items(MuteButton, UnmuteButton)
    await bot.add_cog(Notices(bot))
