"""Position and highlights to PNG: copies tiles into place and compresses."""

import io
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise

from PIL import Image

from bot.render import layout
from bot.render.describe import status_line
from bot.render.header import draw_header
from bot.render.layout import FIELD_TOP, MARGIN, NORMAL
from bot.render.links import link
from bot.render.looks import Highlight, Look
from bot.render.theme import DARK, Theme
from bot.render.tiles import TileSheet, tile_sheet
from engine import Ending, Outcome, Position

# Level 6 costs about 3 ms more than level 3 and saves a quarter of the bytes,
# which are sent to everyone in the channel; level 9 takes ten times as long.
_PNG_LEVEL = 6

# How far the number of a board stands out over the upper left of its panel.
_BADGE_SHIFT = 14


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """Everything that one picture of a game shows.

    Attributes:
        position: What stands on the board.
        names: Whoever plays X and O; any text, made writable when drawn.
        status: The line below the names; by default what the position says.
        selected_board: The board (0 to 8) already picked by a side that is
            free to choose; ignored where it may not be played in.
        is_over: Whether the game ended off the board, by resignation or on time;
            no board may be played in then. An outcome on the board needs no flag.
        winner: Who won a game that ended off the board.
        theme: Colours and shapes.
    """

    position: Position
    _: KW_ONLY
    names: tuple[str, str] = ("X", "O")
    status: str | None = None
    selected_board: int | None = None
    is_over: bool = False
    winner: int | None = None
    theme: Theme = DARK


def draw_board(picture: BoardPicture) -> bytes:
    """Return the picture as a PNG: non-square, at twice the size it is shown at.

    Safe to call from several threads; the first call of a theme draws its pieces.

    Raises:
        ValueError: If the game does not consist of nine local boards.
    """
    position = picture.position
    if position.rules.depth != 2:
        raise ValueError(f"only games of depth 2 are drawn, got {position.rules.key!r}")
    sheet = tile_sheet(picture.theme, NORMAL)
    canvas = sheet.plain((layout.WIDTH, layout.HEIGHT), picture.theme.canvas)
    outcome = position.outcome
    is_over = picture.is_over or outcome is not None
    draw_header(
        canvas,
        sheet,
        names=picture.names,
        status=picture.status or status_line(position, picture.selected_board),
        active=None if is_over else position.side,
        winner=picture.winner if outcome is None else outcome.winner,
    )
    looks = [board_look(picture, board) for board in range(9)]
    for board, look in enumerate(looks):
        _draw_local_board(canvas, sheet, position, board, look)
    if outcome is not None and outcome.ending is Ending.LINE:
        _join_line(canvas, sheet, outcome)
    for board, look in enumerate(looks):
        _draw_badge(canvas, sheet, board, look)
    return _encoded(canvas, sheet)


def board_look(picture: BoardPicture, board: int) -> Look:
    """Decide how a local board is drawn."""
    position = picture.position
    status = position.board_status(board)
    playable = position.playable_boards
    outcome = position.outcome
    if outcome is not None:
        is_in_line = board in (outcome.line or ())
        side = outcome.winner if is_in_line else None
        return Look(status=status, side=side, is_in_line=is_in_line)
    if board not in playable or picture.is_over:
        return Look(status=status)
    chosen = picture.selected_board if picture.selected_board in playable else None
    is_target = len(playable) == 1 or chosen == board
    highlight = Highlight.TARGET if is_target else Highlight.CHOICE
    return Look(status=status, highlight=highlight, side=position.side)


def _draw_local_board(
    canvas: Image.Image, sheet: TileSheet, position: Position, board: int, look: Look
) -> None:
    """Copy the panel of a board and its cells into place."""
    x, y = sheet.metrics.panel_offset(board)
    left, top = MARGIN + x, FIELD_TOP + y
    canvas.paste(sheet.panel(look), (left, top))
    for slot in range(9):
        cell = 9 * board + slot
        mark = position.mark_at(cell)
        x, y = sheet.metrics.cell_offset(slot)
        if mark is not None:
            tile = sheet.marked_cell(look, slot, mark, is_last=cell == position.last_move)
            canvas.paste(tile, (left + x, top + y))
        elif look.highlight is Highlight.TARGET:
            canvas.paste(sheet.numbered_cell(look, slot), (left + x, top + y))


def _draw_badge(canvas: Image.Image, sheet: TileSheet, board: int, look: Look) -> None:
    """Copy the number of a board onto its upper left corner."""
    x, y = sheet.metrics.panel_offset(board)
    badge, mask = sheet.badge(look, board)
    canvas.paste(badge, (MARGIN + x - _BADGE_SHIFT, FIELD_TOP + y - _BADGE_SHIFT), mask)


def _join_line(canvas: Image.Image, sheet: TileSheet, outcome: Outcome) -> None:
    """Bridge the gaps between the three boards that won the game."""
    assert outcome.line is not None
    assert outcome.winner is not None
    colour = sheet.theme.solids[outcome.winner]
    for first, second in pairwise(outcome.line):
        (left, top, right, bottom), coverage = link(sheet.metrics, first, second)
        box = (MARGIN + left, FIELD_TOP + top, MARGIN + right, FIELD_TOP + bottom)
        canvas.paste(sheet.palette.over(canvas.crop(box), colour, coverage), box)


def _encoded(canvas: Image.Image, sheet: TileSheet) -> bytes:
    """Return the canvas as a palette PNG."""
    canvas.putpalette(sheet.palette.flat())
    buffer = io.BytesIO()
    canvas.save(buffer, "PNG", compress_level=_PNG_LEVEL)
    return buffer.getvalue()
