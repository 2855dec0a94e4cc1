"""Boards: the four game fields, the Help field with the owners, and the Full fields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Block, Box, Ink, Label, Line, Mark, Shape, assemble, grid
from engine import BoardStatus, hypermap_number, map_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.render.fields.drawing import Filling
    from engine import Cell, Position

_CELLS: Final = range(729)

# Where the label of a tactical cell stands, seen from the top left cell of its
# strategic cell: the first three above it, the last three below. The middle
# ones depend on the field, and the fifth is not printed.
_LABELS_ABOVE_AND_BELOW: Final = {
    1: (0, -1),
    2: (3, -1),
    3: (6, -1),
    7: (2, 9),
    8: (5, 9),
    9: (8, 9),
}

_LABEL_SIZE: Final = 0.46
_MAP_SIZE: Final = 0.62
_HYPERMAP_SIZE: Final = 0.56

_GRID_WIDTH: Final = 11
_HELP_HEIGHT: Final = 15
_DRAWN: Final = "="
DRAWN_HINT: Final = f"Drawn cells are marked {_DRAWN}."

_FULL_WIDTH: Final = 39
# The drawing of a mapped field is 35 cells wide, not counting the labels on its right.
_BOARD_X: Final = 2
_BELOW_Y: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPlan:
    """Where everything is in one kind of game field, in unit cells.

    Attributes:
        left: Columns before the first cell.
        top: Rows above it.
        pitch: Columns from a strategic cell to the next; downwards it is always 10.
        side_rows: The rows, from 0, on which the labels of the fourth and the
            sixth tactical cell stand; None for a field without labels.
    """

    width: int
    height: int
    left: int
    top: int
    pitch: int
    side_rows: tuple[int, int] | None = None
    is_mapped: bool = False
    is_hypermapped: bool = False

    def corner(self, strategic: int) -> tuple[int, int]:
        """Return the place of the top left cell of a strategic cell 0-8."""
        row, column = divmod(strategic, 3)
        return self.left + self.pitch * column, self.top + 10 * row

    def place(self, cell: Cell) -> tuple[int, int]:
        """Return the place of a cell 0-728."""
        x, y = self.corner(cell // 81)
        tactical, operational = cell // 9 % 9, cell % 9
        return (
            x + 3 * (tactical % 3) + operational % 3,
            y + 3 * (tactical // 3) + operational // 3,
        )


BASIC: Final = BoardPlan(width=29, height=29, left=0, top=0, pitch=10)
NUMBERED: Final = BoardPlan(width=31, height=31, left=1, top=1, pitch=10, side_rows=(3, 5))
MAPPED: Final = BoardPlan(
    width=36, height=31, left=2, top=1, pitch=12, side_rows=(4, 4), is_mapped=True
)
HYPERMAPPED: Final = replace(MAPPED, is_hypermapped=True)


def game_field(plan: BoardPlan, filling: Filling) -> tuple[Block, int]:
    """Return a game field with the marks of the position, on which all moves find room."""
    cells = grid(9, 9, thick_every=3)
    field = assemble(
        plan.width, plan.height, [(*plan.corner(strategic), cells) for strategic in range(9)]
    )
    shapes: list[Shape] = list(field.shapes)
    if plan.is_mapped:
        shapes += _mapping_columns(plan, filling.map_number)
    if plan.side_rows:
        shapes += _labels(plan, plan.side_rows)
    sides = [filling.position.mark_at(cell) for cell in _CELLS]
    places = [plan.place(cell) for cell in _CELLS]
    if plan.is_hypermapped:
        shapes += [
            Label(
                x=x,
                y=y,
                text=str(hypermap_number(cell)),
                size=_HYPERMAP_SIZE,
                ink=Ink.FAINT if sides[cell] is None else Ink.COVERED,
            )
            for cell, (x, y) in enumerate(places)
        ]
    shapes += [
        Mark(x=x, y=y, side=side)
        for side, (x, y) in zip(sides, places, strict=True)
        if side is not None
    ]
    return replace(field, shapes=tuple(shapes)), len(filling.moves)


def _labels(plan: BoardPlan, side_rows: tuple[int, int]) -> list[Shape]:
    places = _LABELS_ABOVE_AND_BELOW | {4: (-1, side_rows[0]), 6: (9, side_rows[1])}
    labels: list[Shape] = []
    for strategic in range(9):
        x, y = plan.corner(strategic)
        labels += [
            Label(x=x + dx, y=y + dy, text=f"{strategic + 1}{tactical}", size=_LABEL_SIZE)
            for tactical, (dx, dy) in places.items()
        ]
    return labels


def _mapping_columns(plan: BoardPlan, map_number: int) -> list[Shape]:
    columns = map_columns(map_number)
    shapes: list[Shape] = []
    for strategic in range(9):
        x, y = plan.corner(strategic)
        x -= 2
        shapes += [Line(x1=x, y1=y + row, x2=x + 1, y2=y + row) for row in range(1, 9)]
        shapes.append(Box(x=x, y=y, width=1, height=9))
        shapes += [
            Label(x=x, y=y + row, text=str(number), size=_MAP_SIZE)
            for row, number in enumerate(columns[strategic % 3])
        ]
    return shapes


def help_field(filling: Filling) -> tuple[Block, int]:
    """Return who owns which tactical and strategic cell, the strategic grid centred below."""
    parts = [(0, 0, _tactical_grid(filling.position)), (4, 12, _strategic_grid(filling.position))]
    return assemble(_GRID_WIDTH, _HELP_HEIGHT, parts), len(filling.moves)


def _tactical_grid(position: Position) -> Block:
    """Return 11 x 11 cells: in block S, cell T the owner of tactical cell ST."""
    statuses = _statuses(position, depth=2)
    parts = [
        (4 * (block % 3), 4 * (block // 3), _owners(statuses[9 * block : 9 * block + 9]))
        for block in range(9)
    ]
    return assemble(_GRID_WIDTH, _GRID_WIDTH, parts)


def _strategic_grid(position: Position) -> Block:
    return _owners(_statuses(position, depth=1))


def _statuses(position: Position, depth: int) -> list[BoardStatus]:
    return [position.board_status(board, depth=depth) for board in range(9**depth)]


def has_drawn_cells(position: Position) -> bool:
    """Return whether a help field of the position shows the sign for a drawn cell."""
    return any(BoardStatus.DRAWN in _statuses(position, depth) for depth in (1, 2))


def _owners(statuses: list[BoardStatus]) -> Block:
    block = grid(3, 3, thick_every=3)
    shapes: list[Shape] = list(block.shapes)
    for place, status in enumerate(statuses):
        row, column = divmod(place, 3)
        if status.winner is not None:
            shapes.append(Mark(x=column, y=row, side=status.winner))
        elif status is BoardStatus.DRAWN:
            shapes.append(Label(x=column, y=row, text=_DRAWN, size=0.9))
    return replace(block, shapes=tuple(shapes))


def full_field(
    plan: BoardPlan,
    build_record: Callable[[Filling], tuple[Block, int]],
    captions: Sequence[str],
    filling: Filling,
) -> tuple[Block, int]:
    """Return a game field with its record and its owners beneath, and the first move left out."""
    board, _ = game_field(plan, filling)
    record, end = build_record(filling)
    words = [(0, "Tactical Grid"), (13, "Strategic Grid")]
    words += [
        (18 + line, caption.format(map=f"map{filling.map_number}"))
        for line, caption in enumerate(captions)
    ]
    titles = tuple(Label(x=0, y=y, width=_GRID_WIDTH, text=text) for y, text in words)
    help_x = _FULL_WIDTH - _GRID_WIDTH
    parts = [
        (_BOARD_X, 0, board),
        (0, _BELOW_Y, record),
        (help_x, _BELOW_Y, Block(width=_GRID_WIDTH, height=record.height, shapes=titles)),
        (help_x, _BELOW_Y + 1, _tactical_grid(filling.position)),
        (help_x + 4, _BELOW_Y + 14, _strategic_grid(filling.position)),
    ]
    return assemble(_FULL_WIDTH, _BELOW_Y + record.height, parts), end
