"""Colours and shapes that every back-end shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Ink
from bot.render.theme import LIGHT

if TYPE_CHECKING:
    from bot.render.theme import Colour

# Dark enough for a printer without colours, where the shapes tell X from O.
INKS: Final[dict[Ink, Colour]] = {
    Ink.BLACK: (0, 0, 0),
    Ink.FAINT: (140, 140, 140),
    Ink.COVERED: (212, 212, 212),
    Ink.X: LIGHT.marks[0],
    Ink.O: LIGHT.marks[1],
}
MARK_INKS: Final = (Ink.X, Ink.O)
MARK_SHAPES: Final = LIGHT.shapes
