"""Everything the engine refuses, as one small tree.

    EngineError(ValueError)
    ├── InvalidRulesError      options that contradict each other, unknown keys
    ├── InvalidNotationError   text that cannot be read
    ├── IllegalMoveError       a move the rules forbid in this position
    └── GameOverError          a move after the end

The messages are whole sentences in English that may be shown to players; `sentence` is for
other languages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from engine.types import Cell

LONGEST_QUOTE: Final = 40  # characters of what was given


def shorten(text: str) -> str:
    """Return at most forty characters of a text that is to be quoted."""
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."


class _Quoting(Formatter):
    """Inserts values as `str.format` does, and shortens quoted ones (`!r`)."""

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """Quote `value` if `conversion` says so."""
        if conversion == "r" and isinstance(value, str):
            value = shorten(value)
        return super().convert_field(value, conversion)


_QUOTING: Final = _Quoting()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that keeps words and values apart, so that it can be translated.

    Attributes:
        template: The words in English, with names in braces for the values; without
            values, braces are taken literally.
        values: What the names stand for; sentences may be parts of sentences.
        plural: The words if the value `count` is not one; None if the number does not matter.

    Examples:
        >>> str(say("There is no cell {cell}: {why}", cell=81, why=say("it is taken")))
        'There is no cell 81: it is taken'
        >>> str(say_count("{count} move", "{count} moves", 2))
        '2 moves'
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    plural: str | None = None

    def told(
        self, translate: Callable[[str], str], choose: Callable[[str, str, int], str] | None = None
    ) -> str:
        """Return the sentence in another language: `translate` translates English words.

        `choose` is given the singular, the plural and the number; those words stay English if None.
        """
        if self.plural is None:
            words = translate(self.template)
        else:
            count = self.values["count"]
            assert isinstance(count, int), "made by say_count"
            words = (choose or _choose)(self.template, self.plural, count)
        if not self.values:
            return words
        values = {
            name: value.told(translate, choose) if isinstance(value, Sentence) else value
            for name, value in self.values.items()
        }
        return _QUOTING.vformat(words, (), values)

    def format(self, **values: object) -> Sentence:
        """Return the sentence with these values."""
        return replace(self, values=values)

    def __str__(self) -> str:
        return self.told(str)


def say(template: str, /, **values: object) -> Sentence:
    """Return a sentence; the name of this function marks its words for translators."""
    return Sentence(template, values)


def say_count(one: str, many: str, count: int, /, **values: object) -> Sentence:
    """Return a sentence about `count` things: languages have up to four forms for that."""
    return Sentence(one, {"count": count} | values, many)


def _choose(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


class EngineError(ValueError):
    """The engine was asked for something the game does not allow; `sentence` is the message."""

    def __init__(self, message: Sentence | str) -> None:
        self.sentence = message if isinstance(message, Sentence) else Sentence(message)
        super().__init__(str(message))


class InvalidRulesError(EngineError):
    """Options that contradict each other, or a key that names no rules."""


class InvalidNotationError(EngineError):
    """`text` is not a move, an opening code or another written form."""

    def __init__(self, message: Sentence | str, *, text: str) -> None:
        super().__init__(message)
        self.text = text


class IllegalMoveError(EngineError):
    """The rules forbid `move` here; it is None if no single cell is at fault."""

    def __init__(self, message: Sentence | str, *, move: Cell | None = None) -> None:
        super().__init__(message)
        self.move = move


class GameOverError(EngineError):
    """A move after the game has ended."""
