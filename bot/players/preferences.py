"""What a player may ask for: how things look, in which language, and whether to be called."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from bot.errors import InvalidPreferenceError
from bot.language import LANGUAGES
from bot.players.wishes import WishStore, format_switch, parse_switch
from bot.render import MARK_PAIRS, THEMES
from bot.storage import preferences as rows

NOTICES_KEY: Final = "notices"


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


class PreferenceStore(WishStore[PlayerPreferences]):
    """Keeps what players ask for, by their number."""

    kind = PlayerPreferences
    load = staticmethod(rows.load_player_settings)
    save = staticmethod(rows.save_player_settings)
    parsers: ClassVar[dict[str, Callable[[str], object]]] = {
        NOTICES_KEY: Notices,
        "theme": str,
        "language": str,
        "text_board": parse_switch,
        "marks": str,
        "heard": str,
    }

    async def hear(self, user_id: int, language: str | None) -> PlayerPreferences:
        """Note the language a player's Discord is in, and return what they ask for.

        Nothing is written as long as it stays the same; None is any that the bot does not speak.
        """
        wanted = await self.of(user_id)
        if wanted.heard == language:
            return wanted
        return await self.change(user_id, heard=language)

    def _to_texts(self, wanted: PlayerPreferences) -> dict[str, str | None]:
        is_asked_for = wanted.notices is not Notices.NONE
        return {
            NOTICES_KEY: str(wanted.notices) if is_asked_for else None,
            "theme": wanted.theme,
            "language": wanted.language,
            "text_board": format_switch(True) if wanted.text_board else None,
            "marks": wanted.marks,
            "heard": wanted.heard,
        }


def check_choice(what: str, given: str | None, known: Collection[str]) -> None:
    """Make sure that what was chosen exists, or nothing was.

    Raises:
        InvalidPreferenceError: If it does not; the message names what does.
    """
    if given is not None and given not in known:
        raise InvalidPreferenceError(what, given, known)
