"""A drawing as a PNG."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageDraw

from bot.render.fields.drawing import Align, Box, Ink, Label, Line, Mark, Shape
from bot.render.fields.looks import INKS, MARK_INKS, MARK_SHAPES
from bot.render.fields.typeface import CAP_HEIGHT, font, text_width
from bot.render.shapes import mark_mask

if TYPE_CHECKING:
    from bot.render.fields.drawing import Drawing, Weight

# As printed on A4 at about 150 dots an inch.
_PX_PER_MM: Final = 6
_MARGIN_MM: Final = 4

# Smaller cells have no room for a digit; larger ones make pictures of 100 megapixels.
_LEAST_PX: Final = 8
_MOST_PX: Final = 128

# Few inks, and four dozen shades for the edges of letters and marks.
_COLOURS: Final = 64


def to_png(drawing: Drawing, *, unit_px: int | None = None) -> bytes:
    """Return the drawing as a PNG on a white ground.

    Args:
        drawing: What to draw.
        unit_px: The side of a unit cell, 8 to 128; all lines lie on whole
            pixels. None for the size of the print at 6 pixels a millimetre.

    Raises:
        ValueError: If `unit_px` is out of range.
    """
    unit = round(drawing.unit_mm * _PX_PER_MM) if unit_px is None else unit_px
    if not _LEAST_PX <= unit <= _MOST_PX:
        raise ValueError(f"unit_px must be from {_LEAST_PX} to {_MOST_PX}, got {unit}")
    canvas = _Canvas(drawing, unit)
    for shape in (*drawing.shapes, *drawing.notes):
        canvas.put(shape)
    return canvas.png()


def margin_px(drawing: Drawing, unit_px: int) -> int:
    """Return how many pixels of white there are around a drawing."""
    return round(_MARGIN_MM / drawing.unit_mm * unit_px)


class _Canvas:
    """A picture that shapes are put on."""

    def __init__(self, drawing: Drawing, unit: int) -> None:
        self._unit = unit
        self._unit_mm = drawing.unit_mm
        self._margin = margin_px(drawing, unit)
        size = (
            drawing.width * unit + 2 * self._margin,
            round(drawing.full_height * unit) + 2 * self._margin,
        )
        self._image = Image.new("RGB", size, "white")
        self._draw = ImageDraw.Draw(self._image)

    def put(self, shape: Shape) -> None:
        """Draw a shape."""
        if isinstance(shape, Line):
            self._line((shape.x1, shape.y1), (shape.x2, shape.y2), shape.weight)
        elif isinstance(shape, Box):
            left, top = shape.x, shape.y
            right, bottom = left + shape.width, top + shape.height
            corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
            for start, end in pairwise(corners):
                self._line(start, end, shape.weight)
        elif isinstance(shape, Mark):
            self._mark(shape)
        else:
            self._label(shape)

    def png(self) -> bytes:
        """Return the picture so far."""
        out = io.BytesIO()
        self._image.quantize(_COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        return out.getvalue()

    def _at(self, units: float) -> float:
        return self._margin + units * self._unit

    def _line(self, start: tuple[int, int], end: tuple[int, int], weight: Weight) -> None:
        """Draw a line whose ends reach as far as those of a crossing one."""
        pen = max(1, round(weight.value / self._unit_mm * self._unit))
        before, after = pen // 2, (pen - 1) // 2
        (left, right), (top, bottom) = (
            sorted((int(self._at(a)), int(self._at(b)))) for a, b in zip(start, end, strict=True)
        )
        area = (left - before, top - before, right + after, bottom + after)
        self._draw.rectangle(area, fill=INKS[Ink.BLACK])

    def _mark(self, mark: Mark) -> None:
        mask = mark_mask(MARK_SHAPES[mark.side], self._unit)
        place = (int(self._at(mark.x)), int(self._at(mark.y)))
        self._image.paste(INKS[MARK_INKS[mark.side]], place, mask)

    def _label(self, label: Label) -> None:
        size = label.size * self._unit
        x = self._at(label.x)
        if label.align is Align.CENTRE:
            x += (label.width * self._unit - text_width(label.text, size)) / 2
        baseline = self._at(label.y + label.height / 2 + CAP_HEIGHT * label.size / 2)
        # Letter by letter: the library would round each one's width to whole pixels.
        for number, letter in enumerate(label.text):
            place = (x + text_width(label.text[:number], size), round(baseline))
            self._draw.text(place, letter, INKS[label.ink], font(size), anchor="ls")
