"""A drawing as data: lines, boxes, labels and marks on a raster of unit cells.

x runs to the right and y downwards, in unit cells from the top left corner of
the field. Whatever is part of a field starts and ends on whole cells; only
the notes beneath it have sizes of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

A4_MM: Final = (210, 297)

# A quarter of an inch is what nearly every printer leaves white.
MARGIN_MM: Final = 6


class Weight(Enum):
    """How thick a line is on paper, in millimetres: the same on every sheet."""

    THIN = 0.2
    THICK = 0.6


class Ink(Enum):
    """What something is drawn in; the back-ends know the colour."""

    BLACK = "lines, digits and letters"
    FAINT = "numbers to be written over by hand"
    COVERED = "such numbers beneath a mark"
    X = "the marks of X"
    O = "the marks of O"  # noqa: E741  # the mark is called so


class Align(Enum):
    """Where a label stands in the width of its box."""

    LEFT = "left"
    CENTRE = "centre"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A straight line from one corner of the raster to another, along it."""

    x1: int
    y1: int
    x2: int
    y2: int
    weight: Weight = Weight.THIN

    def moved(self, dx: int, dy: int) -> Line:
        """Return the line moved by whole cells."""
        return replace(self, x1=self.x1 + dx, y1=self.y1 + dy, x2=self.x2 + dx, y2=self.y2 + dy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """The outline of a rectangle of cells."""

    x: int
    y: int
    width: int
    height: int
    weight: Weight = Weight.THIN

    def moved(self, dx: int, dy: int) -> Box:
        """Return the box moved by whole cells."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One line of text in the middle of a box's height.

    Attributes:
        x: Left edge of the box.
        y: Top edge of the box.
        text: What is written: a digit, two, a caption.
        width: Width of the box.
        height: Height of the box.
        size: Size of the font.
        ink: What it is written in.
        align: Where it stands in the width of the box.
    """

    x: float
    y: float
    text: str
    width: float = 1
    height: float = 1
    size: float = 0.62
    ink: Ink = Ink.BLACK
    align: Align = Align.CENTRE

    def moved(self, dx: int, dy: int) -> Label:
        """Return the label moved by whole cells."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An X or an O in a cell."""

    x: int
    y: int
    side: int

    def moved(self, dx: int, dy: int) -> Mark:
        """Return the mark moved by whole cells."""
        return replace(self, x=self.x + dx, y=self.y + dy)


Shape = Line | Box | Label | Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A field or a part of one: shapes in a rectangle of cells."""

    width: int
    height: int
    shapes: tuple[Shape, ...]


def assemble(width: int, height: int, parts: Iterable[tuple[int, int, Block]]) -> Block:
    """Return a block of parts, each put down with its corner at (x, y)."""
    shapes = tuple(shape.moved(x, y) for x, y, part in parts for shape in part.shapes)
    return Block(width=width, height=height, shapes=shapes)


def grid(columns: int, rows: int, *, thick_every: int) -> Block:
    """Return a ruled rectangle in which every nth line is thick.

    Thin lines come first, so that no thick line is cut by one.
    """
    lines = [_line(x, 0, x, rows, x % thick_every == 0) for x in range(columns + 1)]
    lines += [_line(0, y, columns, y, y % thick_every == 0) for y in range(rows + 1)]
    lines.sort(key=lambda line: line.weight.value)
    return Block(width=columns, height=rows, shapes=tuple(lines))


def _line(x1: int, y1: int, x2: int, y2: int, thick: bool) -> Line:
    return Line(x1=x1, y1=y1, x2=x2, y2=y2, weight=Weight.THICK if thick else Weight.THIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A field ready to be printed: the same for every back-end.

    Attributes:
        key: Which field it is.
        title: Its name, with the map where it shows one.
        width: Of the field, in unit cells.
        height: Of the field without the notes.
        shapes: The field, to be drawn in this order.
        notes: What is printed beneath it, from `height` down to `full_height`.
        full_height: Of field and notes together.
        unit_mm: The side of a unit cell on A4.
        landscape: Whether the sheet lies on its long side.
    """

    key: str
    title: str
    width: int
    height: int
    shapes: tuple[Shape, ...]
    notes: tuple[Label, ...]
    full_height: float
    unit_mm: float
    landscape: bool

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the field."""
        return tuple(shape for shape in self.shapes if isinstance(shape, Line))

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The boxes of the field."""
        return tuple(shape for shape in self.shapes if isinstance(shape, Box))

    @property
    def labels(self) -> tuple[Label, ...]:
        """The digits, letters and captions of the field, without the notes."""
        return tuple(shape for shape in self.shapes if isinstance(shape, Label))

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of the field."""
        return tuple(shape for shape in self.shapes if isinstance(shape, Mark))

    @property
    def page_mm(self) -> tuple[int, int]:
        """Width and height of the sheet."""
        width, height = A4_MM
        return (height, width) if self.landscape else (width, height)
