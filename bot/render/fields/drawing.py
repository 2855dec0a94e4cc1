"""A drawing as data: lines, boxes, labels and marks on a raster of unit cells, and its font.

x runs to the right and y downwards, in unit cells from the top left corner of
the field. Every part of a field starts and ends on whole cells; only the
notes beneath it have sizes of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar

from bot.render import masks
from bot.render.theme import LIGHT
from engine import Position, Rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine import Side

A4_MM: Final = (210, 297)


class Weight(Enum):
    """How thick a line is on paper, in millimetres: the same on every sheet."""

    THIN = 0.2
    THICK = 0.6


class Ink(Enum):
    """The colour of lines and letters, numbers to be written over or under a mark, and marks.

    Marks are dark enough for a printer without colours, where the shapes tell X from O.
    """

    BLACK = (0, 0, 0)
    FAINT = (140, 140, 140)
    COVERED = (212, 212, 212)
    X = LIGHT.marks[0]
    O = LIGHT.marks[1]  # noqa: E741  # the mark is called so


MARK_INKS: Final = (Ink.X, Ink.O)
MARK_SHAPES: Final = LIGHT.shapes


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
class _Cornered:
    """A shape that begins at a corner of the raster."""

    x: float
    y: float

    def moved(self, dx: int, dy: int) -> Self:
        """Return the same shape moved by whole cells."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box(_Cornered):
    """The outline of a rectangle of cells."""

    x: int
    y: int
    width: int
    height: int
    weight: Weight = Weight.THIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Label(_Cornered):
    """One line of text in the middle of a box's height; `size` is that of the font."""

    text: str
    width: float = 1
    height: float = 1
    size: float = 0.62
    ink: Ink = Ink.BLACK
    align: Align = Align.CENTRE

    @property
    def origin(self) -> tuple[float, float]:
        """Where the text begins, and its baseline."""
        free = self.width - text_width(self.text, self.size)
        x = self.x + free / 2 if self.align is Align.CENTRE else self.x
        return x, self.y + self.height / 2 + CAP_HEIGHT * self.size / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark(_Cornered):
    """An X or an O in a cell."""

    x: int
    y: int
    side: Side


Shape = Line | Box | Label | Mark
ShapeT = TypeVar("ShapeT", Line, Box, Label, Mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A field or a part of one: shapes in a rectangle of cells, in the order they are drawn."""

    width: int
    height: int
    shapes: tuple[Shape, ...]

    def only(self, kind: type[ShapeT]) -> tuple[ShapeT, ...]:
        """Return the shapes of one kind."""
        return tuple(shape for shape in self.shapes if isinstance(shape, kind))


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
class Drawing(Block):
    """A field ready to be printed: the same for every back-end.

    Attributes:
        title: Its name, with the map where it shows one.
        notes: What is printed beneath it, from `height` down to `full_height`.
        full_height: Of field and notes together.
        unit_mm: The side of a unit cell on A4.
    """

    key: str
    title: str
    notes: tuple[Label, ...]
    full_height: float
    unit_mm: float
    landscape: bool

    @property
    def page_mm(self) -> tuple[int, int]:
        """Width and height of the sheet."""
        width, height = A4_MM
        return (height, width) if self.landscape else (width, height)


Move = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """What is written on a sheet.

    Attributes:
        map_number: Which of the 64 maps the mapping columns show.
        moves: All moves of the game as digits S, T, O; those of X at even places.
        start: The first move to write on this sheet; earlier ones are on others.
    """

    map_number: int
    position: Position = field(default_factory=lambda: Position.initial(Rules(depth=3)))
    moves: tuple[Move, ...] = ()
    start: int = 0


FONT_FILE: Final = Path(__file__).parent / "assets" / "BoardSans-SemiBold.ttf"

# The height of capitals and digits above the baseline, as a share of the size.
CAP_HEIGHT: Final = 0.727

_MEASURED_PX: Final = 1000


font = partial(masks.font, file=FONT_FILE)


def text_width(text: str, size: float) -> float:
    """Return the width of a text in the unit of `size`."""
    return _measured(text) * size


@lru_cache(maxsize=4096)  # a field has a thousand labels, most of them repeated
def _measured(text: str) -> float:
    return font(_MEASURED_PX).getlength(text) / _MEASURED_PX


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Return the lines of a text, none wider than `width` unless one word is."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
