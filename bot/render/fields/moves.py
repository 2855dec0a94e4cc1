"""Move fields: a column for each digit, a row for a move of X and one of O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Block, Box, Label, Line, Shape, Weight, assemble

if TYPE_CHECKING:
    from collections.abc import Sequence

Move = tuple[int, int, int]

TABLE_WIDTH: Final = 6
HEADER_ROWS: Final = 2

_DIGIT_SIZE: Final = 0.66


def move_tables(
    moves: Sequence[Move], *, tables: int, rows: int, gap: int, start: int = 0
) -> tuple[Block, int]:
    """Return move fields side by side and the first move that found no room.

    Args:
        moves: The moves of a game as digits S, T, O; those of X at even places.
        tables: How many tables.
        rows: How many rows each has below its header.
        gap: Empty columns between two tables.
        start: The first move to write; even, because rows begin with X.
    """
    room = 2 * rows
    parts = []
    for number in range(tables):
        first = start + number * room
        parts.append((number * (TABLE_WIDTH + gap), 0, _table(moves[first : first + room], rows)))
    width = tables * TABLE_WIDTH + (tables - 1) * gap
    end = min(len(moves), start + tables * room)
    return assemble(width, HEADER_ROWS + rows, parts), end


def _table(moves: Sequence[Move], rows: int) -> Block:
    height = HEADER_ROWS + rows
    shapes: list[Shape] = [
        Line(x1=0, y1=y, x2=TABLE_WIDTH, y2=y) for y in range(1, height) if y != HEADER_ROWS
    ]
    # The first header row has one wide cell for each side.
    shapes += [Line(x1=x, y1=1, x2=x, y2=height) for x in (1, 2, 4, 5)]
    shapes += [
        Line(x1=3, y1=0, x2=3, y2=height, weight=Weight.THICK),
        Line(x1=0, y1=HEADER_ROWS, x2=TABLE_WIDTH, y2=HEADER_ROWS, weight=Weight.THICK),
        Box(x=0, y=0, width=TABLE_WIDTH, height=height, weight=Weight.THICK),
        Label(x=0, y=0, width=3, text="X", size=0.74),
        Label(x=3, y=0, width=3, text="O", size=0.74),
    ]
    shapes += [Label(x=x, y=1, text="STO"[x % 3], size=0.58) for x in range(TABLE_WIDTH)]
    for number, move in enumerate(moves):
        row, side = divmod(number, 2)
        shapes += [
            Label(x=3 * side + place, y=HEADER_ROWS + row, text=str(digit), size=_DIGIT_SIZE)
            for place, digit in enumerate(move)
        ]
    return Block(width=TABLE_WIDTH, height=height, shapes=tuple(shapes))
