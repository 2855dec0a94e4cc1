"""Where games may be played: what a server's settings say about its channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import discord

from bot.language import _
from bot.model.errors import PlayerError
from bot.model.preferences import ServerSettings
from cogs.discord_errors import asking

if TYPE_CHECKING:
    from bot.client import GameBot

MOST_NAMED = 10
"""So many channels are a list that somebody reads."""


class NotPlayedHereError(PlayerError):
    """Games are not to be started in this channel.

    Attributes:
        channel_ids: Where they may be.
    """

    def __init__(self, channel_ids: Sequence[int]) -> None:
        self.channel_ids = tuple(channel_ids)
        if not channel_ids:
            super().__init__(
                _(
                    "The channels that games may be played in are gone. Those who manage this "
                    "server can choose others with `/server`."
                )
            )
            return
        named = ", ".join(f"<#{each}>" for each in channel_ids[:MOST_NAMED])
        super().__init__(
            _("Games are not played in this channel. Go to {channels}.").format(channels=named)
        )


async def playing_here(interaction: discord.Interaction[GameBot]) -> ServerSettings:
    """Return what is set where somebody wants to start a game.

    A thread is played in if its channel is.

    Raises:
        NotPlayedHereError: If games may be played in other channels only.
    """
    settings = await interaction.client.servers.of(interaction.guild_id)
    channel = interaction.channel
    parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
    if not settings.allows(interaction.channel_id, parent_id):
        guild = interaction.guild
        there = [each for each in sorted(settings.channels or ()) if _is_there(guild, each)]
        raise NotPlayedHereError(there)
    return settings


async def reopen(bot: GameBot, channel_id: int) -> None:
    """Take a thread out of the archive, which any of its members may unless it is locked.

    Raises:
        DiscordError: If the bot may not.
    """
    with asking():
        await bot.http.edit_channel(channel_id, reason=None, archived=False)


def _is_there(guild: discord.Guild | None, channel_id: int) -> bool:
    return guild is not None and guild.get_channel(channel_id) is not None
