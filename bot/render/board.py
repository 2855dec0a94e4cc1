"""Picture to PNG: one painter for each depth of game, and the compression."""

import io
from collections.abc import Callable
from typing import Final

from PIL import Image

from bot.render.ordinary import paint_nine, paint_single
from bot.render.palette import Palette
from bot.render.picture import BoardPicture
from bot.render.strategic import paint_strategic

Painter = Callable[[BoardPicture], tuple[Image.Image, Palette]]

# Each depth has a painter and a level of compression. On 81 cells level 6 costs about 3 ms
# more than level 3 and saves a quarter of the bytes, which are sent to everyone in the
# channel; level 9 takes ten times as long. On 729 cells level 6 would take a third of the
# whole time allowed, and level 3 stays far below the bytes allowed.
_PAINTERS: Final[dict[int, tuple[Painter, int]]] = {
    1: (paint_single, 6),
    2: (paint_nine, 6),
    3: (paint_strategic, 3),
}


def draw_board(picture: BoardPicture) -> bytes:
    """Return the picture as a PNG: non-square, at twice the size it is shown at.

    Safe to call from several threads; the first call of a theme draws its pieces.
    """
    paint, level = _PAINTERS[picture.position.rules.depth]
    canvas, palette = paint(picture)
    canvas.putpalette(palette.flat())
    buffer = io.BytesIO()
    canvas.save(buffer, "PNG", compress_level=level)
    return buffer.getvalue()
