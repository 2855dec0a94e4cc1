"""Drawings as an A4 PDF: vectors, an embedded font, no dates, the same bytes every time."""

from __future__ import annotations

import io
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from bot.render.fields.drawing import Align, Box, Ink, Label, Line, Mark, Weight
from bot.render.fields.looks import INKS, MARK_INKS, MARK_SHAPES
from bot.render.fields.notes import CREDIT
from bot.render.fields.typeface import CAP_HEIGHT, FONT_FILE, text_width

if TYPE_CHECKING:
    from bot.render.fields.drawing import Drawing

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
        for label in self._drawing.labels:
            self._draw_label(label)
        for side, ink in enumerate(MARK_INKS):
            self._draw_marks(side, ink)
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

    def _draw_marks(self, side: int, ink: Ink) -> None:
        """Stroke all marks of a side at once."""
        shape = MARK_SHAPES[side]
        marks: list[Mark] = [mark for mark in self._drawing.marks if mark.side == side]
        path = self._canvas.beginPath()
        for mark in marks:
            for points in shape.paths:
                for number, (x, y) in enumerate(points):
                    go = path.lineTo if number else path.moveTo
                    go(self._x(mark.x + x), self._y(mark.y + y))
            for (x, y), radius in shape.circles:
                path.circle(self._x(mark.x + x), self._y(mark.y + y), radius * self._unit)
        self._canvas.setStrokeColorRGB(*_shares(ink))
        self._canvas.setLineCap(_ROUND_CAP)
        self._canvas.setLineWidth(shape.pen * self._unit)
        self._canvas.drawPath(path, stroke=1, fill=0)

    def _draw_label(self, label: Label) -> None:
        x = self._x(label.x)
        if label.align is Align.CENTRE:
            x += (label.width - text_width(label.text, label.size)) / 2 * self._unit
        y = self._y(label.y + label.height / 2 + CAP_HEIGHT * label.size / 2)
        self._canvas.setFillColorRGB(*_shares(label.ink))
        self._canvas.setFont(_FONT, label.size * self._unit)
        self._canvas.drawString(x, y, label.text)


def _shares(ink: Ink) -> tuple[float, float, float]:
    red, green, blue = INKS[ink]
    return red / 255, green / 255, blue / 255
