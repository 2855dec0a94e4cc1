"""What all designed images share: a canvas, its sizes, and names that the font can write."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

from bot.language import pgettext
from bot.render.masks import (
    Point,
    fitted_text,
    mark_mask,
    rounded_mask,
    stroke_mask,
    text_mask,
    writable_text,
)
from bot.render.palette import Palette
from bot.render.theme import DARK, Colour, Theme, mix
from engine import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPicture:
    """What every designed image has: a second line, colours and shapes.

    Its words are in the language in use when it is drawn, in letters that the font has: Latin,
    Cyrillic or Greek. What is too wide is shortened.
    """

    subtitle: str = ""
    theme: Theme = DARK


WIDTH: Final = 712
MARGIN: Final = 18
TALLEST: Final = 700
LEAST_FONT: Final = 22
"""Desktop clients show a picture in a box of about 550 x 350 pixels, phones about 360 wide: in
a picture of 712 x 700, a font of 22 is 11 high on both. No card is taller, no font smaller."""
TITLE_SIZES: Final = (36, 32, 28, 25, LEAST_FONT)
SUBTITLE_SIZES: Final = (24, LEAST_FONT)
TITLE_TOP, TITLE_HEIGHT, SUBTITLE_HEIGHT = 10, 44, 30
HEAD: Final = TITLE_TOP + TITLE_HEIGHT + SUBTITLE_HEIGHT + 8
"""Where the contents of a card with a title begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Games won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses


def writable_name(name: str) -> str:
    """Return a player's name in letters that the font has."""
    return writable_text(name, fallback=pgettext("somebody without a name", "Player"))


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
        return self.palette.png(self.image)

    def title(self, title: str, subtitle: str) -> None:
        """Write the two lines at the top, the first of them already writable."""
        width, below = self.size[0] - 2 * MARGIN, TITLE_TOP + TITLE_HEIGHT
        self.write(title, (MARGIN, TITLE_TOP, width, TITLE_HEIGHT), self.theme.text, TITLE_SIZES)
        line, area = writable_text(subtitle, fallback=""), (MARGIN, below, width, SUBTITLE_HEIGHT)
        self.write(line, area, self.theme.muted, SUBTITLE_SIZES)

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

    def shares(self, area: Area, tally: Tally, ground: Colour, radius: int) -> None:
        """Lay the games of a tally as a bar: won, drawn and lost from left to right."""
        left, top, width, height = area
        text = self.theme.text
        for games, colour in (
            (tally.games, mix(ground, text, 0.16)),
            (tally.wins + tally.draws, mix(ground, text, 0.48)),
            (tally.wins, self.theme.accent),
        ):
            self.block((left, top, round(width * games / tally.games), height), colour, radius)

    def mark(self, side: Side, place: tuple[int, int], size: int, ink: Colour) -> None:
        """Lay the mark of a side into a square."""
        self.lay(mark_mask(self.theme.shapes[side], size), place, ink)

    def plate(
        self, area: Area, side: Side, *, won: bool, radius: int, mark: tuple[int, int, int]
    ) -> Colour:
        """Lay a player's plate, filled if they have won; return the ink for what stands on it.

        `mark` is the distance of their mark from the left and from the top, and its size.
        """
        theme = self.theme
        left, top, _width, _height = area
        self.block(area, theme.solids[side] if won else theme.surface, radius)
        ink = theme.ink if won else theme.marks[side]
        self.mark(side, (left + mark[0], top + mark[1]), mark[2], ink)
        return theme.ink if won else theme.text

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
        """Lay a colour where `coverage` says; anything outside the canvas is cut off."""
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
