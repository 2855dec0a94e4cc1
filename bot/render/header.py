"""The top of a picture: who plays which mark with how much time, and what happens next."""

from PIL import Image

from bot.render import layout
from bot.render.describe import status_line, writable_side
from bot.render.masks import (
    DIAL,
    fitted_text,
    font,
    mark_mask,
    placed,
    rounded_mask,
    writable_text,
)
from bot.render.picture import BoardPicture
from bot.render.theme import Colour, mix
from bot.render.tiles import TileSheet
from engine import O, Side, X

_MARK_SIZE = 50
_PADDING = 8
_END_PADDING = 14
_BORDER = 5
# A time stands at the outer end of a plate, which leaves less room for the name. The running
# clock is a badge with a dial: it shows the time left when the picture was drawn.
_TIME_SIZE = 27
_TIME_HEIGHT = 40
_TIME_GAP = 10
_DIAL = 26
_BADGE_PADDING = 8
_NAME_SIZES_BESIDE_TIME: tuple[int, ...] = (*layout.NAME_SIZES, 24, 22)


def draw_header(
    canvas: Image.Image,
    sheet: TileSheet,
    picture: BoardPicture,
    *,
    status_width: int | None = None,
) -> None:
    """Draw the header of a picture onto the top of `canvas`, at its full width.

    The plate of the side to move is outlined and its time has a dial; the winner's is filled.
    The status is centred in `status_width` pixels from the left margin, by default in all.
    """
    active = None if picture.is_decided else picture.position.side
    winner = picture.victor
    for side in (X, O):
        state = "won" if winner == side else "active" if active == side else "waiting"
        _draw_plate(canvas, sheet, picture, side, state)
    tone = active if winner is None else winner
    ink = sheet.theme.text if tone is None else sheet.theme.marks[tone]
    status = picture.status or status_line(picture.position, picture.selected)
    width = status_width or canvas.width - 2 * layout.MARGIN
    line = writable_text(status, fallback="")
    fitted, size = fitted_text(line, layout.STATUS_SIZES, width)
    area = (layout.MARGIN, layout.STATUS_TOP, width, layout.STATUS_HEIGHT)
    sheet.write(canvas, area, fitted, size, ink)


def _draw_plate(
    canvas: Image.Image, sheet: TileSheet, picture: BoardPicture, side: Side, state: str
) -> None:
    """Draw the mark, the name and the time of a player; O's is the mirror image."""
    ground, ink = _plate_colours(sheet, side, state)
    width = _plate_width(canvas)
    plate = sheet.piece(("plate", side, state, width), lambda: _plate(sheet, side, state, width))
    left = layout.MARGIN + side * (width + layout.PLATE_GAP)
    canvas.paste(plate, (left, layout.MARGIN))
    sizes: tuple[int, ...] = layout.NAME_SIZES
    beside_mark = _MARK_SIZE + 2 * _PADDING
    room = width - beside_mark - _END_PADDING
    time = picture.clocks[side]
    if time is not None:
        sizes = _NAME_SIZES_BESIDE_TIME
        room -= _TIME_GAP + _draw_time(
            canvas, sheet, side, time, runs=state == "active", colours=(ground, ink)
        )
    fitted, size = fitted_text(writable_side(picture.names, side), sizes, room)
    start = beside_mark if side == X else width - beside_mark - room
    area = (left + start, layout.MARGIN + 10, room, layout.PLATE_HEIGHT - 20)
    sheet.write(canvas, area, fitted, size, ink, ground=ground, align="lr"[side])


def _plate_width(canvas: Image.Image) -> int:
    return (canvas.width - 2 * layout.MARGIN - layout.PLATE_GAP) // 2


def _draw_time(
    canvas: Image.Image,
    sheet: TileSheet,
    side: Side,
    time: str,
    *,
    runs: bool,
    colours: tuple[Colour, Colour],
) -> int:
    """Write a clock's time at the outer end of a plate; return how much of its width that takes.

    `colours` are those of the plate and of the words on it.
    """
    ground, ink = colours
    # In steps, so that there are few badges to keep.
    words = -(-round(font(_TIME_SIZE).getlength(time)) // 6) * 6
    width, before = words, 0
    if runs:
        before = _BADGE_PADDING + _DIAL
        width += before + _BADGE_PADDING + 4
    inner = _BORDER + 4 if runs else _END_PADDING
    plate_width = _plate_width(canvas)
    start = plate_width - inner - width if side == X else inner
    left = layout.MARGIN + side * (plate_width + layout.PLATE_GAP) + start
    top = layout.MARGIN + (layout.PLATE_HEIGHT - _TIME_HEIGHT) // 2
    if runs:
        badge = sheet.piece(("time", side, width), lambda: _badge(sheet, side, width, ground))
        canvas.paste(badge, (left, top))
        ground, ink = sheet.theme.solids[side], sheet.theme.ink
    area = (left + before + 4 * runs, top, words, _TIME_HEIGHT)
    sheet.write(canvas, area, time, _TIME_SIZE, ink, ground=ground, align="rl"[side])
    return width + inner - _END_PADDING


def _badge(sheet: TileSheet, side: Side, width: int, ground: Colour) -> Image.Image:
    """Draw the badge behind the time of a running clock, with its dial."""
    size = (width, _TIME_HEIGHT)
    badge = sheet.palette.over(
        sheet.plain(size, ground), sheet.theme.solids[side], rounded_mask(size, 10)
    )
    place = (_BADGE_PADDING, (_TIME_HEIGHT - _DIAL) // 2)
    return sheet.palette.over(badge, sheet.theme.ink, placed(mark_mask(DIAL, _DIAL), size, place))


def _plate_colours(sheet: TileSheet, side: Side, state: str) -> tuple[Colour, Colour]:
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
    border = _BORDER if state == "active" else 0
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
