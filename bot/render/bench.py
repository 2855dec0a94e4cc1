"""How fast and how large board pictures are; printed by the project's benchmark."""

import io
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

from PIL import Image, ImageDraw

from bot.render import layout
from bot.render.board import draw_board
from bot.render.layout import Metrics
from bot.render.masks import font
from bot.render.picture import BoardPicture
from bot.render.preview import animated_samples, designed_samples, sample_pictures
from bot.render.theme import DARK

_REPEATS = 7

_SINGLE = (layout.SINGLE_LEFT, layout.FIELD_TOP)
_NINE = (layout.MARGIN, layout.FIELD_TOP)
# For each depth the height of a picture, its sizes and where its cells lie.
_PLAIN: dict[int, tuple[int, Metrics, Callable[[int], tuple[int, int]]]] = {
    1: (layout.SINGLE_HEIGHT, layout.SINGLE, partial(layout.SINGLE.centre_of, origin=_SINGLE)),
    2: (layout.HEIGHT, layout.NORMAL, partial(layout.NORMAL.centre_of, origin=_NINE)),
    3: (layout.STRATEGIC_HEIGHT, layout.SMALL, layout.overview_cell_centre),
}


def bench_lines() -> Iterator[str]:
    """Yield the lines of a report: milliseconds, kilobytes, ratio to drawing without tiles.

    The ratio compares with drawing the cells, marks and names straight into a
    true-colour image of the same size, in the same process.
    """
    yield f"{'picture':<28}{'ms':>7}{'KB':>7}{'plain drawing / tiles':>24}"
    for name, picture in sample_pictures().items():
        size_kb = len(draw_board(picture)) / 1000
        tiles_ms = _milliseconds(partial(draw_board, picture))
        plain_ms = _milliseconds(partial(_draw_plainly, picture))
        ratio = f"{plain_ms / tiles_ms:.1f} x"
        yield f"{name:<28}{tiles_ms:>7.1f}{size_kb:>7.1f}{ratio:>24}"
    for samples, repeats in ((designed_samples(), _REPEATS), (animated_samples(), 1)):
        for name, draw in samples.items():
            size_kb = len(draw(DARK)) / 1000
            drawn_ms = _milliseconds(partial(draw, DARK), repeats)
            yield f"{name:<28}{drawn_ms:>7.1f}{size_kb:>7.1f}"


def _milliseconds(run: Callable[[], object], repeats: int | None = None) -> float:
    times = []
    for _ in range(repeats or _REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def _draw_plainly(picture: BoardPicture) -> bytes:
    """Draw the board without tiles: every shape again, smooth by oversampling."""
    theme, position = picture.theme, picture.position
    height, metrics, centre = _PLAIN[position.rules.depth]
    zoom = 2
    image = Image.new("RGB", (layout.WIDTH * zoom, height * zoom), theme.canvas)
    draw = ImageDraw.Draw(image)
    half = metrics.cell * zoom // 2
    for cell in range(position.rules.cell_count):
        x, y = (zoom * place for place in centre(cell))
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
