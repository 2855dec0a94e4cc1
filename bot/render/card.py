"""Designed images that are no boards: a canvas with words, blocks, lines and marks."""

import io
import math
from collections.abc import Iterable, Sequence
from typing import Final

from PIL import Image, ImageDraw

from bot.render.palette import Palette
from bot.render.shapes import Point, mark_mask, rounded_mask, stroke_mask
from bot.render.text import fitted_text, text_mask
from bot.render.theme import Colour, Theme

WIDTH: Final = 712
MARGIN: Final = 18
TITLE_SIZES: Final = (36, 32, 28)
SUBTITLE_SIZES: Final = (24, 22)
TITLE_TOP, TITLE_HEIGHT, SUBTITLE_HEIGHT = 14, 46, 34
HEAD: Final = TITLE_TOP + TITLE_HEIGHT + SUBTITLE_HEIGHT + 10
"""Where the contents of a card with a title begin."""

# Left, top, width, height in pixels.
Area = tuple[int, int, int, int]

_OVERSAMPLING = 4


class Card:
    """One picture while it is drawn; everything is laid over what is there already."""

    def __init__(self, theme: Theme, height: int, *, width: int = WIDTH) -> None:
        """Begin with an empty canvas, never square: phones would crop it."""
        self.theme = theme
        self.palette = Palette()
        self.size = width, height + 8 * (height == width)
        self.image = Image.new("L", self.size, self.palette.index_of(theme.canvas))

    def png(self) -> bytes:
        """Return what was drawn."""
        self.image.putpalette(self.palette.flat())
        buffer = io.BytesIO()
        self.image.save(buffer, "PNG", compress_level=6)
        return buffer.getvalue()

    def title(self, title: str, subtitle: str) -> None:
        """Write the two lines at the top; both already writable."""
        width = self.size[0] - 2 * MARGIN
        box = MARGIN, TITLE_TOP, width, TITLE_HEIGHT
        self.write(title, box, self.theme.text, TITLE_SIZES)
        box = MARGIN, TITLE_TOP + TITLE_HEIGHT, width, SUBTITLE_HEIGHT
        self.write(subtitle, box, self.theme.muted, SUBTITLE_SIZES)

    def write(
        self, text: str, area: Area, ink: Colour, sizes: tuple[int, ...], align: str = "l"
    ) -> None:
        """Write one line of writable text, shortened until it fits."""
        if text:
            fitted, size = fitted_text(text, sizes, area[2])
            self.lay(text_mask(fitted, size, area[2:], align), area[:2], ink)

    def block(self, area: Area, colour: Colour, radius: int = 10) -> None:
        """Lay a rounded rectangle."""
        if area[2] > 0 and area[3] > 0:
            radius = min(radius, area[2] // 2, area[3] // 2)
            self.lay(rounded_mask(area[2:], radius), area[:2], colour)

    def mark(self, side: int, place: tuple[int, int], size: int, ink: Colour) -> None:
        """Lay the mark of a side into a square."""
        self.lay(mark_mask(self.theme.shapes[side], size), place, ink)

    def dot(self, centre: Point, radius: float, colour: Colour) -> None:
        """Lay a filled circle."""
        self.stroke([(centre, centre)], 2 * radius, colour)

    def stroke(self, paths: Iterable[tuple[Point, ...]], pen: float, colour: Colour) -> None:
        """Lay lines with round ends and joints."""
        paths = list(paths)
        left, top, width, height = _around([point for path in paths for point in path], pen)
        moved = [tuple((x - left, y - top) for x, y in path) for path in paths]
        self.lay(stroke_mask((width, height), moved, pen), (left, top), colour)

    def fill(self, corners: Sequence[Point], colour: Colour) -> None:
        """Lay a filled polygon."""
        left, top, width, height = _around(corners, 0)
        zoom = _OVERSAMPLING
        mask = Image.new("L", (width * zoom, height * zoom), 0)
        moved = [((x - left) * zoom, (y - top) * zoom) for x, y in corners]
        ImageDraw.Draw(mask).polygon(moved, fill=255)
        self.lay(mask.reduce(zoom), (left, top), colour)

    def picture(self, few: Image.Image, place: tuple[int, int]) -> None:
        """Copy a picture of mode "P"."""
        flat = few.getpalette() or []
        table = [0] * 256
        for number in range(len(flat) // 3):
            red, green, blue = flat[3 * number : 3 * number + 3]
            table[number] = self.palette.index_of((red, green, blue))
        numbers = Image.frombytes("L", few.size, few.tobytes())
        self.image.paste(numbers.point(table), place)

    def lay(self, coverage: Image.Image, place: tuple[int, int], colour: Colour) -> None:
        """Lay a colour where `coverage` says; what lies outside of the canvas is lost."""
        left, top = max(0, place[0]), max(0, place[1])
        right = min(self.size[0], place[0] + coverage.width)
        bottom = min(self.size[1], place[1] + coverage.height)
        if left >= right or top >= bottom:
            return
        box = (left, top, right, bottom)
        inner = (left - place[0], top - place[1], right - place[0], bottom - place[1])
        laid = self.palette.over(self.image.crop(box), colour, coverage.crop(inner))
        self.image.paste(laid, box)


def _around(points: Sequence[Point], pen: float) -> Area:
    """Return the whole pixels around some points drawn with a pen."""
    reach = pen / 2 + 1
    left = math.floor(min(x for x, _ in points) - reach)
    top = math.floor(min(y for _, y in points) - reach)
    right = math.ceil(max(x for x, _ in points) + reach)
    bottom = math.ceil(max(y for _, y in points) + reach)
    return left, top, right - left, bottom - top


def told(sentences: Iterable[str], longest: int = 1024) -> str:
    """Join the sentences that fit into an alt text, in their order of importance."""
    text = ""
    for sentence in sentences:
        longer = f"{text} {sentence}".strip()
        if len(longer) > longest:
            break
        text = longer
    return text


def signed(change: float) -> str:
    r"""Return a change of a rating with its sign.

    Examples:
        >>> signed(12.4), signed(-3) == "\N{MINUS SIGN}3", signed(0.2) == "\N{PLUS-MINUS SIGN}0"
        ('+12', True, True)
    """
    number = round(change)
    if number == 0:
        return "\N{PLUS-MINUS SIGN}0"
    return f"{'+' if number > 0 else chr(0x2212)}{abs(number)}"
