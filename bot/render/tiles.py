"""Pieces of boards, drawn once per theme and size, then only copied."""

import threading
from collections.abc import Callable
from functools import cache

from PIL import Image, ImageChops

from bot.render.layout import Metrics
from bot.render.looks import Highlight, Look, look_colours
from bot.render.palette import Palette
from bot.render.shapes import mark_mask, rounded_mask, stroke_mask
from bot.render.text import text_mask
from bot.render.theme import Colour, Theme, mix
from engine import BoardStatus


class TileSheet:
    """All pieces of one theme at one size, as images in palette numbers.

    Pieces are drawn when first asked for and kept. They are opaque: pasting
    one is a copy of rows, which is what makes a picture cheap.
    """

    def __init__(self, theme: Theme, metrics: Metrics) -> None:
        self.theme = theme
        self.metrics = metrics
        self.palette = Palette()
        self._pieces: dict[object, Image.Image] = {}
        self._lock = threading.RLock()

    def panel(self, look: Look) -> Image.Image:
        """Return a whole board without small marks or numbers."""
        return self.piece(("panel", look), lambda: self._draw_panel(look))

    def marked_cell(self, look: Look, slot: int, mark: int, *, is_last: bool) -> Image.Image:
        """Return a cell with a small mark."""
        key = ("mark", look, slot, mark, is_last)
        return self.piece(key, lambda: self._draw_mark(look, slot, mark, is_last=is_last))

    def numbered_cell(self, look: Look, slot: int) -> Image.Image:
        """Return an empty cell with its number."""
        return self.piece(("number", look, slot), lambda: self._draw_number(look, slot))

    def badge(self, look: Look, board: int) -> tuple[Image.Image, Image.Image]:
        """Return the number of a board, and the one-bit mask to paste it with."""
        tone = look.side
        piece = self.piece(("badge", tone, board), lambda: self._draw_badge(tone, board))
        size = (self.metrics.badge, self.metrics.badge)
        mask = self.piece(
            "badge mask",
            lambda: rounded_mask(size, size[0] // 2).point(lambda level: 255 * (level > 127), "1"),
        )
        return piece, mask

    def plain(self, size: tuple[int, int], colour: Colour) -> Image.Image:
        """Return a new image of one colour, to draw on."""
        return Image.new("L", size, self.palette.index_of(colour))

    def piece(self, key: object, draw: Callable[[], Image.Image]) -> Image.Image:
        """Return the piece under `key`, drawing it the first time."""
        found = self._pieces.get(key)
        if found is None:
            with self._lock:
                found = self._pieces.setdefault(key, self._pieces.get(key) or draw())
        return found

    def _ground(self, look: Look) -> Image.Image:
        """Return a board without marks, large mark or hatching."""
        return self.piece(("ground", look), lambda: self._draw_ground(look))

    def _draw_ground(self, look: Look) -> Image.Image:
        """Draw border, cells and lines of a board."""
        sizes = self.metrics
        colours = look_colours(self.theme, look)
        ground = self.plain((sizes.panel, sizes.panel), self.theme.canvas)
        if colours.border is not None:
            width = sizes.border if look.highlight is Highlight.TARGET else sizes.thin_border
            self._lay_block(ground, sizes.frame - width, sizes.radius + width, colours.border)
        self._lay_block(ground, sizes.frame, sizes.radius, colours.cell)
        line = self.palette.index_of(colours.line)
        far = sizes.frame + sizes.grid
        for place in (sizes.cell, 2 * sizes.cell + sizes.line):
            start, end = sizes.frame + place, sizes.frame + place + sizes.line
            ground.paste(line, (start, sizes.frame, end, far))
            ground.paste(line, (sizes.frame, start, far, end))
        if look.status is BoardStatus.DRAWN:
            ground = self.palette.over(ground, colours.line, self._hatching())
        return ground

    def _hatching(self) -> Image.Image:
        """Return the coverage of the stripes across a drawn board."""
        sizes = self.metrics
        step = sizes.grid / 6
        stripes = [((n * step, 0.0), (0.0, n * step)) for n in range(1, 12)]
        coverage = Image.new("L", (sizes.panel, sizes.panel), 0)
        size = (sizes.grid, sizes.grid)
        mask = stroke_mask(size, stripes, sizes.line)
        clipped = ImageChops.darker(mask, rounded_mask(size, sizes.radius))
        coverage.paste(clipped, (sizes.frame, sizes.frame))
        return coverage

    def _lay_block(self, panel: Image.Image, inset: int, radius: int, colour: Colour) -> None:
        """Lay a rounded square of `colour` onto `panel`, `inset` from its edges."""
        side = panel.width - 2 * inset
        box = (inset, inset, inset + side, inset + side)
        mask = rounded_mask((side, side), radius)
        panel.paste(self.palette.over(panel.crop(box), colour, mask), box)

    def _draw_panel(self, look: Look) -> Image.Image:
        """Draw a board with the large mark of its owner, but without small marks."""
        return self._claimed(self._ground(look), look, (0, 0))

    def _claimed(self, image: Image.Image, look: Look, offset: tuple[int, int]) -> Image.Image:
        """Lay the owner's large mark onto the part of a board that `image` shows."""
        if look.owner is None:
            return image
        coverage = self._large_coverage(look, image.size, offset)
        return self.palette.over(image, look_colours(self.theme, look).large, coverage)

    def _large_coverage(
        self, look: Look, size: tuple[int, int], offset: tuple[int, int]
    ) -> Image.Image:
        """Return where the owner's large mark covers a part of a board."""
        assert look.owner is not None
        sizes = self.metrics
        coverage = Image.new("L", size, 0)
        mark = mark_mask(self.theme.shapes[look.owner], sizes.grid, large=True)
        coverage.paste(mark, (sizes.frame - offset[0], sizes.frame - offset[1]))
        return coverage

    def _draw_mark(self, look: Look, slot: int, mark: int, *, is_last: bool) -> Image.Image:
        """Draw a small mark: below the owner's, unless it is the last move."""
        offset = self.metrics.cell_offset(slot)
        cell = self._cut(self._ground(look), slot)
        shape = mark_mask(self.theme.shapes[mark], self.metrics.cell)
        colours = look_colours(self.theme, look)
        if not is_last:
            marked = self.palette.over(cell, colours.marks[mark], shape)
            if look.owner is None:
                return marked
            # What lies below the large mark shows as a darker shade of it.
            below = ImageChops.darker(shape, self._large_coverage(look, cell.size, offset))
            shade = mix(colours.large, colours.cell, self.theme.shade_share)
            return self.palette.over(self._claimed(marked, look, offset), shade, below)
        inset = self.metrics.cell // 18
        side = self.metrics.cell - 2 * inset
        plate = Image.new("L", cell.size, 0)
        plate.paste(rounded_mask((side, side), side // 6), (inset, inset))
        fill, ink = self.theme.solids[mark], self.theme.ink
        if look.is_in_line:
            fill, ink = ink, fill
        claimed = self._claimed(cell, look, offset)
        return self.palette.over(self.palette.over(claimed, fill, plate), ink, shape)

    def _draw_number(self, look: Look, slot: int) -> Image.Image:
        """Draw the number of an empty cell on its piece of the panel."""
        cell = self._cut(self.panel(look), slot)
        mask = text_mask(str(slot + 1), self.metrics.label, cell.size, "m")
        return self.palette.over(cell, look_colours(self.theme, look).label, mask)

    def _draw_badge(self, side: int | None, board: int) -> Image.Image:
        """Draw the number of a board, in the colour of who may play there."""
        fill, ink = mix(self.theme.line, self.theme.canvas, 0.1), self.theme.text
        if side is not None:
            fill, ink = self.theme.solids[side], self.theme.ink
        side_px, ring = self.metrics.badge, self.metrics.badge // 11
        size, inner_size = (side_px, side_px), (side_px - 2 * ring, side_px - 2 * ring)
        # The ring in the colour of the canvas keeps it apart from the border.
        inner = Image.new("L", size, 0)
        inner.paste(rounded_mask(inner_size, inner_size[0] // 2), (ring, ring))
        badge = self.palette.over(self.plain(size, self.theme.canvas), fill, inner)
        mask = text_mask(str(board + 1), round(inner_size[0] * 0.74), size, "m")
        return self.palette.over(badge, ink, mask)

    def _cut(self, panel: Image.Image, slot: int) -> Image.Image:
        """Return the piece of a panel where a cell lies."""
        x, y = self.metrics.cell_offset(slot)
        return panel.crop((x, y, x + self.metrics.cell, y + self.metrics.cell))


@cache
def tile_sheet(theme: Theme, metrics: Metrics) -> TileSheet:
    """Return the one sheet of a theme at a size."""
    return TileSheet(theme, metrics)
