"""Words in pictures: what the font can write, shortened until it fits."""

import unicodedata
from functools import cache, lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

_FONT_FILE = Path(__file__).parent / "assets" / "BoardSans-SemiBold.otf"
_ELLIPSIS = "…"

# Longer text is cut before it is measured, so that a name of a thousand
# letters costs no more than one that is merely too wide.
_LONGEST = 80


@cache
def font(size_px: int) -> ImageFont.FreeTypeFont:
    """Return the bundled font; basic layout looks the same on every machine."""
    return ImageFont.truetype(_FONT_FILE, size_px, layout_engine=ImageFont.Layout.BASIC)


@cache
def _missing_glyph() -> bytes:
    """Return what the font draws for a character that it does not have."""
    return bytes(font(32).getmask("\U0010fffd"))


@lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    """Tell whether the bundled font can draw `character`."""
    if character == " ":
        return True
    if unicodedata.category(character)[0] in "CMZ":
        return False
    glyph = bytes(font(32).getmask(character))
    return bool(glyph) and glyph != _missing_glyph()


def _writable(character: str) -> str:
    """Return `character`, its nearest look-alike in the font, or nothing."""
    if _has_glyph(character):
        return character
    for form in (
        unicodedata.normalize("NFKC", character),
        unicodedata.normalize("NFKD", character),
    ):
        kept = "".join(part for part in form if _has_glyph(part))
        if kept.strip():
            return kept
    # Whatever separates words goes on doing so; invisible marks leave no gap.
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
    composed = unicodedata.normalize("NFC", text[:_LONGEST])
    words = "".join(_writable(character) for character in composed).split()
    line = " ".join(words)
    return line if any(character.isalnum() for character in line) else fallback


@lru_cache(maxsize=2048)
def fitted_text(text: str, sizes_px: tuple[int, ...], width_px: int) -> tuple[str, int]:
    """Return `text` and the first font size in which it is not too wide.

    Where even the last size is too large, the text ends in an ellipsis.
    """
    for size in sizes_px:
        if font(size).getlength(text) <= width_px:
            return text, size
    last = sizes_px[-1]
    for length in range(len(text) - 1, 0, -1):
        shortened = text[:length].rstrip(" ,.-") + _ELLIPSIS
        if font(last).getlength(shortened) <= width_px:
            return shortened, last
    return _ELLIPSIS, last


@lru_cache(maxsize=128)
def text_mask(text: str, size_px: int, box: tuple[int, int], align: str) -> Image.Image:
    """Return the coverage of one line of text in a box, as an "L" image.

    Args:
        text: Already writable and fitted.
        size_px: Font size.
        box: Width and height; the text stands in the middle of the height.
        align: "l", "m" or "r": at the left, in the middle, at the right.
    """
    width, height = box
    image = Image.new("L", box, 0)
    start = {"l": 0.0, "m": width / 2, "r": float(width)}[align]
    # Capitals rise 0.727 of the size: centring them looks centred to the eye,
    # whatever descenders or accents the text happens to have.
    baseline = round(height / 2 + 0.727 * size_px / 2)
    ImageDraw.Draw(image).text((start, baseline), text, 255, font(size_px), anchor=align + "s")
    return image
