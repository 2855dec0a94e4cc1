"""Texts and numbers in the reader's language.

Texts are written in English where they are used and marked with `_`, with names in braces for what
is put in afterwards: `_("{name} wins").format(name=name)`. Everything inside `with speaking("de"):`
is in that language, whichever module it is in. `mark_of` says X and O as they are drawn there.

A text calls commands by their names in its language. The reader's Discord may know them by other
names, so `mentioned` turns them into Discord's mentions, which every client shows in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, Final

from babel.numbers import format_decimal, format_percent
from babel.units import format_unit

from bot.language.catalogues import catalogue
from bot.model.preferences import LANGUAGES as LANGUAGES
from engine import MARKS, Side
from engine.errors import Sentence

BUTTON: Final = "button"
"""The context of the labels of buttons."""

_speaking: ContextVar[str] = ContextVar("language", default="en")
_marks: ContextVar[tuple[str, str]] = ContextVar("marks", default=MARKS)

_SLASH: Final = 1
_SUBCOMMAND: Final = 1

_english: dict[str, str] = {}  # by every name that a text may use
_ids: dict[str, int] = {}  # by English name; a process serves one application
_pattern: re.Pattern[str] | None = None


@contextmanager
def speaking(language: str | None, marks: tuple[str, str] = MARKS) -> Iterator[None]:
    """Use a language, one of `LANGUAGES`, and marks in a block; None leaves both as they are."""
    if language is None:
        yield
        return
    tokens = _speaking.set(language), _marks.set(marks)
    try:
        yield
    finally:
        _speaking.reset(tokens[0])
        _marks.reset(tokens[1])


def current_language() -> str:
    """Return the key of the language in use."""
    return _speaking.get()


def mark_of(side: Side) -> str:
    """Return the mark of a side as it is drawn where this is said; records keep X and O."""
    return _marks.get()[side]


def _(text: str) -> str:
    """Return `text` in the language in use; an empty text stays empty."""
    # The empty text is where a catalogue keeps its own description.
    return catalogue(_speaking.get()).gettext(text) if text else text


def told(text: str | Sentence) -> str:
    """Return a `Sentence` of a module without languages, such as the engine, in the one in use.

    A plain text, such as a player's name, is returned as it is.
    """
    return text.told(_, ngettext) if isinstance(text, Sentence) else text


def ngettext(one: str, many: str, count: int) -> str:
    """Return the text for `count` things; languages have up to four forms."""
    return catalogue(_speaking.get()).ngettext(one, many, count)


def pgettext(context: str, text: str) -> str:
    """Return `text` where the same English word has several meanings; `context` says which."""
    return catalogue(_speaking.get()).pgettext(context, text)


def label(text: str) -> str:
    """Return the label of a button; translators see that it has to be short."""
    return pgettext(BUTTON, text)


def N_(text: str) -> str:  # noqa: N802  # the name that extractors know
    """Mark a constant, which goes through `_` where it is used."""
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


def short_time(span: timedelta) -> str:
    """Return a length of time in one unit and few letters: whole days, else hours or minutes.

    Examples:
        >>> short_time(timedelta(days=3)), short_time(timedelta(hours=36, minutes=20))
        ('3 days', '36 hr')
    """
    for unit, size in (("day", timedelta(days=1)), ("hour", timedelta(hours=1))):
        if span >= size and (unit == "hour" or not span % size):
            break
    else:
        unit, size = "minute", timedelta(minutes=1)
    return format_unit(span // size, f"duration-{unit}", "short", locale=current_language())


def learn_commands(payload: Sequence[Mapping[str, Any]], ids: Mapping[str, int]) -> None:
    """Learn what the commands are called in every language, and their ids.

    Args:
        payload: The commands as they are sent to Discord.
        ids: Discord's ids of the commands by name; those left out stay plain text.
    """
    global _pattern
    _english.clear()
    _ids.clear()
    for command in payload:
        if command.get("type", _SLASH) != _SLASH:
            continue  # a menu's name is not typed
        for names in _names_of(command):
            for name in names:
                _english.setdefault(name, names[0])
            if command["name"] in ids and not _subcommands(command, names[0]):
                _ids[names[0]] = ids[command["name"]]
    if not _english:
        _pattern = None
        return
    known = "|".join(re.escape(name) for name in sorted(_english, key=len, reverse=True))
    _pattern = re.compile(
        rf"`/(?P<quoted>{known})(?: (?P<rest>[^`]+))?`|(?<![\w/<.:`])/(?P<bare>{known})(?![\w-])"
    )


def mentioned(text: str) -> str:
    """Return `text` with its commands as mentions, or by English name if they have no id."""
    return text if _pattern is None else _pattern.sub(_mention, text)


def _mention(found: re.Match[str]) -> str:
    name = _english[found["quoted"] or found["bare"]]
    rest = found["rest"]
    if name in _ids:
        return f"</{name}:{_ids[name]}>" + (f" `{rest}`" if rest else "")
    return f"/{name}" if found["bare"] else f"`/{name}{f' {rest}' if rest else ''}`"


def _names_of(command: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the names of a command, and of each of its subcommands, the English one first."""
    own = _translations(command)
    yield tuple(own.values())
    for option in command.get("options") or []:
        if option["type"] == _SUBCOMMAND:
            inner = _translations(option)
            yield tuple(
                f"{own.get(language, own[''])} {inner.get(language, inner[''])}"
                for language in own | inner
            )


def _translations(part: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of something by language, the English one under ""."""
    return {"": part["name"], **(part.get("name_localizations") or {})}


def _subcommands(command: Mapping[str, Any], name: str) -> bool:
    """Return whether `name` stands for subcommands only, and cannot be used by itself."""
    return name == command["name"] and any(
        option["type"] == _SUBCOMMAND for option in command.get("options") or []
    )
