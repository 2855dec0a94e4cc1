"""All 729 cells of a strategic game: nine blocks of nine small boards."""

from dataclasses import replace
from functools import cache, partial

from PIL import Image

from bot.render import layout
from bot.render.claims import Claim, claim_of
from bot.render.layout import BLOCKS, MARGIN, OVERVIEW_TOP, SMALL
from bot.render.links import join
from bot.render.looks import Highlight, Look, look_colours
from bot.render.nine_boards import NineBoards, draw_nine_boards
from bot.render.ordinary import looks_of_nine, marks_of, winning_line
from bot.render.picture import BoardPicture, path_in_play
from bot.render.shapes import mark_mask
from bot.render.theme import Colour, Theme, mix
from bot.render.tiles import TileSheet
from engine import O, X

# How far the mark of a block whose boards may still be played in colours them.
_OPEN_SHARE = 0.4


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
            filled=() if position.last_move is None else (position.last_move - first,),
        )
        origin = layout.block_origin(strategic)
        corner = (origin[0] - BLOCKS.frame, origin[1] - BLOCKS.frame)
        canvas.paste(sheet.piece(("block", look), partial(_block, sheet, look)), corner)
        draw_nine_boards(canvas, sheet, origin, boards)
        _claim_block(canvas, sheet, look, origin)
    line = winning_line(position)
    if line is not None:
        colour = sheet.theme.solids[line[1]]
        join(canvas, sheet.palette, BLOCKS, (MARGIN, OVERVIEW_TOP), line[0], colour)
    for strategic, look in enumerate(blocks):
        x, y = BLOCKS.panel_offset(strategic)
        left, up = BLOCKS.badge_shift
        badge, mask = sheet.badge(str(strategic + 1), look.side)
        canvas.paste(badge, (MARGIN + x - left, OVERVIEW_TOP + y - up), mask)


def block_looks(picture: BoardPicture) -> tuple[Look, ...]:
    """Decide how each of the nine strategic boards is drawn."""
    position = picture.position
    return looks_of_nine(
        picture,
        tuple(claim_of(position, board, level=1) for board in range(9)),
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
    if not look.owners:
        return
    theme, colours = sheet.theme, look_colours(sheet.theme, look)
    left, top = origin
    box = (left, top, left + SMALL.field, top + SMALL.field)
    image = canvas.crop(box)
    for owner in look.owners:
        coverage = mark_mask(theme.shapes[owner], SMALL.field, large=True)
        large = colours.large[owner]
        if is_covered(look):
            shade = mix(large, colours.cell, theme.shade_share)
            grounds = frozenset((colours.cell, colours.line))
            image = sheet.palette.stamp(image, large, coverage, grounds=grounds, shade=shade)
        else:
            solid = theme.solids[owner]
            grounds = _open_grounds(theme)
            image = sheet.palette.stamp(image, solid, coverage, grounds=grounds, share=_OPEN_SHARE)
    canvas.paste(image, box)


@cache
def _open_grounds(theme: Theme) -> frozenset[Colour]:
    """Return the grounds on which the mark of a block may lie that is still played in."""
    looks = [Look(claim=Claim.OPEN)]
    looks += [Look(claim=Claim.OPEN, highlight=h, side=s) for h in Highlight for s in (X, O)]
    cells = {look_colours(theme, look).cell for look in looks}
    return frozenset(cells | {theme.canvas})
