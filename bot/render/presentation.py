"""In which presentation something is shown and said to whoever sees it; decided without Discord."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.language import LANGUAGES
from bot.model.preferences import PlayerPreferences, ServerSettings
from bot.render import DARK, THEMES, Theme

ENGLISH: Final = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """How a message is drawn and said.

    Attributes:
        theme: The colours of its images, with the shapes of the marks.
        language: One of `LANGUAGES`.
        text_board: Whether positions are written as text below their images.
    """

    theme: Theme = DARK
    language: str = ENGLISH
    text_board: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is set where a message is shown.

    Attributes:
        server: What those who manage the server have set.
        language: What the server says it speaks, None if that is none of `LANGUAGES`.
    """

    server: ServerSettings
    language: str | None = None


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


def presentation_for_one(wanted: PlayerPreferences, around: Surroundings) -> Presentation:
    """Return the presentation for somebody who is the only one to see it, or the one who matters.

    What they have asked for comes first, then the language their Discord is in, then the server.
    """
    server = around.server
    theme = THEMES[wanted.theme or server.theme or DARK.key]
    return Presentation(
        theme=theme.with_marks(wanted.marks),
        language=_own_language(wanted) or server.language or around.language or ENGLISH,
        text_board=wanted.text_board,
    )


def presentation_for_several(
    wanted: Sequence[PlayerPreferences], around: Surroundings
) -> Presentation:
    """Return the presentation for people who look at the same message.

    The server's settings come first. Where it has none, what they have all asked for goes; a
    board as text is there for whoever needs it, and does not keep the others from anything.
    """
    server = around.server
    theme = THEMES[server.theme or _agreed([each.theme for each in wanted]) or DARK.key]
    language = server.language or _agreed([_own_language(each) for each in wanted])
    return Presentation(
        theme=theme.with_marks(_agreed([each.marks for each in wanted])),
        language=language or around.language or ENGLISH,
        text_board=any(each.text_board for each in wanted),
    )


def _own_language(wanted: PlayerPreferences) -> str | None:
    return wanted.language or wanted.heard


def _agreed(keys: Collection[str | None]) -> str | None:
    """Return what all have in common, None if they differ or have asked for nothing."""
    first, *others = set(keys) or {None}
    return None if others else first
