"""Pictures of a strategic game: all 729 cells, the board in play large, the next move beside it."""

from dataclasses import replace
from functools import cache, partial

from PIL import Image

from bot.language import N_, _
from bot.render import layout
from bot.render.header import draw_header
from bot.render.layout import BLOCKS, MARGIN, OVERVIEW_LEFT, OVERVIEW_TOP, SMALL, ZOOM
from bot.render.masks import fitted_text, font, mark_mask, rounded_mask, text_mask
from bot.render.nine_boards import (
    NineBoards,
    board_looks,
    draw_nine_boards,
    draw_notes,
    join,
    last_place,
    marks_of,
    winning_line,
)
from bot.render.palette import Palette
from bot.render.picture import Advice, BoardPicture, Claim, claim_of, path_in_play
from bot.render.theme import Colour, Theme, mix
from bot.render.tiles import Highlight, Look, TileSheet, look_colours
from engine import (
    BoardStatus,
    O,
    Position,
    Sending,
    Side,
    WonBoard,
    X,
    format_move,
    hypermap_number,
    map_columns,
    other,
)

CREDIT = N_("Game idea by Mikhail Demchenko, Anton Shashkov, CC-BY 4.0, github.com/echo-Mike/STTT")

# The words that tell how the next board is found.
_SENDING = {
    # For translators: one line below the board, at most 64 letters.
    Sending.TACTICAL: N_("Next S is your T. Next T is your cell."),
    # For translators: one line below the board, at most 64 letters.
    Sending.MAP: N_("Next S is the number left of your row. Next T is your cell."),
    # For translators: one line below the board, at most 64 letters.
    Sending.HYPERMAP: N_("Next S is the small number. Next T is your cell."),
}

# A desktop client shows these pictures at less than half their size: no text is smaller than
# this.
_WORDS = (24,)
_TITLE = (30, 27, 24)
_BOX_WIDTH, _BOX_HEIGHT, _BOX_GAP, _DIGIT = 84, 46, 8, 32
_BOXES = 3 * _BOX_WIDTH + 2 * _BOX_GAP
_SCORE, _MARK = 128, 32


