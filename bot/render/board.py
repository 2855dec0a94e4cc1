"""A position as a PNG: one painter for each depth of game, and the compression."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from PIL import Image

from bot.render import layout
from bot.render.layout import BLOCKS, MARGIN, NORMAL, SINGLE
from bot.render.nine_boards import paint_nine, paint_single
from bot.render.palette import Palette
from bot.render.picture import BoardPicture
from bot.render.strategic import paint_strategic

# Each depth has a painter and a level of compression. On 81 cells level 6 costs about 3 ms
# more than level 3 and saves a quarter of the bytes, which are sent to everyone in the
# channel; level 9 takes ten times as long. On 729 cells level 6 would take a third of the
# whole time allowed, and level 3 stays far below the bytes allowed.
_PAINTERS: Final[dict[int, tuple[Callable[[BoardPicture], tuple[Image.Image, Palette]], int]]] = {
    1: (paint_single, 6),
    2: (paint_nine, 6),
    3: (paint_strategic, 3),
}

# Where all cells of a depth lie: left, top, side, and how far badges stand out over them.
_FIELDS: Final = {
    1: (layout.SINGLE_LEFT, layout.FIELD_TOP, SINGLE.panel, 6),
    2: (MARGIN, layout.FIELD_TOP, NORMAL.field, 14),
    3: (layout.OVERVIEW_LEFT, layout.OVERVIEW_TOP, BLOCKS.field, 20),
}


def draw_board(picture: BoardPicture) -> bytes:
    """Return the picture as a PNG: non-square, at twice the size it is shown at.

    Safe to call from several threads; the first call of a theme draws its pieces.
    """
    paint, level = _PAINTERS[picture.position.rules.depth]
    canvas, palette = paint(picture)
    return palette.png(canvas, level)


def board_field(picture: BoardPicture) -> Image.Image:
    """Return the whole board of a picture without header or zoom, in true colours."""
    depth = picture.position.rules.depth
    # Without a status: its lowest letters would reach into what is cut out.
    canvas, palette = _PAINTERS[depth][0](replace(picture, status=" "))
    canvas.putpalette(palette.flat())
    left, top, side, spare = _FIELDS[depth]
    return canvas.crop((left - spare, top - spare, left + side, top + side)).convert("RGB")
