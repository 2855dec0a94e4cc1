"""Pictures of the games that fit into one field: one board, or nine."""

from PIL import Image

from bot.render import layout
from bot.render.claims import Claim, claim_of
from bot.render.header import draw_header_of
from bot.render.layout import FIELD_TOP, MARGIN, NORMAL, SINGLE
from bot.render.looks import Highlight, Look
from bot.render.nine_boards import NineBoards, draw_nine_boards, draw_one_board
from bot.render.palette import Palette
from bot.render.picture import BoardPicture, path_in_play
from bot.render.tiles import tile_sheet
from engine import Ending, Position

# What stands in a place that holds no mark, an X, an O.
_CLAIM_OF_MARK = {None: Claim.OPEN, 0: Claim.X, 1: Claim.O}


def paint_nine(picture: BoardPicture) -> tuple[Image.Image, Palette]:
    """Draw a game of nine local boards."""
    position = picture.position
    sheet = tile_sheet(picture.theme, NORMAL)
    canvas = sheet.plain((layout.WIDTH, layout.HEIGHT), picture.theme.canvas)
    draw_header_of(canvas, sheet, picture)
    boards = NineBoards(
        board_looks(picture),
        marks_of(position, range(81)),
        filled=last_place(position, 0),
        badges=tuple(str(board + 1) for board in range(9)),
        line=winning_line(position),
    )
    draw_nine_boards(canvas, sheet, (MARGIN, FIELD_TOP), boards)
    return canvas, sheet.palette


def paint_single(picture: BoardPicture) -> tuple[Image.Image, Palette]:
    """Draw a game of one board."""
    position, outcome = picture.position, picture.position.outcome
    sheet = tile_sheet(picture.theme, SINGLE)
    canvas = sheet.plain((layout.WIDTH, layout.SINGLE_HEIGHT), picture.theme.canvas)
    draw_header_of(canvas, sheet, picture)
    filled = last_place(position, 0)
    if outcome is not None and outcome.line is not None:
        filled = outcome.line
    origin = (layout.SINGLE_LEFT, FIELD_TOP)
    places = marks_of(position, range(9))
    draw_one_board(canvas, sheet, origin, single_look(picture), places, filled=filled)
    return canvas, sheet.palette


def board_looks(picture: BoardPicture) -> tuple[Look, ...]:
    """Decide how each of nine local boards is drawn."""
    position = picture.position
    return looks_of_nine(
        picture,
        tuple(claim_of(position, board) for board in range(9)),
        position.playable_boards,
        path_in_play(position, picture.selected),
    )


def looks_of_nine(
    picture: BoardPicture,
    claims: tuple[Claim, ...],
    playable: tuple[int, ...],
    path: tuple[int, ...],
) -> tuple[Look, ...]:
    """Decide how the nine boards of the outermost board are drawn.

    Args:
        picture: Whose turn it is, and whether the game is over.
        claims: Whose the boards are.
        playable: Those that may be played in.
        path: Begins with the board that is settled, if one is.
    """
    outcome = picture.position.outcome
    if outcome is not None:
        line = outcome.line or ()
        return tuple(
            Look(claim=claim, side=outcome.winner, is_in_line=True)
            if board in line
            else Look(claim=claim)
            for board, claim in enumerate(claims)
        )
    return tuple(
        Look(claim=claim)
        if board not in playable or picture.is_over
        else Look(
            claim=claim,
            highlight=Highlight.TARGET if path[:1] == (board,) else Highlight.CHOICE,
            side=picture.position.side,
        )
        for board, claim in enumerate(claims)
    )


def single_look(picture: BoardPicture) -> Look:
    """Decide how the only board of a game is drawn: its line, not a large mark, tells who won."""
    if picture.is_decided:
        claim = claim_of(picture.position, 0, depth=0)
        return Look(claim=Claim.NOBODY if claim.is_drawn else Claim.OPEN)
    return Look(claim=Claim.OPEN, highlight=Highlight.TARGET, side=picture.position.side)


def marks_of(position: Position, cells: range) -> tuple[Claim, ...]:
    """Return what stands in some cells."""
    return tuple(_CLAIM_OF_MARK[position.mark_at(cell)] for cell in cells)


def last_place(position: Position, first: int) -> tuple[int, ...]:
    """Return where the last move stands among the 81 cells from `first` on, if there."""
    move = position.last_move
    return () if move is None or not 0 <= move - first < 81 else (move - first,)


def winning_line(position: Position) -> tuple[tuple[int, ...], int] | None:
    """Return three boards in a row that decided the game, and who won by them."""
    outcome = position.outcome
    if outcome is None or outcome.ending is not Ending.LINE:
        return None
    assert outcome.line is not None
    assert outcome.winner is not None
    return outcome.line, outcome.winner
