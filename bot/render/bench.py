"""How fast and how large board pictures are; printed by the project's benchmark."""

import io
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from PIL import Image, ImageDraw

from bot.render import layout
from bot.render.board import draw_board
from bot.render.picture import BoardPicture
from bot.render.preview import sample_pictures
from bot.render.text import font
from bot.render.theme import THEMES

_REPEATS = 7


def bench_lines() -> Iterator[str]:
    """Yield the lines of a report: milliseconds, kilobytes, ratio to drawing anew.

    The ratio compares with drawing the same squares, marks and words straight
    into a true-colour image of the same size, in the same process.
    """
    yield f"{'picture':<28}{'ms':>7}{'KB':>7}{'plain drawing / tiles':>24}"
    for theme in THEMES.values():
        for name, picture in sample_pictures().items():
            themed = replace(picture, theme=theme)
            size_kb = len(draw_board(themed)) / 1000
            tiles_ms = _milliseconds(partial(draw_board, themed))
            plain_ms = _milliseconds(partial(_draw_plainly, themed))
            ratio = f"{plain_ms / tiles_ms:.1f} x"
            yield f"{theme.key + ' ' + name:<28}{tiles_ms:>7.1f}{size_kb:>7.1f}{ratio:>24}"


def _milliseconds(run: Callable[[], object]) -> float:
    """Return the median time of a call."""
    times = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def _draw_plainly(picture: BoardPicture) -> bytes:
    """Draw the board without tiles: every shape anew, smooth by oversampling."""
    theme, position = picture.theme, picture.position
    zoom = 2
    image = Image.new("RGB", (layout.WIDTH * zoom, layout.HEIGHT * zoom), theme.canvas)
    draw = ImageDraw.Draw(image)
    half = layout.NORMAL.cell * zoom // 2
    for cell in range(81):
        x, y = (zoom * place for place in layout.cell_centre(cell))
        draw.rectangle((x - half, y - half, x + half, y + half), theme.surface)
        mark = position.mark_at(cell)
        reach = round(half * 0.55)
        if mark == 0:
            draw.line((x - reach, y - reach, x + reach, y + reach), theme.marks[0], half // 4)
            draw.line((x - reach, y + reach, x + reach, y - reach), theme.marks[0], half // 4)
        elif mark == 1:
            draw.ellipse(
                (x - reach, y - reach, x + reach, y + reach), None, theme.marks[1], half // 4
            )
    draw.text((40, 40), " ".join(picture.names), theme.text, font(30 * zoom))
    buffer = io.BytesIO()
    image.reduce(zoom).save(buffer, "PNG", compress_level=6)
    return buffer.getvalue()
