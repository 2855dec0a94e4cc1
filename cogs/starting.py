"""Starting games, and where they may be started and which can be rated."""

from __future__ import annotations

import discord

from bot.client import GameBot, Interaction
from bot.language import _, told
from bot.model.errors import NotRatedError, PlayerError
from bot.model.match import FirstMove, Match
from bot.model.preferences import ServerSettings
from bot.services.starting import start_against_computer
from cogs.audience import person_of
from cogs.options import variant_meant
from engine import LevelNumber, load_variant

MOST_NAMED = 10
"""Channels that are listed."""


async def playing_here(interaction: Interaction) -> ServerSettings:
    """Return the settings of the server in which a game is to be started.

    A thread may be played in if its channel may.

    Raises:
        PlayerError: If games may be played in other channels only.
    """
    channel, bot = interaction.channel, interaction.client
    settings = await bot.servers.of(interaction.guild_id)
    parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
    if settings.allows(interaction.channel_id, parent_id):
        return settings
    there = [f"<#{each}>" for each in sorted(settings.channels or ()) if bot.guild_of(each)]
    if not there:
        raise PlayerError(
            _(
                "The channels that games may be played in are gone. Those who manage this "
                "server can choose others with `/server`."
            )
        )
    words = _("Games are not played in this channel. Go to {channels}.")
    raise PlayerError(words.format(channels=", ".join(there[:MOST_NAMED])))


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


async def is_newcomer(interaction: Interaction) -> bool:
    """Return whether the user has no game here, nor has taken or skipped the lesson."""
    bot, user_id = interaction.client, interaction.user.id
    wanted = await bot.preferences.of(user_id)
    return wanted.lesson is None and await bot.matches.latest_of(user_id) is None


async def start_game(
    interaction: Interaction,
    *,
    level: LevelNumber,
    first: FirstMove = FirstMove.YOU,
    variant: str | None = None,
    opening: str | None = None,
    rated: bool = False,
) -> Match:
    """Start a game of the user against the computer, to be shown where they are.

    Raises:
        PlayerError: If it may not be played here, or not be rated.
        EngineError: If there are no such rules, or no such opening.
    """
    bot = interaction.client
    key = variant_meant(variant, await playing_here(interaction))
    if rated:
        require_rateable(bot, key, interaction.user)
    return await start_against_computer(
        bot.matches,
        person=person_of(interaction.user),
        level=level,
        first=first,
        variant_key=key,
        opening_code=opening.strip() if opening else None,
        rated=rated,
        channel_id=interaction.channel_id,
        guild_id=interaction.guild_id,
    )
