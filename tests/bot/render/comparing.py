"""How two pictures differ, as the eye sees it."""

import numpy as np
from PIL import Image, ImageChops

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
