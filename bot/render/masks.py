"""Coverage masks: outlines of marks as data, blocks, lines, and words in the bundled font."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from unicodedata import normalize

from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]

# Shapes are drawn this many times larger and averaged down: 36 shades an edge.
_OVERSAMPLING = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkShape:
    """A mark drawn with a round pen in the unit square.

    Attributes:
        glyph: The character that stands for it in texts.
        paths: Polylines through the unit square; close one by repeating its start.
        fills: Polygons filled in a small mark. A large one stays hollow, because the
            small marks beneath it must be seen.
        circles: Centres with their radii, measured to the middle of the pen.
        pen: Width of the pen in a small mark.
        large_pen: Width of the pen in a mark that covers a whole board, where
            the same share of the side would bury what lies beneath.
    """

    glyph: str = ""
    paths: tuple[tuple[Point, ...], ...] = ()
    fills: tuple[tuple[Point, ...], ...] = ()
    circles: tuple[tuple[Point, float], ...] = ()
    pen: float = 0.15
    large_pen: float = 0.1


CROSS = MarkShape(
    glyph="X",
    paths=(((0.24, 0.24), (0.76, 0.76)), ((0.76, 0.24), (0.24, 0.76))),
    pen=0.15,
    large_pen=0.12,
)
RING = MarkShape(glyph="O", circles=(((0.5, 0.5), 0.28),), pen=0.14, large_pen=0.11)
PLUS = MarkShape(
    glyph="✚",
    paths=(((0.5, 0.18), (0.5, 0.82)), ((0.18, 0.5), (0.82, 0.5))),
    pen=0.16,
    large_pen=0.12,
)
DIAMOND = MarkShape(
    glyph="◇",
    paths=(((0.5, 0.17), (0.83, 0.5), (0.5, 0.83), (0.17, 0.5), (0.5, 0.17)),),
    pen=0.12,
    large_pen=0.09,
)
# The pen that runs around it rounds its corners.
BLOCK = MarkShape(
    glyph="■",
    paths=(((0.28, 0.28), (0.72, 0.28), (0.72, 0.72), (0.28, 0.72), (0.28, 0.28)),),
    fills=(((0.28, 0.28), (0.72, 0.28), (0.72, 0.72), (0.28, 0.72)),),
    pen=0.1,
    large_pen=0.1,
)
THIN_RING = MarkShape(glyph="○", circles=(((0.5, 0.5), 0.29),), pen=0.1, large_pen=0.07)
# The square closes the hole of the ring and ends below its pen.
DISC = MarkShape(
    glyph="●",
    circles=(((0.5, 0.5), 0.25),),
    fills=(((0.33, 0.33), (0.67, 0.33), (0.67, 0.67), (0.33, 0.67)),),
    pen=0.17,
    large_pen=0.14,
)

# The face of a clock.
DIAL = MarkShape(
    paths=(((0.5, 0.27), (0.5, 0.52), (0.66, 0.61)),), circles=(((0.5, 0.5), 0.4),), pen=0.1
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
        centre, reach = (x * scale + shift, y * scale + shift), radius * scale + pen * side / 2
        draw.circle(centre, reach, outline=255, width=round(pen * side))
    return image.resize((size_px, size_px), Image.Resampling.BOX)


def placed(mask: Image.Image, size: tuple[int, int], place: tuple[int, int]) -> Image.Image:
    """Return `mask` at `place` in an otherwise uncovered image of `size`."""
    image = Image.new("L", size, 0)
    image.paste(mask, place)
    return image


@lru_cache(maxsize=256)  # the bars of tallies are of any length
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


# Marks in a line of text are drawn as on the board: the font does not have all of them.
_GLYPHS = {shape.glyph: shape for shape in (PLUS, DIAMOND, BLOCK, THIN_RING, DISC)}
_WORDS_AND_GLYPHS = re.compile(f"([{''.join(_GLYPHS)}])")
_GLYPH_SIDE, _GLYPH_ADVANCE = 1.1, 0.84  # of the size of the font

_FONT_FILE = Path(__file__).parent / "assets" / "BoardSans-SemiBold.otf"
_ELLIPSIS = "…"

# Longer text is cut before it is measured, so that a name of a thousand
# letters costs no more than one that is merely too wide.
_LONGEST = 80


@cache
def font(size_px: float, *, file: Path = _FONT_FILE) -> ImageFont.FreeTypeFont:
    """Return a bundled font; basic layout looks the same on every machine."""
    return ImageFont.truetype(file, size_px, layout_engine=ImageFont.Layout.BASIC)


@cache
def _missing_glyph() -> bytes:
    """Return what the font draws for a character that it does not have."""
    return bytes(font(32).getmask("\U0010fffd"))


@lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    if character == " " or character in _GLYPHS:
        return True
    if unicodedata.category(character)[0] in "CMZ":
        return False
    glyph = bytes(font(32).getmask(character))
    return bool(glyph) and glyph != _missing_glyph()


def _writable(character: str) -> str:
    """Return `character`, its nearest look-alike in the font, or nothing."""
    if _has_glyph(character):
        return character
    for form in (normalize("NFKC", character), normalize("NFKD", character)):
        kept = "".join(part for part in form if _has_glyph(part))
        if kept.strip():
            return kept
    # What separates words becomes a space; invisible marks leave no gap.
    category = unicodedata.category(character)
    return " " if category[0] in "ZS" or category == "Cc" else ""


def writable_text(text: str, *, fallback: str) -> str:
    r"""Return `text` in characters the font has, or `fallback` if nothing is left.

    Fancy letters become plain ones; emoji, control characters and letters of
    other scripts go, so that no box is ever drawn.

    Examples:
        >>> writable_text("\uff3a\uff4fë \t ☃ Smith", fallback="Player X")
        'Zoë Smith'
        >>> writable_text("山田", fallback="Player X")
        'Player X'
    """
    composed = normalize("NFC", text[:_LONGEST])
    words = "".join(_writable(character) for character in composed).split()
    line = " ".join(words)
    return line if any(character.isalnum() for character in line) else fallback


def text_width(text: str, size_px: int) -> float:
    """Return how wide a line is in the bundled font, with its marks drawn."""
    return sum(
        _GLYPH_ADVANCE * size_px if part in _GLYPHS else font(size_px).getlength(part)
        for part in _WORDS_AND_GLYPHS.split(text)
    )


@lru_cache(maxsize=2048)
def fitted_text(text: str, sizes_px: tuple[int, ...], width_px: int) -> tuple[str, int]:
    """Return `text` and the first font size in which it is not too wide.

    Where even the last size is too large, the text ends in an ellipsis.
    """
    for size in sizes_px:
        if text_width(text, size) <= width_px:
            return text, size
    last = sizes_px[-1]
    for length in range(len(text) - 1, 0, -1):
        shortened = text[:length].rstrip(" ,.-") + _ELLIPSIS
        if text_width(shortened, last) <= width_px:
            return shortened, last
    return _ELLIPSIS, last


@lru_cache(maxsize=128)
def text_mask(text: str, size_px: int, box: tuple[int, int], align: str) -> Image.Image:
    """Return the coverage of one line of fitted text in a box, as an "L" image.

    It stands in the middle of the height, at the left, middle or right ("l", "m", "r").
    """
    width, height = box
    image = Image.new("L", box, 0)
    start = {"l": 0.0, "m": width / 2, "r": float(width)}[align]
    # Capitals rise 0.727 of the size: centring them looks centred to the eye,
    # whatever descenders or accents the text happens to have.
    baseline = round(height / 2 + 0.727 * size_px / 2)
    draw = ImageDraw.Draw(image)
    parts = _WORDS_AND_GLYPHS.split(text)
    if len(parts) == 1:
        draw.text((start, baseline), text, 255, font(size_px), anchor=align + "s")
        return image
    x = start - {"l": 0.0, "m": 0.5, "r": 1.0}[align] * text_width(text, size_px)
    side = round(_GLYPH_SIDE * size_px)
    for part in parts:
        if part in _GLYPHS:
            left = round(x - (_GLYPH_SIDE - _GLYPH_ADVANCE) * size_px / 2)
            mark = mark_mask(_GLYPHS[part], side)
            image.paste(255, (left, (height - side) // 2), mark)
        else:
            draw.text((x, baseline), part, 255, font(size_px), anchor="ls")
        x += text_width(part, size_px)
    return image
