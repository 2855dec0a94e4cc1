"""Finding somebody to play with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.challenge.cog import BUTTONS, Challenges, challenge_them

if TYPE_CHECKING:
    from bot.client import GameBot


async def setup(bot: GameBot) -> None:
    """Add the commands and make every challenge ever posted answerable."""
    bot.add_dynamic_items(*BUTTONS)
    bot.tree.add_command(challenge_them)
    await bot.add_cog(Challenges(bot))
