"""Which language is being spoken, and a text in it.

Texts are written in English where they are said and marked with `_`, with names in braces for what
is put in afterwards: `_("{name} wins").format(name=name)`. Whoever answers somebody says so once,
`with speaking("de"):`, and everything said inside, by whichever module, is in that language.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from babel.numbers import format_decimal, format_percent

from bot.language.catalogues import catalogue
from bot.model.languages import LANGUAGES as LANGUAGES
from engine.errors import Sentence

BUTTON: Final = "button"
"""The context of the labels of buttons."""

_speaking: ContextVar[str] = ContextVar("language", default="en")


@contextmanager
def speaking(language: str | None) -> Iterator[None]:
    """Speak a language inside, one of `LANGUAGES`; None leaves it as it is."""
    if language is None:
        yield
        return
    token = _speaking.set(language)
    try:
        yield
    finally:
        _speaking.reset(token)


def current_language() -> str:
    """Return the key of the language that is being spoken."""
    return _speaking.get()


def _(text: str) -> str:
    """Return `text` in the language that is being spoken; nothing for nothing."""
    # The empty text is where a catalogue keeps its own description.
    return catalogue(_speaking.get()).gettext(text) if text else text


def told(text: str | Sentence) -> str:
    """Return what a part that knows no languages has to say, in the one that is being spoken.

    A text that is no sentence, such as somebody's name, is returned as it is.
    """
    return text.told(_, ngettext) if isinstance(text, Sentence) else text


def ngettext(one: str, many: str, count: int) -> str:
    """Return the text for `count` things; languages have up to four forms for that."""
    return catalogue(_speaking.get()).ngettext(one, many, count)


def pgettext(context: str, text: str) -> str:
    """Return `text` where the same English word means different things, told by `context`."""
    return catalogue(_speaking.get()).pgettext(context, text)


def label(text: str) -> str:
    """Return what stands on a button; translators see that it has to be short."""
    return pgettext(BUTTON, text)


def N_(text: str) -> str:  # noqa: N802  # the name that extractors know
    """Mark a text that is said later: a constant, put through `_` where it is used."""
    return text


def percent(share: float) -> str:
    """Return a share of one as whole percents, as the language writes them.

    Examples:
        >>> percent(0.634)
        '63%'
    """
    return format_percent(share, locale=current_language())


def number(value: float, pattern: str | None = None) -> str:
    """Return a number as the language writes it; `pattern` is one of Babel's.

    Examples:
        >>> number(1234.5)
        '1,234.5'
    """
    return format_decimal(value, format=pattern, locale=current_language())
