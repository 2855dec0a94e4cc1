"""The four game fields: Basic, Numbered, Mapped and Hypermapped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Block, Box, Ink, Label, Line, Mark, Shape, assemble, grid
from engine import hypermap_number, map_columns

if TYPE_CHECKING:
    from engine import Position

CELL_COUNT: Final = 729

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


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPlan:
    """Where everything is in one kind of game field, in unit cells.

    Attributes:
        width: Of the whole field.
        height: Of the whole field.
        left: Columns before the first cell.
        top: Rows above it.
        pitch: Columns from a strategic cell to the next; downwards it is always 10.
        side_rows: The rows, from 0, on which the labels of the fourth and the
            sixth tactical cell stand; None for a field without labels.
        is_mapped: Whether there are mapping columns.
        is_hypermapped: Whether every cell has its number.
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

    def place(self, cell: int) -> tuple[int, int]:
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


def game_field(plan: BoardPlan, *, map_number: int, position: Position | None) -> Block:
    """Return a game field, with the marks of a position if there is one."""
    cells = grid(9, 9, thick_every=3)
    field = assemble(
        plan.width, plan.height, [(*plan.corner(strategic), cells) for strategic in range(9)]
    )
    shapes: list[Shape] = list(field.shapes)
    if plan.is_mapped:
        shapes += _mapping_columns(plan, map_number)
    if plan.side_rows:
        shapes += _labels(plan, plan.side_rows)
    if plan.is_hypermapped:
        shapes += _hypermap(plan, position)
    if position:
        shapes += _marks(plan, position)
    return replace(field, shapes=tuple(shapes))


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


def _hypermap(plan: BoardPlan, position: Position | None) -> list[Shape]:
    shapes: list[Shape] = []
    for cell in range(CELL_COUNT):
        x, y = plan.place(cell)
        is_marked = position is not None and position.mark_at(cell) is not None
        ink = Ink.COVERED if is_marked else Ink.FAINT
        text = str(hypermap_number(cell))
        shapes.append(Label(x=x, y=y, text=text, size=_HYPERMAP_SIZE, ink=ink))
    return shapes


def _marks(plan: BoardPlan, position: Position) -> list[Shape]:
    shapes: list[Shape] = []
    for cell in range(CELL_COUNT):
        side = position.mark_at(cell)
        if side is not None:
            x, y = plan.place(cell)
            shapes.append(Mark(x=x, y=y, side=side))
    return shapes
