"""Pictures of a strategic game: everything small, the board in play large, the next move."""

from functools import cache

from PIL import Image

from bot.language import N_, _
from bot.render import layout
from bot.render.claims import Claim, claim_of
from bot.render.header import draw_header_of
from bot.render.layout import MARGIN, SMALL, WIDTH, ZOOM
from bot.render.looks import Look
from bot.render.nine_boards import NineBoards, draw_nine_boards
from bot.render.ordinary import last_place, marks_of, winning_line
from bot.render.overview import block_looks, draw_overview, tactical_looks
from bot.render.palette import Palette
from bot.render.picture import BoardPicture, path_in_play
from bot.render.shapes import rounded_mask
from bot.render.sidebar import draw_sidebar
from bot.render.text import fitted_text, text_mask
from bot.render.theme import Theme, mix
from bot.render.tiles import TileSheet
from engine import BoardStatus, Position, Sending, WonBoard, hypermap_number, map_columns

CREDIT = N_(
    "STTT: game idea by Mikhail Demchenko, Anton Shashkov, CC-BY 4.0, github.com/echo-Mike/STTT"
)


def paint_strategic(picture: BoardPicture) -> tuple[Image.Image, Palette]:
    """Draw a game of 81 local boards."""
    theme, position = picture.theme, picture.position
    is_over = picture.is_decided
    small, large = _sheets(theme, picture.victor if is_over else position.side, is_over)
    canvas = small.plain((WIDTH, layout.STRATEGIC_HEIGHT), theme.canvas)
    draw_header_of(canvas, large, picture)
    draw_overview(canvas, small, picture)
    path = () if picture.is_decided else path_in_play(position, picture.selected)
    has_column = bool(path) and position.rules.sending is Sending.MAP
    if has_column:
        _draw_column(canvas, large, position, path)
    boards = boards_in_play(picture, path[0]) if path else claimed_boards(picture)
    origin = layout.zoom_origin(has_column=has_column)
    draw_nine_boards(canvas, large, origin, boards)
    draw_sidebar(canvas, large, picture, left=origin[0] + ZOOM.field + layout.SIDEBAR_GAP)
    _draw_credit(canvas, large)
    return canvas, large.palette


def claimed_boards(picture: BoardPicture) -> NineBoards:
    """Return the strategic boards, with the owners of their tactical boards as places."""
    position = picture.position
    return NineBoards(
        block_looks(picture),
        tuple(claim_of(position, board) for board in range(81)),
        badges=tuple(str(board + 1) for board in range(9)),
        line=winning_line(position),
    )


def boards_in_play(picture: BoardPicture, strategic: int) -> NineBoards:
    """Return the tactical boards of a strategic board."""
    position, first = picture.position, 81 * strategic
    looks = tactical_looks(picture, (Look(claim=Claim.OPEN),) * 9)
    cells = range(first, first + 81)
    notes: tuple[str, ...] = ()
    if position.rules.sending is Sending.HYPERMAP:
        notes = tuple(
            str(hypermap_number(cell)) if _may_come(position, cell // 9) else "" for cell in cells
        )
    return NineBoards(
        looks[9 * strategic : 9 * strategic + 9],
        marks_of(position, cells),
        filled=last_place(position, first),
        badges=tuple(f"{strategic + 1}{tactical}" for tactical in range(1, 10)),
        notes=notes,
    )


def _may_come(position: Position, board: int) -> bool:
    """Whether a tactical board may be played in now or later."""
    is_open = position.board_status(board) is BoardStatus.ONGOING
    return is_open or position.rules.won_board is not WonBoard.CLOSED


@cache
def _sheets(theme: Theme, side: int | None, is_over: bool) -> tuple[TileSheet, TileSheet]:
    """Return the pieces of overview and zoom, which share their colours.

    There are sheets for each side to move or to have won: the highlights of all
    of them together would need more than the 256 colours of a palette.
    """
    del side, is_over  # they only tell the sheets apart
    palette = Palette()
    return TileSheet(theme, SMALL, palette), TileSheet(theme, ZOOM, palette)


def _draw_column(
    canvas: Image.Image, sheet: TileSheet, position: Position, path: tuple[int, ...]
) -> None:
    """Draw the mapping column beside the strategic board, a number for each row."""
    theme, width = sheet.theme, layout.COLUMN_WIDTH
    numbers = map_columns(position.rules.map_number)[path[0] % 3]
    for band in range(3):
        is_target = len(path) == 2 and path[1] // 3 == band
        fill = theme.solids[position.side] if is_target else theme.surface
        ink = theme.ink if is_target else mix(theme.text, fill, theme.label_share)
        top = layout.ZOOM_TOP + ZOOM.panel_offset(3 * band)[1] + ZOOM.frame
        mask = rounded_mask((width, ZOOM.grid), ZOOM.radius)
        ramp = sheet.palette.ramp(theme.canvas, fill)
        canvas.paste(mask.point(ramp), (MARGIN, top))
        for row in range(3):
            digit = text_mask(str(numbers[3 * band + row]), ZOOM.label, (width, ZOOM.cell), "m")
            box = digit.getbbox()
            assert box is not None
            y = top + row * (ZOOM.cell + ZOOM.line)
            piece = digit.crop(box).point(sheet.palette.ramp(fill, ink))
            canvas.paste(piece, (MARGIN + box[0], y + box[1]))


def _draw_credit(canvas: Image.Image, sheet: TileSheet) -> None:
    """Name the authors of the game."""
    theme = sheet.theme
    size = (WIDTH - 2 * MARGIN, layout.CREDIT_HEIGHT)
    line, size_px = fitted_text(_(CREDIT), layout.CREDIT_SIZES, size[0])
    mask = text_mask(line, size_px, size, "m")
    ramp = sheet.palette.ramp(theme.canvas, theme.muted)
    canvas.paste(mask.point(ramp), (MARGIN, layout.CREDIT_TOP))
