"""The buttons below leaderboards and profiles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cogs.ratings import ids
from cogs.ratings.board import post_board
from cogs.ratings.ids import BoardState, ProfileState
from cogs.ratings.profiles import post_profile
from cogs.state import StateButton, belongs_to

if TYPE_CHECKING:
    import discord

    from bot.client import GameBot


class BoardButton(StateButton, template=ids.BOARD):
    """Turns to another page of a leaderboard, or to another leaderboard."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Show it here; to somebody else in a message of their own."""
        state = BoardState.parse(self.state_id)
        update = belongs_to(interaction, state.owner)
        state = replace(state, owner=interaction.user.id)
        await post_board(interaction, state, update=update, ephemeral=True)


class ProfileButton(StateButton, template=ids.PROFILE):
    """Turns to another page of a profile."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Show it here; to somebody else in a message of their own."""
        state = ProfileState.parse(self.state_id)
        update = belongs_to(interaction, state.owner)
        state = replace(state, owner=interaction.user.id)
        await post_profile(interaction, state, update=update, ephemeral=True)


BUTTONS = (BoardButton, ProfileButton)
