"""Messages with a board or with buttons to turn pages; their custom ids hold what to show."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import discord
import numpy

from bot.client import GameBot, Interaction
from bot.language import pgettext
from bot.render import BoardPicture, describe_position, draw_board
from cogs.answering import answer, picture, update_clicked
from cogs.audience import Presentation, own_presentation, shared_presentation

LARGEST_ID = 2**63 - 1

Contents = tuple[discord.ui.LayoutView, list[discord.File]]

NUMBER = r"[0-9a-z]{1,13}"
"""What `compact` writes."""


def compact(number: int) -> str:
    """Write a number in base 36: a custom id has 100 characters, and an account's number 19.

    Raises:
        ValueError: If it is negative: stand-ins for people who have left get no buttons.

    Examples:
        >>> compact(0), compact(35), compact(2**63 - 1), int(compact(1234567), 36)
        ('0', 'z', '1y2p0ij32e8e7', 1234567)
    """
    if number < 0:
        raise ValueError(f"a custom id holds no negative number, got {number}")
    return numpy.base_repr(number, 36).lower()


def spread(text: str) -> int:
    """Read what `compact` wrote; a forged number is cut to what the database takes."""
    return min(int(text, 36), LARGEST_ID)


async def presentation_of_page(interaction: Interaction, *, update: bool) -> Presentation:
    """Return the presentation of a page that may be public.

    A command is answered in public, a press in private, unless it turns (`update`) a public page.
    """
    message = interaction.message
    private = message is not None and (message.flags.ephemeral or not update)
    return await (own_presentation if private else shared_presentation)(interaction)


async def board_image(
    name: str, board: BoardPicture
) -> tuple[discord.ui.MediaGallery[Any], discord.File]:
    """Draw a board as a component with its alt text, and as a file of this name."""
    # Drawing takes milliseconds, but two hundred games may want it at once.
    png = await asyncio.to_thread(draw_board, board)
    alt = describe_position(
        board.position,
        board.names,
        status=board.status,
        selected=board.selected,
        notes=board.notes,
    )
    return picture(name, png, alt)


async def post(
    interaction: discord.Interaction[Any],
    view: discord.ui.LayoutView,
    files: list[discord.File],
    *,
    ephemeral: bool = False,
    update: bool = False,
) -> None:
    """Answer with a message, or update the clicked one; a new one for a press is private."""
    if update:
        await update_clicked(interaction, view=view, files=files)
    else:
        ephemeral = ephemeral or interaction.message is not None
        await answer(interaction, view=view, files=files, ephemeral=ephemeral)


def belongs_to(interaction: discord.Interaction[Any], owner_id: int) -> bool:
    """Return whether the user may turn this message's pages; others get a message of their own."""
    message = interaction.message
    private = message is not None and message.flags.ephemeral
    return private or interaction.user.id == owner_id


async def name_of(bot: GameBot, user_id: int, names: Mapping[int, str] | None) -> str:
    """Return the name of a player: from `names`, else the one they had last."""
    name = (names or {}).get(user_id) or await bot.ratings.name_of(user_id)
    return name or pgettext("somebody without a name", "Player")
