"""Nine boards side by side: a whole game, or a strategic board among others."""

from collections.abc import Container, Sequence
from dataclasses import KW_ONLY, dataclass

from PIL import Image

from bot.render.claims import Claim
from bot.render.links import join
from bot.render.looks import Highlight, Look
from bot.render.tiles import TileSheet


@dataclass(frozen=True, slots=True)
class NineBoards:
    """What stands on nine boards of nine places each.

    Attributes:
        looks: How each board looks.
        places: What stands in each of the 81 places.
        filled: The places whose marks stand on a filled square: the last move.
        badges: The number of each board; none by default.
        notes: The small number of each place, shown while it is empty; none by default.
        line: The boards to join, and who won by them.
    """

    looks: tuple[Look, ...]
    places: tuple[Claim, ...]
    _: KW_ONLY
    filled: tuple[int, ...] = ()
    badges: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    line: tuple[tuple[int, ...], int] | None = None


def draw_nine_boards(
    canvas: Image.Image, sheet: TileSheet, origin: tuple[int, int], boards: NineBoards
) -> None:
    """Copy the boards, what stands in them and their numbers into place."""
    for board, look in enumerate(boards.looks):
        x, y = sheet.metrics.panel_offset(board)
        first = 9 * board
        draw_one_board(
            canvas,
            sheet,
            (origin[0] + x, origin[1] + y),
            look,
            boards.places[first : first + 9],
            filled=[place - first for place in boards.filled],
            notes=boards.notes[first : first + 9],
        )
    if boards.line is not None:
        line, winner = boards.line
        join(canvas, sheet.palette, sheet.metrics, origin, line, sheet.theme.solids[winner])
    left, up = sheet.metrics.badge_shift
    for board, label in enumerate(boards.badges):
        x, y = sheet.metrics.panel_offset(board)
        badge, mask = sheet.badge(label, boards.looks[board].side)
        canvas.paste(badge, (origin[0] + x - left, origin[1] + y - up), mask)


def draw_one_board(
    canvas: Image.Image,
    sheet: TileSheet,
    origin: tuple[int, int],
    look: Look,
    places: Sequence[Claim],
    *,
    filled: Container[int] = (),
    notes: Sequence[str] = (),
) -> None:
    """Copy the panel of a board and what stands in its places into place.

    Args:
        canvas: Image in the palette numbers of `sheet`.
        sheet: Where pieces and colours come from.
        origin: Where the panel begins.
        look: How the board looks.
        places: What stands in each of its places.
        filled: The marks on a filled square.
        notes: The small number of each place; none by default.
    """
    canvas.paste(sheet.panel(look), origin)
    is_numbered = look.highlight is Highlight.TARGET and sheet.metrics.label > 0
    for slot, claim in enumerate(places):
        mark = claim.winner
        if mark is not None:
            tile = sheet.marked_cell(look, slot, mark, is_last=slot in filled)
        elif claim.is_drawn:
            tile = sheet.drawn_cell(look, slot, claim)
        elif is_numbered or notes:
            number = str(slot + 1) if is_numbered else ""
            tile = sheet.empty_cell(look, slot, number=number, note=notes[slot] if notes else "")
        else:
            continue
        x, y = sheet.metrics.cell_offset(slot)
        canvas.paste(tile, (origin[0] + x, origin[1] + y))
