"""Outlines of marks as data, and the one function that fills them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageDraw

Point = tuple[float, float]

# Shapes are drawn this many times larger and averaged down: 36 shades an edge.
_OVERSAMPLING = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkShape:
    """A mark drawn with a round pen in the unit square.

    Attributes:
        paths: Polylines through the unit square; close one by repeating its start.
        fills: Polygons filled in a small mark. A large one stays hollow, because the
            small marks beneath it must be seen.
        circles: Centres with their radii, measured to the middle of the pen.
        pen: Width of the pen in a small mark.
        large_pen: Width of the pen in a mark that covers a whole board, where
            the same share of the side would bury what lies beneath.
    """

    paths: tuple[tuple[Point, ...], ...] = ()
    fills: tuple[tuple[Point, ...], ...] = ()
    circles: tuple[tuple[Point, float], ...] = ()
    pen: float = 0.15
    large_pen: float = 0.1


CROSS = MarkShape(
    paths=(((0.24, 0.24), (0.76, 0.76)), ((0.76, 0.24), (0.24, 0.76))), pen=0.15, large_pen=0.12
)
RING = MarkShape(circles=(((0.5, 0.5), 0.28),), pen=0.14, large_pen=0.11)
PLUS = MarkShape(
    paths=(((0.5, 0.18), (0.5, 0.82)), ((0.18, 0.5), (0.82, 0.5))), pen=0.16, large_pen=0.12
)
DIAMOND = MarkShape(
    paths=(((0.5, 0.17), (0.83, 0.5), (0.5, 0.83), (0.17, 0.5), (0.5, 0.17)),),
    pen=0.12,
    large_pen=0.09,
)
# Its corners are round by the pen that runs around it.
BLOCK = MarkShape(
    paths=(((0.28, 0.28), (0.72, 0.28), (0.72, 0.72), (0.28, 0.72), (0.28, 0.28)),),
    fills=(((0.28, 0.28), (0.72, 0.28), (0.72, 0.72), (0.28, 0.72)),),
    pen=0.1,
    large_pen=0.1,
)
THIN_RING = MarkShape(circles=(((0.5, 0.5), 0.29),), pen=0.1, large_pen=0.07)
# The square closes the hole of the ring and ends below its pen.
DISC = MarkShape(
    circles=(((0.5, 0.5), 0.25),),
    fills=(((0.33, 0.33), (0.67, 0.33), (0.67, 0.67), (0.33, 0.67)),),
    pen=0.17,
    large_pen=0.14,
)

# A large mark reaches nearer to the edges of its board than a small one to
# those of its cell.
_LARGE_ZOOM = 1.24


@cache
def mark_mask(shape: MarkShape, size_px: int, *, large: bool = False) -> Image.Image:
    """Return the coverage of `shape` in a square of `size_px`, as an "L" image."""
    pen = shape.large_pen if large else shape.pen
    side = size_px * _OVERSAMPLING
    image = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(image)
    scale = side * (_LARGE_ZOOM if large else 1)
    shift = (side - scale) / 2
    for path in shape.paths:
        _stroke(draw, [(x * scale + shift, y * scale + shift) for x, y in path], pen * side)
    for corners in () if large else shape.fills:
        draw.polygon([(x * scale + shift, y * scale + shift) for x, y in corners], fill=255)
    for (x, y), radius in shape.circles:
        centre = (x * scale + shift, y * scale + shift)
        _ring(draw, centre, radius * scale + pen * side / 2, pen * side)
    return image.resize((size_px, size_px), Image.Resampling.BOX)


@cache
def rounded_mask(size: tuple[int, int], radius_px: int) -> Image.Image:
    """Return the coverage of a filled rounded rectangle, as an "L" image."""
    width, height = (length * _OVERSAMPLING for length in size)
    image = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, width - 1, height - 1), radius_px * _OVERSAMPLING, fill=255)
    return image.resize(size, Image.Resampling.BOX)


def stroke_mask(
    size: tuple[int, int], paths: Iterable[tuple[Point, ...]], pen_px: float
) -> Image.Image:
    """Return the coverage of lines with round ends and joints, as an "L" image."""
    width, height = (length * _OVERSAMPLING for length in size)
    image = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(image)
    for path in paths:
        scaled = [(x * _OVERSAMPLING, y * _OVERSAMPLING) for x, y in path]
        _stroke(draw, scaled, pen_px * _OVERSAMPLING)
    return image.resize(size, Image.Resampling.BOX)


def _stroke(draw: ImageDraw.ImageDraw, points: list[Point], width: float) -> None:
    """Draw a polyline with round ends and joints."""
    draw.line(points, fill=255, width=round(width))
    for x, y in points:
        draw.circle((x, y), width / 2, fill=255)


def _ring(draw: ImageDraw.ImageDraw, centre: Point, radius: float, width: float) -> None:
    """Draw a circle of outer `radius` whose line is `width` wide."""
    draw.circle(centre, radius, outline=255, width=round(width))
