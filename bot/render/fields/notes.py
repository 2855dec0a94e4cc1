"""What is printed beneath a field: its caption, the game, a hint, the credit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Align, Label
from bot.render.fields.typeface import wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

CREDIT: Final = (
    "Strategic Tic-Tac-Toe: game idea and fields by Mikhail Demchenko and Anton Shashkov,"
    " CC-BY 4.0, github.com/echo-Mike/STTT."
)
REDRAWN: Final = "This drawing is ours, redrawn after their fields."

_GAP_UNITS: Final = 0.27

# On paper: 2.1 mm are 6 points. Larger notes would cost the cells of the full
# fields, which fill a sheet, half a millimetre.
_NOTE_MM: Final = 2.1
_NOTE_LEADING_MM: Final = 2.7
_CAPTION_MM: Final = 3.2
_CAPTION_LEADING_MM: Final = 4.2


def scale_note(unit_mm: float) -> str:
    """Return the note that tells whether the printer has kept the size."""
    return f"Printed on A4 at 100 %, one cell is {unit_mm:g} mm."


def lay_notes(
    captions: Sequence[str],
    paragraphs: Sequence[str],
    *,
    top: int,
    width: int,
    unit_mm: float,
) -> tuple[tuple[Label, ...], float]:
    """Return the notes as labels beneath a field, and where the last one ends.

    Args:
        captions: Lines of their own, in larger letters.
        paragraphs: Texts that are wrapped to the width of the field.
        top: The height of the field, in unit cells.
        width: The width of the field.
        unit_mm: The side of a cell on paper: notes have the same size on all.
    """
    labels: list[Label] = []
    y = top + _GAP_UNITS
    for caption in captions:
        height = _CAPTION_LEADING_MM / unit_mm
        labels.append(_label(caption, y, width, height, _CAPTION_MM / unit_mm))
        y += height
    y += _GAP_UNITS if captions else 0
    size, height = _NOTE_MM / unit_mm, _NOTE_LEADING_MM / unit_mm
    for paragraph in paragraphs:
        for line in wrapped(paragraph, size, width):
            labels.append(_label(line, y, width, height, size))
            y += height
    return tuple(labels), y


def _label(text: str, y: float, width: float, height: float, size: float) -> Label:
    return Label(x=0, y=y, width=width, height=height, text=text, size=size, align=Align.LEFT)
