"""The buttons that analyse a finished game, for the one who presses alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord

from cogs import after
from cogs.analysis.pages import finished_game, post_replay, post_review
from cogs.answering import GameButton

if TYPE_CHECKING:
    from bot.client import GameBot

Item = discord.ui.Button[Any]


class ReviewButton(GameButton, template=after.REVIEW):
    """Reviews a finished game."""

    def __init__(self, item: Item, *, match_id: int) -> None:
        super().__init__(item)
        self.match_id = match_id

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Answer in private: others may not want to know yet."""
        match = await finished_game(interaction, self.match_id)
        await post_review(interaction, match, private=True)


class ReplayButton(GameButton, template=after.REPLAY):
    """Shows a finished game again."""

    def __init__(self, item: Item, *, match_id: int) -> None:
        super().__init__(item)
        self.match_id = match_id

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Answer in private; what is shown can be shared."""
        match = await finished_game(interaction, self.match_id)
        await post_replay(interaction, match, private=True)


BUTTONS = (ReviewButton, ReplayButton)
