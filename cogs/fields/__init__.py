"""Printable fields of Strategic Tic-Tac-Toe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.fields.cog import Fields

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the command."""
    await bot.add_cog(Fields(bot))
