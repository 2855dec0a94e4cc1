"""The font of the fields, measured the same for every back-end."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from PIL import ImageFont

FONT_FILE: Final = Path(__file__).parent / "assets" / "BoardSans-SemiBold.ttf"

# Capitals and digits rise so far above the baseline, as a share of the size.
CAP_HEIGHT: Final = 0.727

_MEASURED_PX: Final = 1000


@cache
def font(size_px: float) -> ImageFont.FreeTypeFont:
    """Return the font; basic layout looks the same on every machine."""
    return ImageFont.truetype(FONT_FILE, size_px, layout_engine=ImageFont.Layout.BASIC)


def text_width(text: str, size: float) -> float:
    """Return the width of a text in the unit of `size`."""
    return _measured(text) * size


@lru_cache(maxsize=4096)  # a field has a thousand labels, and most of them again and again
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
