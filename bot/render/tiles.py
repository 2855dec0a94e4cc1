"""How boards look, and their pieces: drawn once per theme and size, then only copied."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache, wraps
from typing import Concatenate, ParamSpec

from PIL import Image, ImageChops

from bot.render.layout import Metrics
from bot.render.masks import (
    fitted_text,
    mark_mask,
    placed,
    rounded_mask,
    stroke_mask,
    text_mask,
)
from bot.render.palette import Palette
from bot.render.picture import Advice, CellNote, Claim
from bot.render.theme import Colour, Theme, mix
from engine import O, Side, X


class Highlight(Enum):
    """Whether a board may be played in, and how near that is."""

    NONE = "at rest"
    CHOICE = "one of the boards to choose from"
    TARGET = "the board whose cells may be played now"

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Everything that decides how a board and the marks in it are drawn.

    Attributes:
        side: Who may play in it, or whose winning line it belongs to.
        is_in_line: Whether it belongs to the boards that decided the game.
        above: Who owns the board in which it lies.
        is_covered: Whether the large mark of that owner lies over it.
    """

    claim: Claim
    highlight: Highlight = Highlight.NONE
    side: Side | None = None
    is_in_line: bool = False
    above: Claim = Claim.OPEN
    is_covered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LookColours:
    """The colours of one look.

    Attributes:
        around: Outside of the board and its border.
        cell: Empty cells.
        marks: Small X and O.
        large: X and O across the whole board, where they own it.
        label: Numbers of empty cells.
        note: Further numbers in them.
    """

    around: Colour
    cell: Colour
    line: Colour
    border: Colour | None
    marks: tuple[Colour, Colour]
    large: tuple[Colour, Colour]
    label: Colour
    note: Colour


@lru_cache(maxsize=512)
def look_colours(theme: Theme, look: Look) -> LookColours:
    """Mix the colours of a board from the few of its theme."""
    if look.is_covered:  # by the large mark of the board around it
        outer = replace(look, claim=look.above, above=Claim.OPEN, is_covered=False)
        base = look_colours(theme, outer)
        return replace(base, around=base.line, border=None, large=base.marks)
    cell, line, border = _ground(theme, look)
    large = theme.solids
    if look.is_in_line and look.claim.owners:
        large = (theme.ink, theme.ink)
    elif look.side is not None and look.claim.owners:
        # Numbers stand on top of it: it must not drown them.
        large = (mix(cell, large[X], theme.open_share), mix(cell, large[O], theme.open_share))
    label = theme.text if look.claim.owners else mix(theme.text, cell, theme.label_share)
    at_rest = look.highlight is Highlight.NONE
    winner = look.above.winner
    around = theme.canvas
    if winner is not None:
        around = mix(around, theme.solids[winner], theme.around_share)
    return LookColours(
        around=around,
        cell=cell,
        line=line,
        border=border,
        marks=_mark_colours(theme, look, cell, large),
        large=large,
        label=label,
        note=theme.muted if at_rest else theme.text,
    )


def _ground(theme: Theme, look: Look) -> tuple[Colour, Colour, Colour | None]:
    """Return the colours of cells, of lines and of the border."""
    cell, line = theme.surface, theme.line
    winner = look.claim.winner
    if winner is not None:
        cell = mix(theme.canvas, theme.solids[winner], theme.won_share)
        line = mix(cell, theme.canvas, 0.6)
    elif look.claim.is_drawn:
        cell = mix(cell, theme.canvas, 0.5)
    if look.side is None:
        return cell, line, None
    border = theme.solids[look.side]
    if look.is_in_line and look.claim.owners:
        return border, mix(border, theme.ink, 0.2), border
    if look.claim is Claim.OPEN:
        is_target = look.highlight is Highlight.TARGET
        share = theme.target_share if is_target else theme.choice_share
        cell = mix(theme.raised, border, share)
        line = mix(cell, border, 0.8)
    return cell, line, border


def _mark_colours(
    theme: Theme, look: Look, cell: Colour, large: tuple[Colour, Colour]
) -> tuple[Colour, Colour]:
    """Return the colours of the small marks of a board whose cells are `cell`."""
    if look.is_in_line and look.claim.owners:
        ghost = mix(cell, large[X], theme.ghost_share)
        return ghost, ghost
    if look.claim.is_drawn:
        grey = mix(theme.muted, cell, 0.25)
        return grey, grey
    faded = theme.rest_share if look.side is None else 0.0
    if look.claim.owners:
        faded = 1 - theme.ghost_share
    first, second = (mix(mark, cell, faded) for mark in theme.marks)
    return first, second


