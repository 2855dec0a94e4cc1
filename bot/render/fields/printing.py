"""Drawings as a PNG for screens, and as an A4 PDF: vectors, an embedded font, no dates."""

from __future__ import annotations

import io
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from PIL import Image, ImageDraw
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from bot.render.fields.drawing import (
    FONT_FILE,
    MARK_INKS,
    MARK_SHAPES,
    Box,
    Ink,
    Label,
    Line,
    Mark,
    Shape,
    Weight,
    font,
    text_width,
)
from bot.render.fields.sheets import CREDIT
from bot.render.masks import mark_mask
from engine import O, X

if TYPE_CHECKING:
    from bot.render.fields.drawing import Drawing
    from engine import Side


POINTS_PER_MM: Final = 72 / 25.4

_FONT: Final = "BoardSans"
# In a dictionary, because the library's type stubs take the font's name for a number.
_OPTIONS: Final[dict[str, Any]] = {
    "invariant": 1,
    "pageCompression": 1,
    "initialFontName": _FONT,
}
_SQUARE_CAP: Final = 2
_ROUND_CAP: Final = 1

# The library keeps fonts, and what it has written of them, in one place for
# all documents.
_one_at_a_time = Lock()

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
    out = io.BytesIO()
    canvas.image.quantize(_COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


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
        self.image = Image.new("RGB", size, "white")
        self._draw = ImageDraw.Draw(self.image)

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
            place = (int(self._at(shape.x)), int(self._at(shape.y)))
            mask = mark_mask(MARK_SHAPES[shape.side], self._unit)
            self.image.paste(MARK_INKS[shape.side].value, place, mask)
        else:
            self._label(shape)

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
        self._draw.rectangle(area, fill=Ink.BLACK.value)

    def _label(self, label: Label) -> None:
        size = label.size * self._unit
        x, baseline = (self._at(units) for units in label.origin)
        # Letter by letter: the library would round each one's width to whole pixels.
        for number, letter in enumerate(label.text):
            place = (x + text_width(label.text[:number], size), round(baseline))
            self._draw.text(place, letter, label.ink.value, font(size), anchor="ls")


def to_pdf(*drawings: Drawing) -> bytes:
    """Return drawings as a PDF, each in the middle of an A4 sheet of its own.

    Unit cells have exactly the size that a drawing gives in millimetres.

    Raises:
        ValueError: If there is no drawing.
    """
    if not drawings:
        raise ValueError("to_pdf needs at least one drawing")
    with _one_at_a_time:
        if _FONT not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(_FONT, FONT_FILE))
        out = io.BytesIO()
        canvas = Canvas(out, **_OPTIONS)
        canvas.setTitle(f"Strategic Tic-Tac-Toe: {drawings[0].title}")
        canvas.setAuthor("Redrawn after Mikhail Demchenko and Anton Shashkov")
        canvas.setSubject(CREDIT)
        canvas.setCreator("Ultimate Tic-Tac-Toe bot")
        for drawing in drawings:
            _Page(canvas, drawing).draw()
        canvas.save()
        return out.getvalue()


class _Page:
    """One sheet. PDF counts in points from the bottom; the drawing in cells from the top."""

    def __init__(self, canvas: Canvas, drawing: Drawing) -> None:
        self._canvas = canvas
        self._drawing = drawing
        self._unit = drawing.unit_mm * POINTS_PER_MM
        width_mm, height_mm = drawing.page_mm
        self._size = (width_mm * POINTS_PER_MM, height_mm * POINTS_PER_MM)
        self._left = (self._size[0] - drawing.width * self._unit) / 2
        self._top = (self._size[1] + drawing.full_height * self._unit) / 2

    def draw(self) -> None:
        """Draw everything, and close the page."""
        self._canvas.setPageSize(self._size)
        for weight in Weight:
            self._draw_lines(weight)
        for label in self._drawing.only(Label):
            self._draw_label(label)
        for side in (X, O):
            self._draw_marks(side)
        for note in self._drawing.notes:
            self._draw_label(note)
        self._canvas.showPage()

    def _x(self, units: float) -> float:
        return self._left + units * self._unit

    def _y(self, units: float) -> float:
        return self._top - units * self._unit

    def _draw_lines(self, weight: Weight) -> None:
        """Stroke all lines and boxes of a weight at once."""
        path = self._canvas.beginPath()
        for shape in self._drawing.shapes:
            if isinstance(shape, Line) and shape.weight is weight:
                path.moveTo(self._x(shape.x1), self._y(shape.y1))
                path.lineTo(self._x(shape.x2), self._y(shape.y2))
            elif isinstance(shape, Box) and shape.weight is weight:
                width, height = shape.width * self._unit, shape.height * self._unit
                path.rect(self._x(shape.x), self._y(shape.y + shape.height), width, height)
        self._canvas.setStrokeColorRGB(*_shares(Ink.BLACK))
        self._canvas.setLineCap(_SQUARE_CAP)
        self._canvas.setLineWidth(weight.value * POINTS_PER_MM)
        self._canvas.drawPath(path, stroke=1, fill=0)

    def _draw_marks(self, side: Side) -> None:
        """Stroke all marks of a side at once."""
        shape = MARK_SHAPES[side]
        path = self._canvas.beginPath()
        for mark in (mark for mark in self._drawing.only(Mark) if mark.side == side):
            for points in shape.paths:
                for number, (x, y) in enumerate(points):
                    go = path.lineTo if number else path.moveTo
                    go(self._x(mark.x + x), self._y(mark.y + y))
            for (x, y), radius in shape.circles:
                path.circle(self._x(mark.x + x), self._y(mark.y + y), radius * self._unit)
        self._canvas.setStrokeColorRGB(*_shares(MARK_INKS[side]))
        self._canvas.setLineCap(_ROUND_CAP)
        self._canvas.setLineWidth(shape.pen * self._unit)
        self._canvas.drawPath(path, stroke=1, fill=0)

    def _draw_label(self, label: Label) -> None:
        x, y = label.origin
        self._canvas.setFillColorRGB(*_shares(label.ink))
        self._canvas.setFont(_FONT, label.size * self._unit)
        self._canvas.drawString(self._x(x), self._y(y), label.text)


def _shares(ink: Ink) -> tuple[float, float, float]:
    red, green, blue = ink.value
    return red / 255, green / 255, blue / 255
