"""Nine boards side by side: a whole game, or a strategic board among others."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from itertools import pairwise

from PIL import Image

from bot.render import layout
from bot.render.header import draw_header
from bot.render.layout import FIELD_TOP, MARGIN, NORMAL, SINGLE, Box, Metrics
from bot.render.masks import rounded_mask, stroke_mask
from bot.render.palette import Palette
from bot.render.picture import Advice, BoardPicture, CellNote, Claim, claim_of, path_in_play
from bot.render.tiles import Highlight, Look, TileSheet, tile_sheet
from engine import Ending, O, Position, Side, X

# How thick a bridge is, as a share of a cell; diagonal ones pass between the
# corners of two other boards and have less room.
_STRAIGHT, _DIAGONAL = 0.55, 0.4


def join(
    canvas: Image.Image,
    sheet: TileSheet,
    metrics: Metrics,
    origin: tuple[int, int],
    line: tuple[tuple[int, ...], Side] | None,
) -> None:
    """Bridge the gaps of a winning line, three boards in a field that begins at `origin`."""
    boards, winner = line or ((), X)
    for first, second in pairwise(boards):
        (left, top, right, bottom), coverage = link(metrics, first, second)
        box = (origin[0] + left, origin[1] + top, origin[0] + right, origin[1] + bottom)
        colour = sheet.theme.solids[winner]
        canvas.paste(sheet.palette.over(canvas.crop(box), colour, coverage), box)


@cache
def link(metrics: Metrics, first: int, second: int) -> tuple[Box, Image.Image]:
    """Return where the bridge of two neighbours lies in the field, and its coverage.

    It ends where the two boards begin, so that it covers nothing in them. `second` is beside,
    below or diagonally below `first`.
    """
    offsets = [metrics.panel_offset(board) for board in (first, second)]
    left, top = (min(starts) for starts in zip(*offsets, strict=True))
    places = [(x - left, y - top) for x, y in offsets]
    width, height = (max(starts) + metrics.panel for starts in zip(*places, strict=True))
    half = metrics.panel / 2
    ends = tuple((x + half, y + half) for x, y in places)
    is_diagonal = width == height
    thickness = metrics.cell * (_DIAGONAL if is_diagonal else _STRAIGHT)
    coverage = stroke_mask((width, height), [ends], thickness)
    # The part that a bordered board covers completely.
    inset = metrics.frame - metrics.thin_border
    side = metrics.panel - 2 * inset
    block = rounded_mask((side, side), metrics.radius + metrics.thin_border)
    block = block.point(lambda level: 255 * (level == 255))
    for x, y in places:
        coverage.paste(0, (x + inset, y + inset), block)
    box = coverage.getbbox()
    assert box is not None
    field_box = (left + box[0], top + box[1], left + box[2], top + box[3])
    return field_box, coverage.crop(box)


@dataclass(frozen=True, slots=True)
class NineBoards:
    """The contents of nine boards of nine places each.

    Attributes:
        places: The content of each of the 81 places.
        playable: The places that may be played, numbered in the board that is the target.
        filled: The places whose marks stand on a filled square: the last move.
        badges: The number of each board; none by default.
        notes: The small number of each place, shown while it is empty; none by default.
        cell_notes: Marks on places.
        line: The boards to join, and who won by them.
    """

    looks: tuple[Look, ...]
    places: tuple[Claim, ...]
    _: KW_ONLY
    playable: tuple[int, ...] = ()
    filled: tuple[int, ...] = ()
    badges: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    cell_notes: tuple[CellNote, ...] = ()
    line: tuple[tuple[int, ...], Side] | None = None


def draw_nine_boards(
    canvas: Image.Image, sheet: TileSheet, origin: tuple[int, int], boards: NineBoards
) -> None:
    """Copy the boards, their contents and their numbers into place."""
    for board, look in enumerate(boards.looks):
        x, y = sheet.metrics.panel_offset(board)
        first = 9 * board
        playable = boards.playable if look.highlight is Highlight.TARGET else ()
        draw_one_board(
            canvas,
            sheet,
            (origin[0] + x, origin[1] + y),
            look,
            boards.places[first : first + 9],
            playable=[place - first for place in playable],
            filled=[place - first for place in boards.filled],
            notes=boards.notes[first : first + 9],
        )
    join(canvas, sheet, sheet.metrics, origin, boards.line)
    draw_notes(canvas, sheet, origin, boards.cell_notes)
    left, up = sheet.metrics.badge_shift
    for board, label in enumerate(boards.badges):
        x, y = sheet.metrics.panel_offset(board)
        badge, mask = sheet.badge(label, boards.looks[board].side)
        canvas.paste(badge, (origin[0] + x - left, origin[1] + y - up), mask)


def draw_notes(
    canvas: Image.Image, sheet: TileSheet, origin: tuple[int, int], notes: Iterable[CellNote]
) -> None:
    """Lay notes onto the places of boards that begin at `origin`."""
    # Signs come last: they reach over other cells.
    for note in sorted(notes, key=lambda note: note.advice is Advice.PLAYED):
        if not note.label and note.mark is None:
            continue
        tile, mask = sheet.note(replace(note, cell=0))
        x, y = sheet.metrics.place_offset(note.cell)
        left, up = sheet.note_shift(tile.size, note)
        canvas.paste(tile, (origin[0] + x + left, origin[1] + y + up), mask)


def draw_one_board(
    canvas: Image.Image,
    sheet: TileSheet,
    origin: tuple[int, int],
    look: Look,
    places: Sequence[Claim],
    *,
    playable: Container[int] = (),
    filled: Container[int] = (),
    notes: Sequence[str] = (),
) -> None:
    """Copy a board to `origin`, with the contents of its places.

    In a target the `playable` places have numbers, and empty ones that may not be played look
    as if the board were at rest. `filled` are the places of marks on a filled square, `notes` the
    small number of each place.
    """
    canvas.paste(sheet.panel(look), origin)
    shows_numbers = look.highlight is Highlight.TARGET and sheet.metrics.label > 0
    for slot, claim in enumerate(places):
        mark = claim.winner
        if mark is not None:
            tile = sheet.marked_cell(look, slot, mark, is_last=slot in filled)
        elif claim.is_drawn:
            tile = sheet.drawn_cell(look, slot, claim)
        elif shows_numbers or notes:
            note = notes[slot] if notes else ""
            if shows_numbers and slot not in playable:
                at_rest = replace(look, highlight=Highlight.NONE, side=None)
                tile = sheet.empty_cell(at_rest, slot, note=note)
            else:
                number = str(slot + 1) if shows_numbers else ""
                tile = sheet.empty_cell(look, slot, number=number, note=note)
        else:
            continue
        x, y = sheet.metrics.cell_offset(slot)
        canvas.paste(tile, (origin[0] + x, origin[1] + y))


# What stands in a place that holds no mark, an X, an O.
_CLAIM_OF_MARK = {None: Claim.OPEN, X: Claim.X, O: Claim.O}


def paint_nine(picture: BoardPicture) -> tuple[Image.Image, Palette]:
    """Draw a game of nine local boards."""
    sheet = tile_sheet(picture.theme, NORMAL)
    canvas = sheet.plain((layout.WIDTH, layout.HEIGHT), picture.theme.canvas)
    draw_header(canvas, sheet, picture)
    badges = tuple(str(board + 1) for board in range(9))
    draw_nine(canvas, sheet, (MARGIN, FIELD_TOP), picture, badges)
    return canvas, sheet.palette


def draw_nine(
    canvas: Image.Image,
    sheet: TileSheet,
    origin: tuple[int, int],
    picture: BoardPicture,
    badges: tuple[str, ...] = (),
) -> None:
    """Draw the nine boards of a picture, with a number on each if there are `badges`."""
    position = picture.position
    boards = NineBoards(
        board_looks(picture),
        marks_of(position, range(81)),
        playable=position.legal_moves,
        filled=last_place(position, 0),
        badges=badges,
        cell_notes=picture.notes,
        line=winning_line(position),
    )
    draw_nine_boards(canvas, sheet, origin, boards)


def paint_single(picture: BoardPicture) -> tuple[Image.Image, Palette]:
    """Draw a game of one board."""
    sheet = tile_sheet(picture.theme, SINGLE)
    canvas = sheet.plain((layout.WIDTH, layout.SINGLE_HEIGHT), picture.theme.canvas)
    draw_header(canvas, sheet, picture)
    draw_single(canvas, sheet, (layout.SINGLE_LEFT, FIELD_TOP), picture, Highlight.TARGET)
    return canvas, sheet.palette


def draw_single(
    canvas: Image.Image,
    sheet: TileSheet,
    origin: tuple[int, int],
    picture: BoardPicture,
    highlight: Highlight,
) -> None:
    """Draw the only board of a picture: its line, not a large mark, shows who won.

    `highlight` applies until the game is over.
    """
    position, outcome = picture.position, picture.position.outcome
    filled = last_place(position, 0)
    if outcome is not None and outcome.line is not None:
        filled = outcome.line
    look = Look(claim=Claim.OPEN, highlight=highlight, side=position.side)
    if picture.is_decided:
        is_drawn = claim_of(position, 0, depth=0).is_drawn
        look = Look(claim=Claim.NOBODY if is_drawn else Claim.OPEN)
    draw_one_board(
        canvas,
        sheet,
        origin,
        look,
        marks_of(position, range(9)),
        playable=position.legal_moves,
        filled=filled,
    )
    draw_notes(canvas, sheet, origin, picture.notes)


def board_looks(picture: BoardPicture) -> tuple[Look, ...]:
    """Decide how each of the nine boards of the outermost board is drawn."""
    position, outcome = picture.position, picture.position.outcome
    claims = [claim_of(position, board, depth=1) for board in range(9)]
    if outcome is not None:
        line = outcome.line or ()
        return tuple(
            Look(claim=claim, side=outcome.winner, is_in_line=True)
            if board in line
            else Look(claim=claim)
            for board, claim in enumerate(claims)
        )
    playable = () if picture.is_over else position.playable_at(1)
    settled = path_in_play(position, picture.selected)[:1]
    return tuple(
        Look(
            claim=claim,
            highlight=Highlight.TARGET if settled == (board,) else Highlight.CHOICE,
            side=position.side,
        )
        if board in playable
        else Look(claim=claim)
        for board, claim in enumerate(claims)
    )


def marks_of(position: Position, cells: range) -> tuple[Claim, ...]:
    """Return the contents of some cells."""
    return tuple(_CLAIM_OF_MARK[position.mark_at(cell)] for cell in cells)


def last_place(position: Position, first: int) -> tuple[int, ...]:
    """Return the place of the last move among the 81 cells from `first` on, if it is there."""
    move = position.last_move
    return () if move is None or not 0 <= move - first < 81 else (move - first,)


def winning_line(position: Position) -> tuple[tuple[int, ...], Side] | None:
    """Return three boards in a row that decided the game, and who won by them."""
    outcome = position.outcome
    if outcome is None or outcome.ending is not Ending.LINE:
        return None
    assert outcome.line is not None
    assert outcome.winner is not None
    return outcome.line, outcome.winner
