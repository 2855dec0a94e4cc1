"""What the engine thinks of a game: hints, reviews, and a game shown again."""

from __future__ import annotations

from bot.client import GameBot
from cogs.analysis import hints, replays, reviews

BUTTONS = (*hints.BUTTONS, *reviews.BUTTONS, *replays.BUTTONS)


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    for cog in (hints.Hints(), reviews.Reviews(), replays.Replays()):
        await bot.add_cog(cog)
