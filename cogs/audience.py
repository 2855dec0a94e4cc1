"""Who a message is for, which decides its colours, its language and whether boards are text too.

A private answer is for its reader. A message that several people see is for all of them, even
when the bot updates it without a click: then their stored preferences decide.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import discord
import structlog

from bot.client import GameBot, Interaction, described
from bot.language import speaking, told
from bot.model.match import Match, Person
from bot.model.preferences import PlayerPreferences, ServerSettings, language_of
from bot.render import DARK, THEMES, Theme

log = structlog.get_logger(__name__)

ENGLISH: Final = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """The look and language of a message.

    Attributes:
        theme: The colours of its images, with the shapes of the marks.
        language: One of `LANGUAGES`.
        text_board: Whether positions are written as text below their images.
    """

    theme: Theme = DARK
    language: str = ENGLISH
    text_board: bool = False

    def spoken(self) -> AbstractContextManager[None]:
        """Speak its language inside, and call X and O as its theme draws them."""
        x, o = self.theme.shapes
        return speaking(self.language, (x.glyph, o.glyph))


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The settings of the place where a message is shown.

    Attributes:
        server: The settings chosen by those who manage the server.
        language: The server's own language on Discord; None if it is not one of `LANGUAGES`.
    """

    server: ServerSettings
    language: str | None = None


def presentation_for_one(wanted: PlayerPreferences, around: Surroundings) -> Presentation:
    """Return the presentation for one reader, or for a board against the computer.

    Their settings come first, then the language of their Discord, then the server's settings.
    """
    server = around.server
    return Presentation(
        theme=_theme(wanted.theme or server.theme, wanted.marks),
        language=_own_language(wanted) or server.language or around.language or ENGLISH,
        text_board=wanted.text_board,
    )


def presentation_for_several(
    wanted: Sequence[PlayerPreferences], around: Surroundings
) -> Presentation:
    """Return the presentation for people who look at the same message.

    The server's settings come first, then the settings that all of these people share. Boards are
    written as text if one of them needs it.
    """
    server = around.server
    theme = server.theme or _agreed([each.theme for each in wanted])
    language = server.language or _agreed([_own_language(each) for each in wanted])
    return Presentation(
        theme=_theme(theme, _agreed([each.marks for each in wanted])),
        language=language or around.language or ENGLISH,
        text_board=any(each.text_board for each in wanted),
    )


def _theme(key: str | None, marks: str | None) -> Theme:
    theme = THEMES[key or DARK.key]
    return theme if marks is None else theme.with_marks(marks)


def _own_language(wanted: PlayerPreferences) -> str | None:
    return wanted.language or wanted.heard


def _agreed(keys: Collection[str | None]) -> str | None:
    """Return the value that all have set; None if they differ or have set nothing."""
    first, *others = set(keys) or {None}
    return None if others else first


def person_of(user: discord.User | discord.Member) -> Person:
    """Return a Discord user as a `Person`, which the services use."""
    return Person(id=user.id, name=user.display_name, is_bot=user.bot)


def told_names(match: Match) -> tuple[str, str]:
    """Return the names of X and O in the current language."""
    x, o = match.names
    return told(x), told(o)


@asynccontextmanager
async def own_language(interaction: Interaction) -> AsyncIterator[None]:
    """Speak the user's own language inside, for text that only they see.

    `answering` does so by itself; autocompletions have to call this.
    """
    try:
        spoken = (await own_presentation(interaction)).spoken()
    except Exception:
        # An answer has to be given in some language.
        log.exception("language not known", **described(interaction))
        spoken = speaking(language_of(str(interaction.locale)) or ENGLISH)
    with spoken:
        yield


async def own_presentation(interaction: Interaction) -> Presentation:
    """Return the presentation of a private answer."""
    bot = interaction.client
    stored = await bot.preferences.of(interaction.user.id)
    heard = language_of(str(interaction.locale))
    wanted = stored if stored.heard == heard else replace(stored, heard=heard)
    around = await _surroundings(bot, interaction.guild_id, interaction)
    return presentation_for_one(wanted, around)


async def shared_presentation(interaction: Interaction) -> Presentation:
    """Return the presentation of a public answer.

    In a server it speaks the server's language. The person who asked may want it as text, and in
    their colours if the server has set none.
    """
    bot, guild_id = interaction.client, interaction.guild_id
    wanted = await bot.preferences.of(interaction.user.id)
    if guild_id is not None:
        wanted = replace(wanted, language=None, heard=None)
    return presentation_for_several([wanted], await _surroundings(bot, guild_id, interaction))


async def presentation_of(
    bot: GameBot, match: Match, interaction: discord.Interaction[Any] | None = None
) -> Presentation:
    """Return the presentation of a board that everybody sees.

    Against the computer it is the player's own; between two people it is shared by both.
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
    """Return the settings of a server, which the bot may know only from a click there."""
    guild = None if guild_id is None else bot.get_guild(guild_id)
    locale = None if guild is None else guild.preferred_locale
    if guild is None and interaction is not None and interaction.guild_id == guild_id:
        locale = interaction.guild_locale
    return Surroundings(
        server=await bot.servers.of(guild_id),
        language=language_of(None if locale is None else str(locale)),
    )
