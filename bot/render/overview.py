"""All 729 cells of a strategic game: nine blocks of nine small boards."""

from dataclasses import replace
from functools import partial

from PIL import Image

from bot.render import layout
from bot.render.claims import Claim, claim_of
from bot.render.layout import BLOCKS, MARGIN, OVERVIEW_TOP, SMALL
from bot.render.links import join
from bot.render.looks import Highlight, Look, look_colours
from bot.render.nine_boards import NineBoards, draw_nine_boards
from bot.render.ordinary import last_place, looks_of_nine, marks_of, winning_line
from bot.render.picture import BoardPicture, path_in_play
from bot.render.shapes import mark_mask
from bot.render.theme import mix
from bot.render.tiles import TileSheet


def draw_overview(canvas: Image.Image, sheet: TileSheet, picture: BoardPicture) -> None:
    """Draw the whole game below the header."""
    blocks = block_looks(picture)
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
    line = winning_line(position)
    if line is not None:
        colour = sheet.theme.solids[line[1]]
        join(canvas, sheet.palette, BLOCKS, (MARGIN, OVERVIEW_TOP), line[0], colour)
    for strategic, look in enumerate(blocks):
        _draw_badges(canvas, sheet, strategic, look)


def block_looks(picture: BoardPicture) -> tuple[Look, ...]:
    """Decide how each of the nine strategic boards is drawn."""
    position = picture.position
    return looks_of_nine(
        picture,
        tuple(claim_of(position, board, depth=1) for board in range(9)),
        position.playable_at(1),
        path_in_play(position, picture.selected),
    )


def tactical_looks(picture: BoardPicture, blocks: tuple[Look, ...]) -> tuple[Look, ...]:
    """Decide how each of the 81 tactical boards is drawn inside its block."""
    position = picture.position
    path = path_in_play(position, picture.selected)
    # Once a strategic board is settled, the others keep their border but not all of this.
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
    """Whether the large mark of a strategic board lies over all of it: it is at rest."""
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
    for owner in look.owners:
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
    """Copy the number of a strategic board onto it, and whose it is where no large mark tells."""
    x, y = BLOCKS.panel_offset(block)
    left, up = BLOCKS.badge_shift
    start, top = MARGIN + x - left, OVERVIEW_TOP + y - up
    pieces = [sheet.badge(str(block + 1), look.side)]
    if not is_covered(look):
        pieces += [sheet.flag(owner) for owner in look.owners]
    for piece, mask in pieces:
        canvas.paste(piece, (start, top), mask)
        start += piece.width