def paint_strategic(picture: BoardPicture) -> tuple[Image.Image, Palette]:
    """Draw a game of 81 local boards."""
    theme, position = picture.theme, picture.position
    is_over = picture.is_decided
    small, large = _sheets(theme, picture.victor if is_over else position.side, is_over)
    canvas = small.plain((layout.STRATEGIC_WIDTH, layout.STRATEGIC_HEIGHT), theme.canvas)
    # How a game ended off the board is told in a sentence with a name, which takes all the room.
    has_move = not (is_over and picture.status)
    status_width = layout.ASIDE_LEFT - 2 * MARGIN if has_move else None
    draw_header(canvas, large, picture, status_width=status_width)
    _draw_overview(canvas, small, picture)
    path = () if is_over else path_in_play(position, picture.selected)
    noted = tuple(each.cell // 81 for each in picture.notes[:1])
    if path[: len(noted)] != noted:
        path = noted
    has_column = bool(path) and position.rules.sending is Sending.MAP
    if has_column:
        _draw_column(canvas, large, position, path)
    boards = boards_in_play(picture, path[0]) if path else claimed_boards(picture)
    draw_nine_boards(canvas, large, layout.zoom_origin(has_column=has_column), boards)
    if has_move:
        _draw_move(canvas, large, picture, path)
    _draw_foot(canvas, large, position)
    return canvas, large.palette


@cache
def _sheets(theme: Theme, side: Side | None, is_over: bool) -> tuple[TileSheet, TileSheet]:
    """Return the pieces of overview and zoom, which share their colours.

    There are sheets for each side to move and each winner: all their highlights
    together would need more than the 256 colours of a palette.
    """
    del side, is_over  # they only tell the sheets apart
    palette = Palette()
    return TileSheet(theme, SMALL, palette), TileSheet(theme, ZOOM, palette)


# The overview: nine blocks of nine small boards.


def _draw_overview(canvas: Image.Image, sheet: TileSheet, picture: BoardPicture) -> None:
    blocks = board_looks(picture)
    tacticals = tactical_looks(picture, blocks)
    position = picture.position
    for strategic, look in enumerate(blocks):
        first = 81 * strategic
        boards = NineBoards(
            tacticals[9 * strategic : 9 * strategic + 9],
            marks_of(position, range(first, first + 81)),
            filled=last_place(position, first),
        )
        origin = layout.block_origin(strategic)
        corner = (origin[0] - BLOCKS.frame, origin[1] - BLOCKS.frame)
        canvas.paste(sheet.piece(("block", look), partial(_block, sheet, look)), corner)
        draw_nine_boards(canvas, sheet, origin, boards)
        if is_covered(look):
            _claim_block(canvas, sheet, look, origin)
            _draw_last_move(canvas, sheet, boards, origin)
    join(canvas, sheet, BLOCKS, (OVERVIEW_LEFT, OVERVIEW_TOP), winning_line(position))
    for strategic, look in enumerate(blocks):
        _draw_badges(canvas, sheet, strategic, look)
        # The last move is filled here; the sign on it can only be read in the zoom.
        notes = [
            each for each in picture.notes_from(81 * strategic) if each.advice is not Advice.PLAYED
        ]
        draw_notes(canvas, sheet, layout.block_origin(strategic), notes)


def tactical_looks(picture: BoardPicture, blocks: tuple[Look, ...]) -> tuple[Look, ...]:
    """Decide how each of the 81 tactical boards is drawn inside its block."""
    position = picture.position
    path = path_in_play(position, picture.selected)
    # Once a strategic board is settled, only its boards stay playable; others keep their border.
    playable = frozenset(
        board
        for board in (() if picture.is_decided else position.playable_boards)
        if path[:1] in ((), (board // 9,))
    )
    target = 9 * path[0] + path[1] if len(path) == 2 else None
    looks = []
    for board in range(81):
        claim, block = claim_of(position, board), blocks[board // 9]
        if board in playable:
            highlight = Highlight.TARGET if board == target else Highlight.CHOICE
            looks.append(
                Look(claim=claim, highlight=highlight, side=position.side, above=block.claim)
            )
        elif is_covered(block):
            looks.append(replace(block, claim=claim, above=block.claim, is_covered=True))
        else:
            looks.append(Look(claim=claim, above=block.claim))
    return tuple(looks)


def is_covered(block: Look) -> bool:
    """Return whether the large mark of a strategic board lies over all of it: it is at rest."""
    return block.claim is not Claim.OPEN and (block.side is None or block.is_in_line)


def _block(sheet: TileSheet, look: Look) -> Image.Image:
    """Draw what lies behind the nine boards of a strategic board."""
    colours = look_colours(sheet.theme, look)
    block = sheet.plain((BLOCKS.panel, BLOCKS.panel), sheet.theme.canvas)
    if colours.border is not None:
        is_target = look.highlight is Highlight.TARGET
        width = BLOCKS.border if is_target else BLOCKS.thin_border
        sheet.lay_block(block, BLOCKS.frame - width, BLOCKS.radius + width, colours.border)
    inside = Look(claim=Claim.OPEN, above=look.claim)
    ground = colours.line if is_covered(look) else look_colours(sheet.theme, inside).around
    sheet.lay_block(block, BLOCKS.frame, BLOCKS.radius, ground)
    return block


def _claim_block(
    canvas: Image.Image, sheet: TileSheet, look: Look, origin: tuple[int, int]
) -> None:
    """Lay the large marks of a strategic board's owners onto it."""
    theme, colours = sheet.theme, look_colours(sheet.theme, look)
    left, top = origin
    box = (left, top, left + SMALL.field, top + SMALL.field)
    image = canvas.crop(box)
    for owner in look.claim.owners:
        large = colours.large[owner]
        image = sheet.palette.stamp(
            image,
            large,
            mark_mask(theme.shapes[owner], SMALL.field, large=True),
            grounds=(colours.cell, colours.line),
            shade=mix(large, colours.cell, theme.shade_share),
        )
    canvas.paste(image, box)


def _draw_last_move(
    canvas: Image.Image, sheet: TileSheet, boards: NineBoards, origin: tuple[int, int]
) -> None:
    """Draw the last move, if it is here, above the large mark of a block."""
    for place in boards.filled:
        mark = boards.places[place].winner
        assert mark is not None
        tile = sheet.marked_cell(boards.looks[place // 9], place % 9, mark, is_last=True)
        x, y = sheet.metrics.place_offset(place)
        canvas.paste(tile, (origin[0] + x, origin[1] + y))


def _draw_badges(canvas: Image.Image, sheet: TileSheet, block: int, look: Look) -> None:
    """Draw the number of a strategic board, and its owner where no large mark shows it."""
    x, y = BLOCKS.panel_offset(block)
    left, up = BLOCKS.badge_shift
    start, top = OVERVIEW_LEFT + x - left, OVERVIEW_TOP + y - up
    pieces = [sheet.badge(str(block + 1), look.side)]
    if not is_covered(look):
        pieces += [sheet.flag(owner) for owner in look.claim.owners]
    for piece, mask in pieces:
        canvas.paste(piece, (start, top), mask)
        start += piece.width


# The zoom: the board in play, with the mapping column.


def claimed_boards(picture: BoardPicture) -> NineBoards:
    """Return the strategic boards, with the owners of their tactical boards as places."""
    position = picture.position
    return NineBoards(
        board_looks(picture),
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
        playable=tuple(move - first for move in position.legal_moves),
        filled=last_place(position, first),
        badges=tuple(f"{strategic + 1}{tactical}" for tactical in range(1, 10)),
        notes=notes,
        cell_notes=picture.notes_from(first),
    )


def _may_come(position: Position, board: int) -> bool:
    """Return whether a tactical board may be played in now or later."""
    is_open = position.board_status(board) is BoardStatus.ONGOING
    return is_open or position.rules.won_board is not WonBoard.CLOSED


def _draw_column(
    canvas: Image.Image, sheet: TileSheet, position: Position, path: tuple[int, ...]
) -> None:
    """Draw the mapping column beside the strategic board, a number for each row."""
    theme, left, width = sheet.theme, layout.ASIDE_LEFT, layout.COLUMN_WIDTH
    numbers = map_columns(position.rules.map_number)[path[0] % 3]
    for band in range(3):
        is_target = len(path) == 2 and path[1] // 3 == band
        fill = theme.solids[position.side] if is_target else theme.surface
        ink = theme.ink if is_target else mix(theme.text, fill, theme.label_share)
        top = layout.ZOOM_TOP + ZOOM.panel_offset(3 * band)[1] + ZOOM.frame
        mask = rounded_mask((width, ZOOM.grid), ZOOM.radius)
        canvas.paste(mask.point(sheet.palette.ramp(theme.canvas, fill)), (left, top))
        for row in range(3):
            digit = text_mask(str(numbers[3 * band + row]), ZOOM.label, (width, ZOOM.cell), "m")
            box = digit.getbbox()
            assert box is not None
            y = top + row * (ZOOM.cell + ZOOM.line)
            piece = digit.crop(box).point(sheet.palette.ramp(fill, ink))
            canvas.paste(piece, (left + box[0], y + box[1]))


# Above the zoom the next move as numbers; below the boards the score, and how moves send.


def _draw_move(
    canvas: Image.Image, sheet: TileSheet, picture: BoardPicture, path: tuple[int, ...]
) -> None:
    """Draw the three numbers of the next move, or of the last one once the game is over."""
    theme, position = sheet.theme, picture.position
    side, title = position.side, _("Next move")
    digits = "".join(str(place + 1) for place in path).ljust(3, "?")
    if picture.is_decided:
        if position.last_move is None:
            return
        side, title = other(side), _("Last move")
        digits = format_move(position.last_move, position.rules)
    start = layout.ASIDE_LEFT + layout.ASIDE_WIDTH - _BOXES
    room = layout.ASIDE_WIDTH - _BOXES - 16
    fitted, size = fitted_text(title, _TITLE, room)
    area = (layout.ASIDE_LEFT, layout.STATUS_TOP, room, layout.STATUS_HEIGHT)
    sheet.write(canvas, area, fitted, size, theme.marks[side], align="r")
    top = layout.STATUS_TOP + (layout.STATUS_HEIGHT - _BOX_HEIGHT) // 2
    for place, (letter, digit) in enumerate(zip("STO", digits, strict=True)):
        fill, ink = theme.solids[side], theme.ink
        if digit == "?":
            fill, ink = theme.surface, theme.muted
        left = start + place * (_BOX_WIDTH + _BOX_GAP)
        box = sheet.piece(("box", fill), partial(_box, sheet, fill))
        canvas.paste(box, (left, top))
        inner = (left + 12, top + 4, _BOX_WIDTH - 24, _BOX_HEIGHT - 8)
        sheet.write(canvas, (*inner[:2], 24, inner[3]), letter, _WORDS[0], ink, ground=fill)
        digit_area = (inner[0] + 30, inner[1], inner[2] - 30, inner[3])
        sheet.write(canvas, digit_area, digit, _DIGIT, ink, ground=fill)


def _box(sheet: TileSheet, fill: Colour) -> Image.Image:
    size = (_BOX_WIDTH, _BOX_HEIGHT)
    return sheet.palette.over(sheet.plain(size, sheet.theme.canvas), fill, rounded_mask(size, 10))


def _draw_foot(canvas: Image.Image, sheet: TileSheet, position: Position) -> None:
    """Write how moves send, how many strategic boards each side has won, and the credit."""
    theme, right = sheet.theme, canvas.width - MARGIN
    top, height = layout.WORDS_TOP, layout.WORDS_HEIGHT
    statuses = [position.board_status(board, depth=1) for board in range(9)]
    for side, won in ((O, BoardStatus.O_WON), (X, BoardStatus.X_WON)):
        area = (right - 22, top, 22, height)
        sheet.write(canvas, area, str(statuses.count(won)), _DIGIT, theme.text, align="l")
        mark = mark_mask(theme.shapes[side], _MARK).point(
            sheet.palette.ramp(theme.canvas, theme.marks[side])
        )
        canvas.paste(mark, (right - 22 - _MARK - 4, top))
        right -= _SCORE // 2 + 8
    title = _("Boards won")
    width = round(font(_WORDS[0]).getlength(title)) + 8
    sheet.write(canvas, (right - width, top, width, height), title, _WORDS[0], theme.text)
    for line, y, room in (
        (_(_SENDING[position.rules.sending]), top, right - width - 16 - MARGIN),
        (_(CREDIT), layout.CREDIT_TOP, canvas.width - 2 * MARGIN),
    ):
        fitted, size = fitted_text(line, _WORDS, room)
        area = (MARGIN, y, room, height)
        sheet.write(canvas, area, fitted, size, theme.muted, align="l")
