"""The buttons and the menu below somebody's games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.answering import GameMenu, chosen_in
from cogs.games import game_seen
from cogs.history import ids
from cogs.history.ids import HistoryState
from cogs.history.pages import post_game, post_history
from cogs.state import StateButton

if TYPE_CHECKING:
    import discord

    from bot.client import GameBot


class HistoryButton(StateButton, template=ids.HISTORY):
    """Turns to older or newer games."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Show them here: lists are private, so nobody else can press."""
        await post_history(interaction, HistoryState.parse(self.state_id), update=True)


class OpenMenu(GameMenu, template=ids.OPEN):
    """Shows one of the games listed."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Answer in private; the list stays as it is."""
        match = await game_seen(interaction, ids.read_choice(chosen_in(interaction)[0]))
        await post_game(interaction, match)


ITEMS = (HistoryButton, OpenMenu)
