"""The Help field: who owns which tactical and which strategic cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Block, Label, Mark, Shape, assemble, grid
from engine import BoardStatus

if TYPE_CHECKING:
    from engine import Position

GRID_WIDTH: Final = 11
HELP_HEIGHT: Final = 15
DRAWN: Final = "="
DRAWN_HINT: Final = "Drawn cells are marked =."


def tactical_grid(position: Position | None) -> Block:
    """Return 11 x 11 cells: in block S, cell T the owner of tactical cell ST."""
    parts = []
    for strategic in range(9):
        row, column = divmod(strategic, 3)
        statuses = [
            position.board_status(9 * strategic + tactical) if position else BoardStatus.ONGOING
            for tactical in range(9)
        ]
        parts.append((4 * column, 4 * row, _owners(statuses)))
    return assemble(GRID_WIDTH, GRID_WIDTH, parts)


def strategic_grid(position: Position | None) -> Block:
    """Return 3 x 3 cells with the owners of the strategic cells."""
    return _owners(
        [
            position.board_status(strategic, depth=1) if position else BoardStatus.ONGOING
            for strategic in range(9)
        ]
    )


def help_field(position: Position | None) -> Block:
    """Return both grids, the strategic one centred below the other."""
    parts = [(0, 0, tactical_grid(position)), (4, 12, strategic_grid(position))]
    return assemble(GRID_WIDTH, HELP_HEIGHT, parts)


def has_drawn_cells(position: Position) -> bool:
    """Whether a help field of the position shows the sign for a drawn cell."""
    tactical = (position.board_status(board) for board in range(81))
    strategic = (position.board_status(board, depth=1) for board in range(9))
    return BoardStatus.DRAWN in tactical or BoardStatus.DRAWN in strategic


def _owners(statuses: list[BoardStatus]) -> Block:
    block = grid(3, 3, thick_every=3)
    shapes: list[Shape] = list(block.shapes)
    for place, status in enumerate(statuses):
        row, column = divmod(place, 3)
        if status.winner is not None:
            shapes.append(Mark(x=column, y=row, side=status.winner))
        elif status is BoardStatus.DRAWN:
            shapes.append(Label(x=column, y=row, text=DRAWN, size=0.9))
    return Block(width=3, height=3, shapes=tuple(shapes))
