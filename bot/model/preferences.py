"""The settings of players and servers: looks, language, and when to notify them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from bot.model.clocks import ClockRules
from bot.model.errors import InvalidPreferenceError
from engine import InvalidRulesError, load_variant

LANGUAGES: Final = {"en": "English", "de": "Deutsch", "ru": "Русский"}
"""The languages there are, each by its own name; texts in the code are in the first."""


NOTICES_KEY: Final = "notices"
FEED_KEY: Final = "feed_channel"
DAILY_KEY: Final = "daily_channel"
DAILY_HOUR_KEY: Final = "daily_hour"
NAMED_KEY: Final = "named_games"

THEMES: Final = ("dark", "light", "high-contrast", "colour-blind")
"""The keys of the themes of images."""

HOURS: Final = tuple(map(str, range(24)))
"""The hours of the day, as they are stored."""

MARK_PAIRS: Final = ("classic", "plus", "filled", "bold")
"""The keys of the pairs of mark shapes."""


class Notices(StrEnum):
    """How to tell a player that it is their turn. Stored as text: never rename."""

    AUTO = "auto"  # a mention where the board is once they have not moved for a while
    CHANNEL = "channel"  # the same as soon as their turn begins
    DM = "dm"  # a direct message then
    NONE = "none"


class LessonProgress(StrEnum):
    """How far a player has come with the lesson. Stored as text: never rename."""

    STARTED = "started"
    SKIPPED = "skipped"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPreferences:
    """The settings of a player; None leaves it to the server, or to Discord.

    Attributes:
        notices: How to tell them that it is their turn.
        theme: The key of one of the themes of images.
        language: One of `LANGUAGES`.
        text_board: Whether boards are to be written as text too, for screen readers.
        marks: The key of a pair of mark shapes.
        named_games: Whether their name may stand in the database of games that hosts publish.
        heard: The language their Discord was in when they last played. They have not asked
            for it, but it is a better guess than English for what is said without a click.
        lesson: How far they have come with the lesson offered to newcomers; None if they have
            neither taken nor skipped it.

    Raises:
        InvalidPreferenceError: If there is no such theme, language or pair.
    """

    notices: Notices = Notices.AUTO
    theme: str | None = None
    language: str | None = None
    text_board: bool = False
    marks: str | None = None
    named_games: bool = False
    heard: str | None = None
    lesson: LessonProgress | None = None

    def __post_init__(self) -> None:
        check_choice("theme", self.theme, THEMES)
        check_choice("language", self.language, LANGUAGES)
        check_choice("marks", self.marks, MARK_PAIRS)
        check_choice("language", self.heard, LANGUAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings of a server; None leaves it to the players.

    Attributes:
        channels: Where games may be played; None for everywhere.
        variant_key: The rules to play by if nobody says otherwise.
        clock: The clock of challenges if nobody says otherwise.
        threads: Whether each game between people gets a thread of its own.
        language: One of `LANGUAGES`.
        theme: The key of one of the themes of images.
        lobby_role: The role that is called when somebody looks for an opponent.
        feed_channel: Where people follow who plays whom, and the results.
        daily_channel: Where the daily puzzle is posted.
        daily_hour: In which hour of the day, in UTC.
        daily_role: The role that is mentioned then.

    Raises:
        InvalidPreferenceError: If there is no such variant, language, theme or hour.
    """

    channels: frozenset[int] | None = None
    variant_key: str | None = None
    clock: ClockRules | None = None
    threads: bool = False
    language: str | None = None
    theme: str | None = None
    lobby_role: int | None = None
    feed_channel: int | None = None
    daily_channel: int | None = None
    daily_hour: int | None = None
    daily_role: int | None = None

    def __post_init__(self) -> None:
        check_choice("theme", self.theme, THEMES)
        check_choice("language", self.language, LANGUAGES)
        check_choice("hour", None if self.daily_hour is None else str(self.daily_hour), HOURS)
        if self.variant_key is not None:
            try:
                load_variant(self.variant_key)
            except InvalidRulesError as error:
                reason = error.sentence
                raise InvalidPreferenceError("variant", self.variant_key, reason) from error

    def allows(self, *channel_ids: int | None) -> bool:
        """Return whether games may be played in a channel: its own number or its parent's."""
        return self.channels is None or not self.channels.isdisjoint(channel_ids)


def check_choice(what: str, given: str | None, known: Collection[str]) -> None:
    """Make sure that what was chosen exists; None is always allowed.

    Raises:
        InvalidPreferenceError: If it does not; the message names what does.
    """
    if given is not None and given not in known:
        raise InvalidPreferenceError(what, given, known)


@lru_cache(256)
def language_of(locale: str | None) -> str | None:
    """Return the language of a locale such as "de" or "en-GB" if it is one of `LANGUAGES`.

    Examples:
        >>> language_of("en-GB"), language_of("ru"), language_of("fr"), language_of(None)
        ('en', 'ru', None, None)
    """
    if locale is None:
        return None
    language = locale.split("-")[0].lower()
    return language if language in LANGUAGES else None