P = ParamSpec("P")
Drawing = Callable[Concatenate["TileSheet", P], Image.Image]


def _kept(draw: Drawing[P]) -> Drawing[P]:
    """Make a method draw a piece the first time, and return the same one from then on."""

    @wraps(draw)
    def piece(sheet: "TileSheet", /, *args: P.args, **kwargs: P.kwargs) -> Image.Image:
        key = (draw, args, *kwargs.values())
        found = sheet._pieces.get(key)  # a picture asks for hundreds of pieces
        return found or sheet.piece(key, lambda: draw(sheet, *args, **kwargs))

    return piece


class TileSheet:
    """All pieces of one theme at one size, as images in palette numbers.

    Pieces are drawn when first asked for and kept. They are opaque: pasting
    one is a copy of rows, which is what makes a picture cheap.
    """

    def __init__(self, theme: Theme, metrics: Metrics, palette: Palette | None = None) -> None:
        """Start a sheet; `palette` is shared with sheets of other sizes on the same picture."""
        self.theme = theme
        self.metrics = metrics
        self.palette = Palette() if palette is None else palette
        self._pieces: dict[object, Image.Image] = {}
        self._lock = threading.RLock()

    def piece(self, key: object, draw: Callable[[], Image.Image]) -> Image.Image:
        """Return the piece under `key`, drawing it the first time."""
        found = self._pieces.get(key)
        if found is None:
            with self._lock:
                found = self._pieces.setdefault(key, self._pieces.get(key) or draw())
        return found

    def plain(self, size: tuple[int, int], colour: Colour) -> Image.Image:
        """Return a new image of one colour, to draw on."""
        return Image.new("L", size, self.palette.index_of(colour))

    def lay_block(self, panel: Image.Image, inset: int, radius: int, colour: Colour) -> None:
        """Lay a rounded square of `colour` onto `panel`, `inset` from its edges."""
        side = panel.width - 2 * inset
        box = (inset, inset, inset + side, inset + side)
        mask = rounded_mask((side, side), radius)
        panel.paste(self.palette.over(panel.crop(box), colour, mask), box)

    def write(
        self,
        canvas: Image.Image,
        area: tuple[int, int, int, int],
        text: str,
        size_px: int,
        ink: Colour,
        *,
        ground: Colour | None = None,
        align: str = "m",
    ) -> None:
        """Write one fitted line onto a part of `canvas` that is all `ground`.

        `area` is left, top, width and height; `align` is "l", "m" or "r".
        """
        mask = text_mask(text, size_px, area[2:], align)
        ramp = self.palette.ramp(self.theme.canvas if ground is None else ground, ink)
        canvas.paste(mask.point(ramp), area[:2])

    def badge(self, label: str, side: Side | None) -> tuple[Image.Image, Image.Image]:
        """Return the number of a board, and the one-bit mask to paste it with."""
        piece = self._badge(label, side)
        return piece, self._badge_mask(piece.size)

    def note(self, note: CellNote) -> tuple[Image.Image, Image.Image]:
        """Return a mark on a cell, and the one-bit mask to paste it with.

        A cell that was played in keeps its mark and gets a sign, as does every cell that is too
        small for words.
        """
        if note.advice is not Advice.PLAYED and self.metrics.label:
            piece = self._plate(note)
            return piece, self._badge_mask(piece.size, piece.width // 6)
        piece = self._sign(note)
        return piece, self._badge_mask(piece.size)

    def note_shift(self, size: tuple[int, int], note: CellNote) -> tuple[int, int]:
        """Return the offset of a note from its cell: centred, over its corner if it was played."""
        if note.advice is Advice.PLAYED:
            return self.metrics.cell - size[1] * 2 // 3, -size[1] // 2
        return (self.metrics.cell - size[0]) // 2, (self.metrics.cell - size[1]) // 2

    def flag(self, owner: Side) -> tuple[Image.Image, Image.Image]:
        """Return a badge with the mark of an owner, and the one-bit mask to paste it with."""
        piece = self._flag(owner)
        return piece, self._badge_mask(piece.size)

    @_kept
    def panel(self, look: Look) -> Image.Image:
        """Return a whole board with its owners' large marks, without small marks or numbers."""
        return self._claimed(self._ground(look), look, (0, 0), roughly=self.metrics.is_rough)

    @_kept
    def marked_cell(self, look: Look, slot: int, mark: Side, *, is_last: bool) -> Image.Image:
        """Return a cell with a small mark: below the owners', unless it is the last move."""
        offset = self.metrics.cell_offset(slot)
        cell = self._cut(self._ground(look), slot)
        shape = mark_mask(self.theme.shapes[mark], self.metrics.cell)
        if is_last:
            return self._last_move(self._claimed(cell, look, offset), shape, mark, look)
        colours = look_colours(self.theme, look)
        marked = self.palette.over(cell, colours.marks[mark], shape)
        marked = self._claimed(marked, look, offset, roughly=self.metrics.is_rough)
        for owner in () if self.metrics.is_rough else look.claim.owners:
            # What lies below a large mark shows as a darker shade of it.
            below = ImageChops.darker(shape, self._large_coverage(owner, cell.size, offset))
            shade = mix(colours.large[owner], colours.cell, self.theme.shade_share)
            marked = self.palette.over(marked, shade, below)
        return marked

    @_kept
    def drawn_cell(self, look: Look, slot: int, claim: Claim) -> Image.Image:
        """Return a cell that stands for a drawn board: stripes, or both marks."""
        cell = self._cut(self._ground(look), slot)
        colours = look_colours(self.theme, look)
        side = cell.width
        if not claim.owners:
            stripes = [((n * side / 3, 0.0), (0.0, n * side / 3)) for n in range(1, 6)]
            hatching = stroke_mask(cell.size, stripes, side / 16)
            cell = self.palette.over(cell, mix(colours.cell, self.theme.muted, 0.4), hatching)
            return self._claimed(cell, look, self.metrics.cell_offset(slot))
        for mark in claim.owners:
            shape = mark_mask(self.theme.shapes[mark], side)
            cell = self.palette.over(cell, colours.marks[mark], shape)
        offset = self.metrics.cell_offset(slot)
        return self._claimed(cell, look, offset, roughly=self.metrics.is_rough)

    @_kept
    def empty_cell(self, look: Look, slot: int, *, number: str = "", note: str = "") -> Image.Image:
        """Return an empty cell with a number in the middle, a small one in the corner."""
        cell = self._cut(self.panel(look), slot)
        colours = look_colours(self.theme, look)
        if number:
            # Makes room for the corner.
            shift = cell.width // 5 if note else 0
            box = (cell.width - shift, cell.height - shift)
            mask = placed(text_mask(number, self.metrics.label, box, "m"), cell.size, (0, 0))
            cell = self.palette.over(cell, colours.label, mask)
        if note:
            height = round(self.metrics.note * 1.1)
            mask = text_mask(note, self.metrics.note, (cell.width - 3, height), "r")
            mask = placed(mask, cell.size, (0, cell.height - height))
            cell = self.palette.over(cell, colours.note, mask)
        return cell

    @_kept
    def _ground(self, look: Look) -> Image.Image:
        """Return a board with border, cells and lines, hatched if it is drawn, without marks."""
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
            stripes = mix(colours.cell, colours.line, 0.3)
            ground = self.palette.over(ground, stripes, self._hatching())
        return ground

    def _hatching(self) -> Image.Image:
        sizes = self.metrics
        step = sizes.grid / 6
        stripes = [((n * step, 0.0), (0.0, n * step)) for n in range(1, 12)]
        size = (sizes.grid, sizes.grid)
        mask = stroke_mask(size, stripes, sizes.line)
        clipped = ImageChops.darker(mask, rounded_mask(size, sizes.radius))
        return placed(clipped, (sizes.panel, sizes.panel), (sizes.frame, sizes.frame))

    def _claimed(
        self, image: Image.Image, look: Look, offset: tuple[int, int], *, roughly: bool = False
    ) -> Image.Image:
        """Lay the owners' large marks onto the part of a board that `image` shows.

        Roughly means in few colours, small marks below the large ones in one shade.
        """
        colours = look_colours(self.theme, look)
        for owner in look.claim.owners:
            large, coverage = colours.large[owner], self._large_coverage(owner, image.size, offset)
            if roughly:
                shade = mix(large, colours.cell, self.theme.shade_share)
                grounds = (colours.cell, colours.line)
                image = self.palette.stamp(image, large, coverage, grounds=grounds, shade=shade)
            else:
                image = self.palette.over(image, large, coverage)
        return image

    def _large_coverage(
        self, owner: Side, size: tuple[int, int], offset: tuple[int, int]
    ) -> Image.Image:
        """Return where the owner's large mark covers a part of a board."""
        sizes = self.metrics
        mark = mark_mask(self.theme.shapes[owner], sizes.grid, large=True)
        return placed(mark, size, (sizes.frame - offset[0], sizes.frame - offset[1]))

    def _last_move(
        self, cell: Image.Image, shape: Image.Image, mark: Side, look: Look
    ) -> Image.Image:
        """Lay the mark of the last move onto its cell, on a filled square."""
        inset = self.metrics.cell // 18
        side = self.metrics.cell - 2 * inset
        plate = placed(rounded_mask((side, side), side // 6), cell.size, (inset, inset))
        fill, ink = self.theme.solids[mark], self.theme.ink
        if look.is_in_line:
            fill, ink = ink, fill
        return self.palette.over(self.palette.over(cell, fill, plate), ink, shape)

    @_kept
    def _plate(self, note: CellNote) -> Image.Image:
        """Draw a cell of the accent colour, filled for the best move, else outlined."""
        side, edge = self.metrics.cell - 2, self.metrics.cell // 18
        plate = self.plain((side, side), self.theme.accent)
        fill, ink = self.theme.accent, self.theme.ink
        if note.advice is not Advice.BEST:
            fill, ink = self.theme.canvas, self.theme.accent
            self.lay_block(plate, edge, side // 8, fill)
        if note.mark is not None:
            shape = placed(mark_mask(self.theme.shapes[note.mark], side), plate.size, (0, 0))
            plate = self.palette.over(plate, ink, shape)
        width, height = side - 2 * edge - 2, round(0.43 * side)
        top = (side - height * len(note.label)) // 2
        for place, line in enumerate(note.label):
            text, size = fitted_text(line, tuple(range(height, height // 3, -1)), width)
            area = (edge + 1, top + place * height, width, height)
            self.write(plate, area, text, size, ink, ground=fill)
        return plate

    @_kept
    def _sign(self, note: CellNote) -> Image.Image:
        """Draw a badge with the first line of a note, or with its mark."""
        if note.advice is Advice.PLAYED:
            return self._lettered("".join(note.label), self.theme.text, self.theme.canvas)
        blank = self._lettered("".join(note.label[:1]), self.theme.accent, self.theme.ink)
        return blank if note.mark is None else self._marked(blank, note.mark)

    @_kept
    def _badge(self, label: str, side: Side | None) -> Image.Image:
        """Draw the number of a board, in the colour of who may play there."""
        fill, ink = mix(self.theme.line, self.theme.canvas, 0.45), self.theme.text
        if side is not None:
            fill, ink = self.theme.solids[side], self.theme.ink
        return self._lettered(label, fill, ink)

    def _lettered(self, label: str, fill: Colour, ink: Colour) -> Image.Image:
        height, ring = self.metrics.badge, self.metrics.badge // 11
        width = height + max(0, len(label) - 1) * height * 2 // 5
        size, inner_size = (width, height), (width - 2 * ring, height - 2 * ring)
        # The ring in the colour of the canvas keeps it apart from the border.
        inner = placed(rounded_mask(inner_size, inner_size[1] // 2), size, (ring, ring))
        badge = self.palette.over(self.plain(size, self.theme.canvas), fill, inner)
        mask = text_mask(label, self.metrics.badge_label, size, "m")
        return self.palette.over(badge, ink, mask)

    @_kept
    def _flag(self, owner: Side) -> Image.Image:
        return self._marked(self._badge("", owner), owner)

    def _marked(self, badge: Image.Image, side: Side) -> Image.Image:
        """Lay a mark onto a badge without letters."""
        inset = self.metrics.badge // 8
        mark = mark_mask(self.theme.shapes[side], badge.height - 2 * inset)
        return self.palette.over(badge, self.theme.ink, placed(mark, badge.size, (inset, inset)))

    @_kept
    def _badge_mask(self, size: tuple[int, int], radius: int | None = None) -> Image.Image:
        mask = rounded_mask(size, size[1] // 2 if radius is None else radius)
        return mask.point(lambda level: 255 * (level > 127), "1")

    def _cut(self, panel: Image.Image, slot: int) -> Image.Image:
        x, y = self.metrics.cell_offset(slot)
        return panel.crop((x, y, x + self.metrics.cell, y + self.metrics.cell))


@cache
def tile_sheet(theme: Theme, metrics: Metrics) -> TileSheet:
    """Return the one sheet of a theme at a size."""
    return TileSheet(theme, metrics)
