"""Pieces of boards, drawn once per theme and size, then only copied."""

import threading
from collections.abc import Callable
from functools import cache

from PIL import Image, ImageChops

from bot.render.claims import Claim
from bot.render.layout import Metrics
from bot.render.looks import Highlight, Look, look_colours
from bot.render.palette import Palette
from bot.render.shapes import mark_mask, rounded_mask, stroke_mask
from bot.render.text import text_mask
from bot.render.theme import Colour, Theme, mix


class TileSheet:
    """All pieces of one theme at one size, as images in palette numbers.

    Pieces are drawn when first asked for and kept. They are opaque: pasting
    one is a copy of rows, which is what makes a picture cheap.
    """

    def __init__(self, theme: Theme, metrics: Metrics, palette: Palette | None = None) -> None:
        """Begin a sheet.

        Args:
            theme: Colours and shapes.
            metrics: The size of everything.
            palette: Shared with sheets of other sizes on the same picture.
        """
        self.theme = theme
        self.metrics = metrics
        self.palette = Palette() if palette is None else palette
        self._pieces: dict[object, Image.Image] = {}
        self._lock = threading.RLock()

    def panel(self, look: Look) -> Image.Image:
        """Return a whole board without small marks or numbers."""
        return self.piece(("panel", look), lambda: self._draw_panel(look))

    def marked_cell(self, look: Look, slot: int, mark: int, *, is_last: bool) -> Image.Image:
        """Return a cell with a small mark."""
        key = ("mark", look, slot, mark, is_last)
        return self.piece(key, lambda: self._draw_mark(look, slot, mark, is_last=is_last))

    def drawn_cell(self, look: Look, slot: int, claim: Claim) -> Image.Image:
        """Return a cell that stands for a drawn board, which may count for both."""
        key = ("drawn", look, slot, claim)
        return self.piece(key, lambda: self._draw_drawn(look, slot, claim))

    def empty_cell(self, look: Look, slot: int, *, number: str = "", note: str = "") -> Image.Image:
        """Return an empty cell with a number in the middle, a small one in the corner."""
        key = ("empty", look, slot, number, note)
        return self.piece(key, lambda: self._draw_empty(look, slot, number, note))

    def badge(self, label: str, side: int | None) -> tuple[Image.Image, Image.Image]:
        """Return the number of a board, and the one-bit mask to paste it with."""
        piece = self.piece(("badge", side, label), lambda: self._draw_badge(side, label))
        return piece, self._badge_mask(piece.size)

    def flag(self, owner: int) -> tuple[Image.Image, Image.Image]:
        """Return a badge with the mark of an owner, and the one-bit mask to paste it with."""
        piece = self.piece(("flag", owner), lambda: self._draw_flag(owner))
        return piece, self._badge_mask(piece.size)

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
        ground = self.plain((sizes.panel, sizes.panel), colours.around)
        if colours.border is not None:
            width = sizes.border if look.highlight is Highlight.TARGET else sizes.thin_border
            self.lay_block(ground, sizes.frame - width, sizes.radius + width, colours.border)
        # Below a large mark a rounded corner would show as a speck in it.
        radius = 0 if look.is_covered else sizes.radius
        self.lay_block(ground, sizes.frame, radius, colours.cell)
        line = self.palette.index_of(colours.line)
        far = sizes.frame + sizes.grid
        for place in (sizes.cell, 2 * sizes.cell + sizes.line):
            start, end = sizes.frame + place, sizes.frame + place + sizes.line
            ground.paste(line, (start, sizes.frame, end, far))
            ground.paste(line, (sizes.frame, start, far, end))
        if look.claim is Claim.NOBODY:
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

    def lay_block(self, panel: Image.Image, inset: int, radius: int, colour: Colour) -> None:
        """Lay a rounded square of `colour` onto `panel`, `inset` from its edges."""
        side = panel.width - 2 * inset
        box = (inset, inset, inset + side, inset + side)
        mask = rounded_mask((side, side), radius)
        panel.paste(self.palette.over(panel.crop(box), colour, mask), box)

    def _draw_panel(self, look: Look) -> Image.Image:
        """Draw a board with the large marks of its owners, but without small marks."""
        lay = self._roughly_claimed if self.metrics.is_rough else self._claimed
        return lay(self._ground(look), look, (0, 0))

    def _claimed(self, image: Image.Image, look: Look, offset: tuple[int, int]) -> Image.Image:
        """Lay the owners' large marks onto the part of a board that `image` shows."""
        large = look_colours(self.theme, look).large
        for owner in look.owners:
            coverage = self._large_coverage(owner, image.size, offset)
            image = self.palette.over(image, large[owner], coverage)
        return image

    def _large_coverage(
        self, owner: int, size: tuple[int, int], offset: tuple[int, int]
    ) -> Image.Image:
        """Return where the owner's large mark covers a part of a board."""
        sizes = self.metrics
        coverage = Image.new("L", size, 0)
        mark = mark_mask(self.theme.shapes[owner], sizes.grid, large=True)
        coverage.paste(mark, (sizes.frame - offset[0], sizes.frame - offset[1]))
        return coverage

    def _draw_mark(self, look: Look, slot: int, mark: int, *, is_last: bool) -> Image.Image:
        """Draw a small mark: below the owners', unless it is the last move."""
        offset = self.metrics.cell_offset(slot)
        cell = self._cut(self._ground(look), slot)
        shape = mark_mask(self.theme.shapes[mark], self.metrics.cell)
        colours = look_colours(self.theme, look)
        if not is_last:
            marked = self.palette.over(cell, colours.marks[mark], shape)
            if self.metrics.is_rough:
                return self._roughly_claimed(marked, look, offset)
            marked = self._claimed(marked, look, offset)
            for owner in look.owners:
                # What lies below a large mark shows as a darker shade of it.
                below = ImageChops.darker(shape, self._large_coverage(owner, cell.size, offset))
                shade = mix(colours.large[owner], colours.cell, self.theme.shade_share)
                marked = self.palette.over(marked, shade, below)
            return marked
        inset = self.metrics.cell // 18
        side = self.metrics.cell - 2 * inset
        plate = Image.new("L", cell.size, 0)
        plate.paste(rounded_mask((side, side), side // 6), (inset, inset))
        fill, ink = self.theme.solids[mark], self.theme.ink
        if look.is_in_line:
            fill, ink = ink, fill
        claimed = self._claimed(cell, look, offset)
        return self.palette.over(self.palette.over(claimed, fill, plate), ink, shape)

    def _roughly_claimed(
        self, image: Image.Image, look: Look, offset: tuple[int, int]
    ) -> Image.Image:
        """Lay the owners' large marks onto small ones in few colours."""
        colours = look_colours(self.theme, look)
        for owner in look.owners:
            image = self.palette.stamp(
                image,
                colours.large[owner],
                self._large_coverage(owner, image.size, offset),
                grounds=(colours.cell, colours.line),
                shade=mix(colours.large[owner], colours.cell, self.theme.shade_share),
            )
        return image

    def _draw_drawn(self, look: Look, slot: int, claim: Claim) -> Image.Image:
        """Draw what stands for a drawn board: stripes, or both marks if it counts for both."""
        cell = self._cut(self._ground(look), slot)
        colours = look_colours(self.theme, look)
        side = cell.width
        if not claim.owners:
            stripes = [((n * side / 3, 0.0), (0.0, n * side / 3)) for n in range(1, 6)]
            hatching = stroke_mask(cell.size, stripes, side / 16)
            return self._claimed(
                self.palette.over(cell, mix(colours.cell, self.theme.muted, 0.4), hatching),
                look,
                self.metrics.cell_offset(slot),
            )
        for mark in claim.owners:
            shape = mark_mask(self.theme.shapes[mark], side)
            cell = self.palette.over(cell, colours.marks[mark], shape)
        lay = self._roughly_claimed if self.metrics.is_rough else self._claimed
        return lay(cell, look, self.metrics.cell_offset(slot))

    def _draw_empty(self, look: Look, slot: int, number: str, note: str) -> Image.Image:
        """Draw the numbers of an empty cell on its piece of the panel."""
        cell = self._cut(self.panel(look), slot)
        colours = look_colours(self.theme, look)
        if number:
            # Makes room for the corner.
            shift = cell.width // 6 if note else 0
            mask = Image.new("L", cell.size, 0)
            mask.paste(
                text_mask(
                    number, self.metrics.label, (cell.width - shift, cell.height - shift), "m"
                )
            )
            cell = self.palette.over(cell, colours.label, mask)
        if note:
            height = round(self.metrics.note * 1.1)
            corner = Image.new("L", cell.size, 0)
            words = text_mask(note, self.metrics.note, (cell.width - 3, height), "r")
            corner.paste(words, (0, cell.height - height))
            cell = self.palette.over(cell, colours.note, corner)
        return cell

    def _draw_badge(self, side: int | None, label: str) -> Image.Image:
        """Draw the number of a board, in the colour of who may play there."""
        fill, ink = mix(self.theme.line, self.theme.canvas, 0.1), self.theme.text
        if side is not None:
            fill, ink = self.theme.solids[side], self.theme.ink
        height, ring = self.metrics.badge, self.metrics.badge // 11
        width = height + max(0, len(label) - 1) * height * 2 // 5
        size, inner_size = (width, height), (width - 2 * ring, height - 2 * ring)
        # The ring in the colour of the canvas keeps it apart from the border.
        inner = Image.new("L", size, 0)
        inner.paste(rounded_mask(inner_size, inner_size[1] // 2), (ring, ring))
        badge = self.palette.over(self.plain(size, self.theme.canvas), fill, inner)
        mask = text_mask(label, round(inner_size[1] * 0.74), size, "m")
        return self.palette.over(badge, ink, mask)

    def _draw_flag(self, owner: int) -> Image.Image:
        """Draw a badge with a mark instead of a number."""
        blank = self._draw_badge(owner, "")
        inset = self.metrics.badge // 8
        shape = Image.new("L", blank.size, 0)
        mark = mark_mask(self.theme.shapes[owner], blank.height - 2 * inset)
        shape.paste(mark, (inset, inset))
        return self.palette.over(blank, self.theme.ink, shape)

    def _badge_mask(self, size: tuple[int, int]) -> Image.Image:
        """Return the one-bit mask of a badge."""
        return self.piece(
            ("badge mask", size),
            lambda: rounded_mask(size, size[1] // 2).point(lambda level: 255 * (level > 127), "1"),
        )

    def _cut(self, panel: Image.Image, slot: int) -> Image.Image:
        """Return the piece of a panel where a cell lies."""
        x, y = self.metrics.cell_offset(slot)
        return panel.crop((x, y, x + self.metrics.cell, y + self.metrics.cell))


@cache
def tile_sheet(theme: Theme, metrics: Metrics) -> TileSheet:
    """Return the one sheet of a theme at a size."""
    return TileSheet(theme, metrics)
