"""What can be wrong with a request for a field; every message may be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.language import _
from bot.model.errors import PlayerError
from engine import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable


class FieldError(PlayerError):
    """A field that cannot be drawn as it was asked for."""


class UnknownFieldError(FieldError):
    """There is no such field.

    Attributes:
        key: What was asked for.
    """

    def __init__(self, key: str, valid: Iterable[str]) -> None:
        self.key = key
        words = _("There is no field {given!r}. Choose one of: {known}.")
        super().__init__(words.format(given=shorten(key), known=", ".join(valid)))


class UnknownMapError(FieldError):
    """There is no such map.

    Attributes:
        key: What was asked for.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(
            _(
                "There is no map {given!r}. A map is called map and two digits from 1 to 8:"
                " map11 to map88, 64 in all, such as map34."
            ).format(given=shorten(key))
        )


class UnfitGameError(FieldError):
    """The game cannot be shown truthfully on the field."""
