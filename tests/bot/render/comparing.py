"""How two pictures or two colours differ, as the eye sees it."""

import io

import numpy as np
from PIL import Image, ImageChops

from bot.render.theme import Colour

# The means of squares with this side are compared: small enough to miss no mark,
# large enough to forgive another version's anti-aliasing.
BLOCK_PX = 16
BLOCK_LIMIT = 12
MEAN_LIMIT = 0.5


def difference(expected: Image.Image, actual: Image.Image) -> str | None:
    """Say how two pictures differ, or None if the eye would not notice."""
    if expected.size != actual.size:
        return f"size {actual.size} instead of {expected.size}"
    delta = ImageChops.difference(expected, actual)
    bands = [band.histogram() for band in delta.split()]
    total = max(sum(n * count for n, count in enumerate(band)) for band in bands)
    mean = total / (expected.width * expected.height)
    worst = int(np.asarray(delta.reduce(BLOCK_PX)).max())
    if mean > MEAN_LIMIT or worst > BLOCK_LIMIT:
        return f"mean difference {mean:.2f} of 255, worst block {worst}"
    return None


def contrast_ratio(first: Colour, second: Colour) -> float:
    """Return the contrast of two colours as WCAG 2 defines it, 1 to 21.

    Examples:
        >>> contrast_ratio((0, 0, 0), (255, 255, 255))
        21.0
    """
    dark, light = sorted((_luminance(first), _luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    """Return the relative luminance of `colour`, 0 to 1."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def opened(png: bytes) -> Image.Image:
    """Return a picture as it is seen."""
    return Image.open(io.BytesIO(png)).convert("RGB")
