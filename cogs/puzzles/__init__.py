"""Puzzles: positions that are won in one way, played by private buttons; one of them each day."""

from __future__ import annotations

from bot.client import GameBot
from cogs.puzzles import cog, daily, races, runs


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*cog.BUTTONS, *daily.BUTTONS, *runs.BUTTONS, *races.BUTTONS)
    await bot.add_cog(cog.Puzzles())
    await bot.add_cog(daily.DailyPuzzle(bot))
    await bot.add_cog(runs.Runs(bot))
    await bot.add_cog(races.Races(bot))
