"""Who a message is for: that decides its colours, its language and whether it is text as well.

A private answer is for the one who gets it. What several people see is for all of them, also
when the bot brings it up to date by itself: then what is stored about them decides.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord
import structlog

from bot.language import speaking
from bot.model.match import Match
from bot.render.presentation import (
    ENGLISH,
    Presentation,
    Surroundings,
    language_of,
    presentation_for_one,
    presentation_for_several,
)

if TYPE_CHECKING:
    from bot.client import GameBot

__all__ = [
    "Presentation",
    "hear",
    "own_language",
    "own_presentation",
    "presentation_among",
    "presentation_of",
    "presentation_to",
    "shared_presentation",
]

log = structlog.get_logger(__name__)


async def hear(interaction: discord.Interaction[GameBot]) -> None:
    """Note which language the Discord of who asked is in: what is shown without a click needs it.

    Done once an interaction comes in (`answering`); whatever else is here only reads.

    Raises:
        StorageFailedError: If it could not be stored.
    """
    language = language_of(str(interaction.locale))
    await interaction.client.preferences.hear(interaction.user.id, language)


@asynccontextmanager
async def own_language(interaction: discord.Interaction[GameBot]) -> AsyncIterator[None]:
    """Speak the language of who asked: for everything that only they get to see.

    Autocompletions run in it; answers do by themselves (`answering`).
    """
    try:
        language = (await own_presentation(interaction)).language
    except Exception:
        # Whatever else is broken, there is an answer to be given in some language.
        log.exception("language not known", interaction=interaction.id)
        language = language_of(str(interaction.locale)) or ENGLISH
    with speaking(language):
        yield


async def own_presentation(interaction: discord.Interaction[GameBot]) -> Presentation:
    """Return the presentation of an answer that only who asked gets to see."""
    bot = interaction.client
    stored = await bot.preferences.of(interaction.user.id)
    wanted = replace(stored, heard=language_of(str(interaction.locale)))
    around = await _surroundings(bot, interaction.guild_id, interaction)
    return presentation_for_one(wanted, around)


async def shared_presentation(interaction: discord.Interaction[GameBot]) -> Presentation:
    """Return the presentation of a command's answer that all in the channel see.

    The server's settings come first; where it has none, whoever asked is the audience.
    """
    return await presentation_among(
        interaction.client, [interaction.user.id], interaction.guild_id, interaction
    )


async def presentation_of(
    bot: GameBot, match: Match, interaction: discord.Interaction[Any] | None = None
) -> Presentation:
    """Return the presentation of a board that everybody sees.

    Against the computer it is the player's own; between two people it is theirs in common.

    Args:
        bot: Knows what people and servers have set.
        match: What is shown.
        interaction: The click it answers, if it answers one.
    """
    people = [seat.player_id for seat in match.seats if seat.player_id is not None]
    if match.is_between_people:
        return await presentation_among(bot, people, match.guild_id, interaction)
    return await presentation_to(bot, people[0], match.guild_id, interaction)


async def presentation_to(
    bot: GameBot,
    user_id: int,
    guild_id: int | None = None,
    interaction: discord.Interaction[Any] | None = None,
) -> Presentation:
    """Return the presentation for one person: a direct message, a board of their own."""
    around = await _surroundings(bot, guild_id, interaction)
    return presentation_for_one(await bot.preferences.of(user_id), around)


async def presentation_among(
    bot: GameBot,
    people: Collection[int],
    guild_id: int | None,
    interaction: discord.Interaction[Any] | None = None,
) -> Presentation:
    """Return the presentation of what these people see together: a board, a challenge, a notice."""
    around = await _surroundings(bot, guild_id, interaction)
    return presentation_for_several([await bot.preferences.of(each) for each in people], around)


async def _surroundings(
    bot: GameBot, guild_id: int | None, interaction: discord.Interaction[Any] | None
) -> Surroundings:
    """Return what is set in a server, which the bot may know from a click there alone."""
    guild = None if guild_id is None else bot.get_guild(guild_id)
    locale = None if guild is None else guild.preferred_locale
    if guild is None and interaction is not None and interaction.guild_id == guild_id:
        locale = interaction.guild_locale
    return Surroundings(
        server=await bot.servers.of(guild_id),
        language=language_of(None if locale is None else str(locale)),
    )
