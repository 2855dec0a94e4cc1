"""The bridges that join the three boards of a winning line."""

from functools import cache
from itertools import pairwise

from PIL import Image

from bot.render.layout import Box, Metrics
from bot.render.palette import Palette
from bot.render.shapes import rounded_mask, stroke_mask
from bot.render.theme import Colour

# How thick a bridge is, as a share of a cell; diagonal ones pass between the
# corners of two other boards and have less room.
_STRAIGHT, _DIAGONAL = 0.55, 0.4


def join(
    canvas: Image.Image,
    palette: Palette,
    metrics: Metrics,
    origin: tuple[int, int],
    line: tuple[int, ...],
    colour: Colour,
) -> None:
    """Bridge the gaps between the boards of a winning line.

    Args:
        canvas: Image in the numbers of `palette`.
        palette: The colours of the picture.
        metrics: Lengths of the field.
        origin: Where the field begins on the canvas.
        line: Three boards in a row.
        colour: That of the winner.
    """
    for first, second in pairwise(line):
        (left, top, right, bottom), coverage = link(metrics, first, second)
        box = (origin[0] + left, origin[1] + top, origin[0] + right, origin[1] + bottom)
        canvas.paste(palette.over(canvas.crop(box), colour, coverage), box)


@cache
def link(metrics: Metrics, first: int, second: int) -> tuple[Box, Image.Image]:
    """Return where the bridge of two neighbours lies in the field, and its coverage.

    It ends where the two boards begin, so that it covers nothing in them.

    Args:
        metrics: Lengths of the field.
        first: A board.
        second: A board beside, below or diagonally below it.
    """
    offsets = [metrics.panel_offset(board) for board in (first, second)]
    left, top = (min(starts) for starts in zip(*offsets, strict=True))
    places = [(x - left, y - top) for x, y in offsets]
    width, height = (max(starts) + metrics.panel for starts in zip(*places, strict=True))
    half = metrics.panel / 2
    ends = tuple((x + half, y + half) for x, y in places)
    is_diagonal = width == height
    thickness = metrics.cell * (_DIAGONAL if is_diagonal else _STRAIGHT)
    coverage = stroke_mask((width, height), [ends], thickness)
    block, inset = _block(metrics)
    for x, y in places:
        coverage.paste(0, (x + inset, y + inset), block)
    box = coverage.getbbox()
    assert box is not None
    field_box = (left + box[0], top + box[1], left + box[2], top + box[3])
    return field_box, coverage.crop(box)


def _block(metrics: Metrics) -> tuple[Image.Image, int]:
    """Return what a bordered board covers wholly, and how far inside its panel."""
    inset = metrics.frame - metrics.thin_border
    side = metrics.panel - 2 * inset
    mask = rounded_mask((side, side), metrics.radius + metrics.thin_border)
    return mask.point(lambda level: 255 * (level == 255)), inset
