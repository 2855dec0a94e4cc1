"""Beside the zoom: the last and the next move as numbers, the score, how moves send."""

from collections.abc import Sequence
from functools import partial

from PIL import Image

from bot.language import N_, _
from bot.render import layout
from bot.render.layout import MARGIN, WIDTH
from bot.render.picture import BoardPicture, path_in_play
from bot.render.shapes import mark_mask, rounded_mask
from bot.render.text import text_mask
from bot.render.theme import Colour
from bot.render.tiles import TileSheet
from engine import BoardStatus, O, Position, Sending, X, format_move

# The words that tell how the next board is found.
_SENDING = {
    # For translators: in a narrow column, at most 13 letters a line.
    Sending.TACTICAL: N_("Next S is\nyour T.\nNext T is\nyour cell."),
    # For translators: in a narrow column, at most 13 letters a line.
    Sending.MAP: N_("Next S is the\nnumber left\nof your row.\nNext T is\nyour cell."),
    # For translators: in a narrow column, at most 13 letters a line.
    Sending.HYPERMAP: N_("Next S is the\nsmall number.\nNext T is\nyour cell."),
}
_WIDTH = 128
_BOX, _BOX_GAP = 38, 7
_LINE, _WORDS, _DIGIT = 25, 20, 27
_MARK = 30


def draw_sidebar(
    canvas: Image.Image, sheet: TileSheet, picture: BoardPicture, *, left: int
) -> None:
    """Draw the column to the right of the zoom.

    Args:
        canvas: Image in the palette numbers of `sheet`.
        sheet: Where pieces and colours come from.
        picture: What to tell.
        left: Where the zoom leaves room; the column stands in its middle.
    """
    position = picture.position
    x = (left + WIDTH - MARGIN - _WIDTH) // 2
    y = layout.ZOOM_TOP
    if position.last_move is not None:
        digits = format_move(position.last_move, position.rules)
        y = _draw_move(canvas, sheet, (x, y), _("Last move"), digits, 1 - position.side)
    if not picture.is_decided:
        path = path_in_play(position, picture.selected)
        digits = "".join(str(place + 1) for place in path).ljust(3, "?")
        y = _draw_move(canvas, sheet, (x, y), _("Next move"), digits, position.side)
    _draw_score(canvas, sheet, (x, y), position)
    words = _(_SENDING[position.rules.sending]).splitlines()
    top = layout.ZOOM_TOP + layout.ZOOM.field - len(words) * _LINE - 4
    _draw_words(canvas, sheet, (x, top), words, sheet.theme.muted)


def _draw_move(
    canvas: Image.Image,
    sheet: TileSheet,
    corner: tuple[int, int],
    title: str,
    digits: str,
    side: int,
) -> int:
    """Draw a move as its three numbers; return where the next thing may begin."""
    theme = sheet.theme
    x, y = corner
    _draw_words(canvas, sheet, (x, y), [title], theme.marks[side])
    y += _LINE + 2
    for place, (letter, digit) in enumerate(zip("STO", digits, strict=True)):
        left = x + place * (_BOX + _BOX_GAP)
        _draw_text(canvas, sheet, (left, y, left + _BOX, y + 20), letter, 17, theme.muted)
        fill, ink = theme.solids[side], theme.ink
        if digit == "?":
            fill, ink = theme.surface, theme.muted
        box = sheet.piece(("box", fill), partial(_box, sheet, fill))
        canvas.paste(box, (left, y + 22))
        inner = (left + 4, y + 26, left + _BOX - 4, y + 18 + _BOX)
        _draw_text(canvas, sheet, inner, digit, _DIGIT, ink, ground=fill)
    return y + 22 + _BOX + 16


def _box(sheet: TileSheet, fill: Colour) -> Image.Image:
    """Draw an empty box for a number."""
    box = sheet.plain((_BOX, _BOX), sheet.theme.canvas)
    return sheet.palette.over(box, fill, rounded_mask((_BOX, _BOX), 8))


def _draw_score(
    canvas: Image.Image, sheet: TileSheet, corner: tuple[int, int], position: Position
) -> None:
    """Draw how many strategic boards each side has won."""
    theme = sheet.theme
    x, y = corner
    _draw_words(canvas, sheet, (x, y), [_("Boards won")], theme.text)
    statuses = [position.board_status(board, depth=1) for board in range(9)]
    won = (statuses.count(BoardStatus.X_WON), statuses.count(BoardStatus.O_WON))
    y += _LINE + 4
    for side in (X, O):
        left = x + side * (_WIDTH // 2)
        mark = mark_mask(theme.shapes[side], _MARK)
        ramp = sheet.palette.ramp(theme.canvas, theme.marks[side])
        canvas.paste(mark.point(ramp), (left - 4, y))
        box = (left + _MARK - 2, y, left + _MARK + 26, y + _MARK)
        _draw_text(canvas, sheet, box, str(won[side]), _DIGIT, theme.text, align="l")


def _draw_words(
    canvas: Image.Image,
    sheet: TileSheet,
    corner: tuple[int, int],
    lines: Sequence[str],
    ink: Colour,
) -> None:
    """Write lines one below the other."""
    x, y = corner
    for number, line in enumerate(lines):
        top = y + number * _LINE
        _draw_text(canvas, sheet, (x, top, WIDTH, top + _LINE), line, _WORDS, ink, align="l")


def _draw_text(
    canvas: Image.Image,
    sheet: TileSheet,
    box: tuple[int, int, int, int],
    text: str,
    size_px: int,
    ink: Colour,
    *,
    ground: Colour | None = None,
    align: str = "m",
) -> None:
    """Write one line into a box of the canvas that is all of one colour."""
    left, top, right, bottom = box
    mask = text_mask(text, size_px, (right - left, bottom - top), align)
    ramp = sheet.palette.ramp(sheet.theme.canvas if ground is None else ground, ink)
    canvas.paste(mask.point(ramp), (left, top))
