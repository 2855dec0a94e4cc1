"""Records of moves: tables with a row for two moves, and continuous lines of one digit a move.

In a continuous field move `m` of a line is read over the columns m, m+1 and m+2 as S, T and O,
because S' = T and T' = O: a move that goes where it was sent adds one digit. README.md tells how
we break and continue a line; the authors do not say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Block, Box, Label, Line, Shape, Weight, assemble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.render.fields.drawing import Filling, Move

TABLE_WIDTH: Final = 6
TABLE_HEADER_ROWS: Final = 2
CONTINUOUS_HEADER_ROWS: Final = 3
HINT: Final = (
    "Our way to write it: each move adds one digit and is read as S T O over three columns."
    " Line full: begin the next with its last two digits. Free move: draw a bar and write all"
    " three digits after it, or, where they do not fit, in the next line (X from column 1, O"
    " from column 2)."
)

_DIGIT_SIZE: Final = 0.66


def move_tables(filling: Filling, *, tables: int, rows: int, gap: int = 0) -> tuple[Block, int]:
    """Return move fields side by side and the first move that found no room.

    Each has `rows` below its header; `gap` columns between two of them are empty.
    """
    room = 2 * rows
    parts = []
    for number in range(tables):
        first = filling.start + number * room  # even, because rows begin with X
        table = _table(filling.moves[first : first + room], rows)
        parts.append((number * (TABLE_WIDTH + gap), 0, table))
    width = tables * TABLE_WIDTH + (tables - 1) * gap
    end = min(len(filling.moves), filling.start + tables * room)
    return assemble(width, TABLE_HEADER_ROWS + rows, parts), end


def _table(moves: Sequence[Move], rows: int) -> Block:
    height = TABLE_HEADER_ROWS + rows
    shapes: list[Shape] = [
        Line(x1=0, y1=y, x2=TABLE_WIDTH, y2=y) for y in range(1, height) if y != TABLE_HEADER_ROWS
    ]
    # The first header row has one wide cell for each side.
    shapes += [Line(x1=x, y1=1, x2=x, y2=height) for x in (1, 2, 4, 5)]
    rule = TABLE_HEADER_ROWS
    shapes += [
        Line(x1=3, y1=0, x2=3, y2=height, weight=Weight.THICK),
        Line(x1=0, y1=rule, x2=TABLE_WIDTH, y2=rule, weight=Weight.THICK),
        Box(x=0, y=0, width=TABLE_WIDTH, height=height, weight=Weight.THICK),
        Label(x=0, y=0, width=3, text="X", size=0.74),
        Label(x=3, y=0, width=3, text="O", size=0.74),
    ]
    shapes += [Label(x=x, y=1, text="STO"[x % 3], size=0.58) for x in range(TABLE_WIDTH)]
    for number, move in enumerate(moves):
        row, side = divmod(number, 2)
        shapes += [
            Label(x=3 * side + place, y=rule + row, text=str(digit), size=_DIGIT_SIZE)
            for place, digit in enumerate(move)
        ]
    return Block(width=TABLE_WIDTH, height=height, shapes=tuple(shapes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What a game looks like in a continuous move field.

    Attributes:
        digits: Line, column and digit, all but the digit from 0.
        bars: Line and column before which a free move begins.
        end: The first move that found no room.
    """

    digits: tuple[tuple[int, int, int], ...]
    bars: tuple[tuple[int, int], ...]
    end: int


def write_moves(moves: Sequence[Move], *, slots: int, lines: int, start: int = 0) -> Writing:
    """Write moves from `start` on into lines as a player with a pencil would.

    A line has room for `slots` moves, an even number, so that X begins each.
    """
    digits: list[tuple[int, int, int]] = []
    bars: list[tuple[int, int]] = []
    line, slot = -1, slots  # as if the line above were full
    for number in range(start, len(moves)):
        move = moves[number]
        follows = number > start and moves[number - 1][1:] == move[:2]
        if follows and slot + 1 < slots:
            slot += 1
            digits.append((line, slot + 2, move[2]))
            continue
        # Three columns further on, the header names the same side as one column further on.
        if number > start and not follows and slot + 3 < slots:
            slot += 3
            bars.append((line, slot))
        else:
            line, slot = line + 1, number % 2
            if line == lines:
                return Writing(digits=tuple(digits), bars=tuple(bars), end=number)
        digits += [(line, slot + place, digit) for place, digit in enumerate(move)]
    return Writing(digits=tuple(digits), bars=tuple(bars), end=len(moves))


def continuous_fields(
    filling: Filling, *, slots: int, lines: int, count: int = 1
) -> tuple[Block, int]:
    """Return continuous move fields, one below the other, and the first move that found no room."""
    parts, top, end = [], 0, filling.start
    for _ in range(count):
        written = write_moves(filling.moves, slots=slots, lines=lines, start=end)
        field, end = _continuous_field(written, slots, lines), written.end
        parts.append((0, top, field))
        top += field.height + 2
    return assemble(field.width, top - 2, parts), end


def _continuous_field(written: Writing, slots: int, lines: int) -> Block:
    first = CONTINUOUS_HEADER_ROWS
    width, height = slots + 2, first + lines
    shapes: list[Shape] = [Line(x1=0, y1=y, x2=width, y2=y) for y in range(first + 1, height)]
    shapes += [Line(x1=x, y1=first, x2=x, y2=height) for x in range(1, width)]
    for slot in range(slots):
        # Three moves lie over each other's columns: each has a row of its own.
        row = first - 1 - slot % 3
        shapes += [
            Box(x=slot, y=row, width=3, height=1),
            Label(x=slot + 1, y=row, text="XO"[slot % 2], size=0.58),
        ]
    shapes.append(Box(x=0, y=first, width=width, height=lines, weight=Weight.THICK))
    shapes += [
        Label(x=column, y=first + line, text=str(digit), size=_DIGIT_SIZE)
        for line, column, digit in written.digits
    ]
    shapes += [
        Line(x1=column, y1=first + line, x2=column, y2=first + line + 1, weight=Weight.THICK)
        for line, column in written.bars
    ]
    return Block(width=width, height=height, shapes=tuple(shapes))
