"""Where the board of a match stands, for one of its players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.model.match import Match

if TYPE_CHECKING:
    from bot.client import GameBot

PRIVATE = "@me"
"""What Discord's addresses have in place of a server for conversations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where somebody finds a board.

    Attributes:
        link: Its address; None if they do not see it.
        channel_id: Where they can be called to it with others reading along; None if nowhere.
    """

    link: str | None = None
    channel_id: int | None = None


async def place_for(bot: GameBot, match: Match, user_id: int) -> Place:
    """Return where a player of a match finds its board.

    A board in the other player's conversation with the bot is hidden from them.
    """
    if match.channel_id is None or match.message_id is None:
        return Place()
    channel = bot.get_channel(match.channel_id)
    guild = getattr(channel, "guild", None)
    if guild is not None:
        link = message_link(guild.id, match.channel_id, match.message_id)
        return Place(link=link, channel_id=match.channel_id)
    reader = await bot.publisher.reader_of(match.id)
    link = message_link(
        match.guild_id if reader is None else None, match.channel_id, match.message_id
    )
    if reader is not None:
        return Place(link=link) if reader == user_id else Place()
    return Place(link=link, channel_id=match.channel_id)


def message_link(guild_id: int | None, channel_id: int, message_id: int) -> str:
    """Return the address of a message, in a server or in a conversation."""
    return f"https://discord.com/channels/{guild_id or PRIVATE}/{channel_id}/{message_id}"
