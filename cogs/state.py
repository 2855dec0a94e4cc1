"""Buttons whose state is more than numbers, written short: a custom id has 100 characters."""

from __future__ import annotations

import re
import string
from typing import Any, Self

import discord

from cogs.answering import GameButton, answer, update_clicked

_LARGEST = 2**63 - 1
_DIGITS = string.digits + string.ascii_lowercase

NUMBER = r"[0-9a-z]{1,13}"
"""What `compact` writes."""


def compact(number: int) -> str:
    """Write a number that is not negative in base 36; an account's takes 13 characters, not 19.

    Raises:
        ValueError: If it is negative: stand-ins for people who have left get no buttons.

    Examples:
        >>> compact(0), compact(35), compact(2**63 - 1), int(compact(1234567), 36)
        ('0', 'z', '1y2p0ij32e8e7', 1234567)
    """
    if number < 0:
        raise ValueError(f"a custom id holds no negative number, got {number}")
    text = ""
    while True:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
        if not number:
            return text


def spread(text: str) -> int:
    """Read what `compact` wrote; what nobody wrote is no larger than the database takes."""
    return min(int(text, 36), _LARGEST)


class StateButton(GameButton, template=r"(?!)"):
    """A button that reads its custom id by itself."""

    def __init__(self, item: discord.ui.Button[Any], custom_id: str) -> None:
        super().__init__(item)
        self.state_id = custom_id

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],
        item: discord.ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        """Build the button again; its class reads the rest."""
        assert isinstance(item, discord.ui.Button), "the templates are those of buttons"
        return cls(item, match.string)


async def post(
    interaction: discord.Interaction[Any],
    view: discord.ui.LayoutView,
    files: list[discord.File],
    *,
    ephemeral: bool = False,
    update: bool = False,
) -> None:
    """Answer with a message, or with the clicked one brought up to date."""
    if update:
        await update_clicked(interaction, view=view, files=files)
    else:
        await answer(interaction, view=view, files=files, ephemeral=ephemeral)


def belongs_to(interaction: discord.Interaction[Any], owner_id: int) -> bool:
    """Tell whether who clicked may turn this message's pages; others get one of their own.

    A private message is its reader's.
    """
    message = interaction.message
    private = message is not None and message.flags.ephemeral
    return private or interaction.user.id == owner_id
