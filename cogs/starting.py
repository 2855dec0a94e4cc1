"""Whether a game may be started: what a server says about its channels, and what can be rated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import discord

from bot.language import _, told
from bot.model.errors import NotRatedError, PlayerError
from bot.model.preferences import ServerSettings
from engine import load_variant

if TYPE_CHECKING:
    from bot.client import GameBot

MOST_NAMED = 10
"""Channels that are listed."""


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
    """Return the settings of the server in which a game is to be started.

    A thread may be played in if its channel may.

    Raises:
        NotPlayedHereError: If games may be played in other channels only.
    """
    settings = await interaction.client.servers.of(interaction.guild_id)
    channel, guild = interaction.channel, interaction.guild
    parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
    if not settings.allows(interaction.channel_id, parent_id):
        chosen = sorted(settings.channels or ())
        raise NotPlayedHereError([each for each in chosen if guild and guild.get_channel(each)])
    return settings


def require_rateable(
    bot: GameBot, variant_key: str, *people: discord.User | discord.Member | None
) -> None:
    """Raise if a game of these people by these rules could not be rated.

    Raises:
        NotRatedError: The message says why.
    """
    reason = why_casual(bot, variant_key, *people)
    if reason is not None:
        raise NotRatedError(reason)


def why_casual(
    bot: GameBot,
    variant_key: str,
    *people: discord.User | discord.Member | None,
    opening: str | None = None,
) -> str | None:
    """Return why a game of these people could not be rated; None if it can."""
    ids = [each.id for each in people if each is not None]
    reason = bot.ratings.why_not_rated(load_variant(variant_key).rules, ids)
    if reason is not None:
        return told(reason.sentence)
    return _("This game is not rated: its opening was chosen.") if opening else None
