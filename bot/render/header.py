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
_PLATE_WIDTH = (layout.WIDTH - 2 * layout.MARGIN - layout.PLATE_GAP) // 2
_END_PADDING = 14
_NAME_BOX = (_PLATE_WIDTH - _MARK_SIZE - 2 * _PADDING - _END_PADDING, layout.PLATE_HEIGHT - 20)
_STATUS_BOX = (layout.WIDTH - 2 * layout.MARGIN, layout.STATUS_HEIGHT)

_FALLBACK_NAMES = (N_("Player X"), N_("Player O"))


def draw_header_of(canvas: Image.Image, sheet: TileSheet, picture: BoardPicture) -> None:
    """Draw the header that belongs to a picture."""
    draw_header(
        canvas,
        sheet,
        names=picture.names,
        status=picture.status or status_line(picture.position, picture.selected),
        active=None if picture.is_decided else picture.position.side,
        winner=picture.victor,
    )


def draw_header(
    canvas: Image.Image,
    sheet: TileSheet,
    *,
    names: tuple[str, str],
    status: str,
    active: Side | None,
    winner: Side | None,
) -> None:
    """Draw the header onto the top of `canvas`.

    The plate of `active`, the side to move, is outlined, that of `winner` filled.
    """
    for side in (X, O):
        state = "won" if winner == side else "active" if active == side else "waiting"
        _draw_plate(canvas, sheet, side, names[side], state)
    tone = active if winner is None else winner
    ink = sheet.theme.text if tone is None else sheet.theme.marks[tone]
    line = writable_text(status, fallback="")
    fitted, size = fitted_text(line, layout.STATUS_SIZES, _STATUS_BOX[0])
    sheet.write(canvas, (layout.MARGIN, layout.STATUS_TOP, *_STATUS_BOX), fitted, size, ink)


def _draw_plate(canvas: Image.Image, sheet: TileSheet, side: Side, name: str, state: str) -> None:
    """Draw the mark and the name of a player; O's is the mirror image."""
    ground, ink = _plate_colours(sheet, side, state)
    plate = sheet.piece(("plate", side, state), lambda: _plate(sheet, side, state))
    left = layout.MARGIN + side * (_PLATE_WIDTH + layout.PLATE_GAP)
    canvas.paste(plate, (left, layout.MARGIN))
    writable = writable_text(name, fallback=_(_FALLBACK_NAMES[side]))
    fitted, size = fitted_text(writable, layout.NAME_SIZES, _NAME_BOX[0])
    start = _MARK_SIZE + 2 * _PADDING if side == X else _END_PADDING
    area = (left + start, layout.MARGIN + 10, *_NAME_BOX)
    sheet.write(canvas, area, fitted, size, ink, ground=ground, align="lr"[side])


def _plate_colours(sheet: TileSheet, side: Side, state: str) -> tuple[Colour, Colour]:
    """Return the colours of a plate and of the name on it."""
    theme = sheet.theme
    if state == "won":
        return theme.solids[side], theme.ink
    if state == "active":
        return mix(theme.surface, theme.marks[side], theme.target_share), theme.text
    return theme.surface, theme.muted


def _plate(sheet: TileSheet, side: Side, state: str) -> Image.Image:
    """Draw a plate without a name."""
    theme, palette = sheet.theme, sheet.palette
    size = (_PLATE_WIDTH, layout.PLATE_HEIGHT)
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
