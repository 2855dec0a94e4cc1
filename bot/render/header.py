"""The top of a picture: who plays which mark, and what happens next."""

from PIL import Image

from bot.language import N_, _
from bot.render import layout
from bot.render.describe import status_line
from bot.render.masks import fitted_text, mark_mask, placed, rounded_mask, writable_text
from bot.render.picture import BoardPicture
from bot.render.theme import Colour, mix
from bot.render.tiles import TileSheet
from engine import O, Side, X

_MARK_SIZE = 50
_PADDING = 8
_END_PADDING = 14

_FALLBACK_NAMES = (N_("Player X"), N_("Player O"))


def draw_header_of(
    canvas: Image.Image,
    sheet: TileSheet,
    picture: BoardPicture,
    *,
    status_width: int | None = None,
) -> None:
    """Draw the header that belongs to a picture; see `draw_header`."""
    draw_header(
        canvas,
        sheet,
        names=picture.names,
        status=picture.status or status_line(picture.position, picture.selected),
        active=None if picture.is_decided else picture.position.side,
        winner=picture.victor,
        status_width=status_width,
    )


def draw_header(
    canvas: Image.Image,
    sheet: TileSheet,
    *,
    names: tuple[str, str],
    status: str,
    active: Side | None,
    winner: Side | None,
    status_width: int | None = None,
) -> None:
    """Draw the header onto the top of `canvas`, as wide as that is.

    The plate of `active`, the side to move, is outlined, that of `winner` filled. The status
    stands in the middle of `status_width` pixels from the left margin, by default of all.
    """
    for side in (X, O):
        state = "won" if winner == side else "active" if active == side else "waiting"
        _draw_plate(canvas, sheet, side, names[side], state)
    tone = active if winner is None else winner
    ink = sheet.theme.text if tone is None else sheet.theme.marks[tone]
    line = writable_text(status, fallback="")
    width = status_width or canvas.width - 2 * layout.MARGIN
    fitted, size = fitted_text(line, layout.STATUS_SIZES, width)
    area = (layout.MARGIN, layout.STATUS_TOP, width, layout.STATUS_HEIGHT)
    sheet.write(canvas, area, fitted, size, ink)


def _draw_plate(canvas: Image.Image, sheet: TileSheet, side: Side, name: str, state: str) -> None:
    """Draw the mark and the name of a player; O's is the mirror image."""
    ground, ink = _plate_colours(sheet, side, state)
    width = (canvas.width - 2 * layout.MARGIN - layout.PLATE_GAP) // 2
    plate = sheet.piece(("plate", side, state, width), lambda: _plate(sheet, side, state, width))
    left = layout.MARGIN + side * (width + layout.PLATE_GAP)
    canvas.paste(plate, (left, layout.MARGIN))
    writable = writable_text(name, fallback=_(_FALLBACK_NAMES[side]))
    room = width - _MARK_SIZE - 2 * _PADDING - _END_PADDING
    fitted, size = fitted_text(writable, layout.NAME_SIZES, room)
    start = _MARK_SIZE + 2 * _PADDING if side == X else _END_PADDING
    area = (left + start, layout.MARGIN + 10, room, layout.PLATE_HEIGHT - 20)
    sheet.write(canvas, area, fitted, size, ink, ground=ground, align="lr"[side])


def _plate_colours(sheet: TileSheet, side: Side, state: str) -> tuple[Colour, Colour]:
    """Return the colours of a plate and of the name on it."""
    theme = sheet.theme
    if state == "won":
        return theme.solids[side], theme.ink
    if state == "active":
        return mix(theme.surface, theme.marks[side], theme.target_share), theme.text
    return theme.surface, theme.muted


def _plate(sheet: TileSheet, side: Side, state: str, width: int) -> Image.Image:
    """Draw a plate without a name."""
    theme, palette = sheet.theme, sheet.palette
    size = (width, layout.PLATE_HEIGHT)
    ground, ink = _plate_colours(sheet, side, state)
    border = 5 if state == "active" else 0
    plate = sheet.plain(size, theme.canvas)
    if border:
        plate = palette.over(plate, theme.marks[side], rounded_mask(size, 16))
    inner_size = (size[0] - 2 * border, size[1] - 2 * border)
    inner = placed(rounded_mask(inner_size, 16 - border), size, (border, border))
    plate = palette.over(plate, ground, inner)
    left = _PADDING if side == X else size[0] - _PADDING - _MARK_SIZE
    mark = mark_mask(theme.shapes[side], _MARK_SIZE)
    mark = placed(mark, size, (left, (size[1] - _MARK_SIZE) // 2))
    return palette.over(plate, ink if state == "won" else theme.marks[side], mark)
