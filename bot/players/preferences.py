"""What a player may ask for: how things look, in which language, and whether to be called."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import structlog

from bot.clock import Clock, system_clock
from bot.errors import InvalidPreferenceError
from bot.language import LANGUAGES
from bot.players.memory import Recent
from bot.render import MARK_PAIRS, THEMES
from bot.storage import preferences as rows

if TYPE_CHECKING:
    from bot.storage import Database

NOTICES_KEY: Final = "notices"

log = structlog.get_logger(__name__)


class Notices(StrEnum):
    """How to tell a player that it is their turn. Stored as text: never rename."""

    NONE = "none"  # not unless they ask for it
    CHANNEL = "channel"  # a mention where the board is
    DM = "dm"  # a message of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPreferences:
    """What a player has asked for; None leaves it to the server, or to Discord.

    Attributes:
        notices: How to tell them that it is their turn.
        theme: The key of one of the themes of images.
        language: One of `LANGUAGES`.
        text_board: Whether boards are to be written as text too, for screen readers.
        marks: The key of a pair of mark shapes.
        heard: The language their Discord was in when they last played. They have not asked
            for it, but it is a better guess than English for what is said without a click.

    Raises:
        InvalidPreferenceError: If there is no such theme, language or pair.
    """

    notices: Notices = Notices.NONE
    theme: str | None = None
    language: str | None = None
    text_board: bool = False
    marks: str | None = None
    heard: str | None = None

    def __post_init__(self) -> None:
        check_choice("theme", self.theme, THEMES)
        check_choice("language", self.language, LANGUAGES)
        check_choice("marks", self.marks, MARK_PAIRS)
        check_choice("language", self.heard, LANGUAGES)


class PreferenceStore:
    """Keeps what players ask for, and in memory what was asked about lately.

    Args:
        database: Where it is kept.
        clock: Tells when it was asked for.
    """

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock
        self._recent = Recent[PlayerPreferences]()
        self._changing = asyncio.Lock()

    async def of(self, user_id: int) -> PlayerPreferences:
        """Return what a player has asked for.

        What an earlier version stored and this one does not know is left out.
        """
        known = self._recent.find(user_id)
        if known is not None:
            return known
        found = await self._database.read(lambda c: rows.load_player_settings(c, user_id))
        return self._recent.keep_read(user_id, _from_texts(found, user_id))

    async def put(self, user_id: int, wanted: PlayerPreferences) -> None:
        """Remember all that a player asks for.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now, texts = self._clock(), _to_texts(wanted)
        await self._database.write(lambda c: rows.save_player_settings(c, user_id, texts, now))
        self._recent.keep(user_id, wanted)

    async def change(self, user_id: int, **changes: object) -> PlayerPreferences:
        """Change some of what a player asks for and return all of it.

        Two changes at once, from two clicks, both last.

        Raises:
            InvalidPreferenceError: If there is no such choice.
            StorageFailedError: If it could not be stored.
        """
        async with self._changing:
            wanted = replace(await self.of(user_id), **changes)  # type: ignore[arg-type]
            await self.put(user_id, wanted)
        return wanted

    async def hear(self, user_id: int, language: str | None) -> PlayerPreferences:
        """Note the language a player's Discord is in, and return what they ask for.

        Nothing is written as long as it stays the same; None is any that the bot does not speak.
        """
        wanted = await self.of(user_id)
        if wanted.heard == language:
            return wanted
        return await self.change(user_id, heard=language)

    def forget(self, user_id: int) -> None:
        """Read a player's wishes anew: somebody else has changed them on the disk."""
        self._recent.drop(user_id)


def check_choice(what: str, given: str | None, known: Collection[str]) -> None:
    """Make sure that what was chosen exists, or nothing was.

    Raises:
        InvalidPreferenceError: If it does not; the message names what does.
    """
    if given is not None and given not in known:
        raise InvalidPreferenceError(what, given, known)


def _from_texts(found: dict[str, str], user_id: int) -> PlayerPreferences:
    wanted = PlayerPreferences()
    values: dict[str, object] = {}
    for key, text in found.items():
        try:
            value = _parse(key, text)
            PlayerPreferences(**{key: value})  # type: ignore[arg-type]  # asked for the refusal
        except (ValueError, TypeError, InvalidPreferenceError):
            log.warning("preference left out", player=user_id, key=key, value=text)
        else:
            values[key] = value
    return PlayerPreferences(**values) if values else wanted  # type: ignore[arg-type]


def _parse(key: str, text: str) -> object:
    if key == NOTICES_KEY:
        return Notices(text)
    if key == "text_board":
        return parse_switch(text)
    return text


def _to_texts(wanted: PlayerPreferences) -> dict[str, str | None]:
    standard = PlayerPreferences()
    texts: dict[str, str | None] = {}
    for field in fields(wanted):
        value = getattr(wanted, field.name)
        usual = value == getattr(standard, field.name)
        texts[field.name] = None if usual else format_switch(value)
    return texts


def parse_switch(text: str) -> bool:
    """Read "on" or "off".

    Raises:
        ValueError: If it is neither.
    """
    if text not in ("on", "off"):
        raise ValueError(f"on or off, got {text!r}")
    return text == "on"


def format_switch(value: object) -> str:
    """Write a switch as "on" or "off", and anything else as it is."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
