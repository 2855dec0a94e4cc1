"""Continuous move fields: one digit a move, because S' = T and T' = O.

Move `m` of a line is read over the columns m, m+1 and m+2 as S, T and O. So a
move that goes where it was sent adds one digit. README.md tells how we break
and continue a line; the authors do not say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Block, Box, Label, Line, Shape, Weight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.render.fields.moves import Move

HEADER_ROWS: Final = 3
HINT: Final = (
    "Our way to write it: each move adds one digit and is read as S T O over three columns."
    " Line full: begin the next with its last two digits. Free move: draw a bar and write all"
    " three digits after it, or, where they do not fit, in the next line (X from column 1, O"
    " from column 2)."
)

_DIGIT_SIZE: Final = 0.66


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
    """Write moves into lines as a player with a pencil would.

    Args:
        moves: The moves of a game as digits S, T, O; those of X at even places.
        slots: How many moves a line has room for; even, so that X begins each.
        lines: How many lines.
        start: The first move to write.
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
        # Three columns on, the header names the same side as one column on.
        if number > start and not follows and slot + 3 < slots:
            slot += 3
            bars.append((line, slot))
        else:
            line, slot = line + 1, number % 2
            if line == lines:
                return Writing(digits=tuple(digits), bars=tuple(bars), end=number)
        digits += [(line, slot + place, digit) for place, digit in enumerate(move)]
    return Writing(digits=tuple(digits), bars=tuple(bars), end=len(moves))


def continuous_field(
    moves: Sequence[Move], *, slots: int, lines: int, start: int = 0
) -> tuple[Block, int]:
    """Return a continuous move field and the first move that found no room."""
    written = write_moves(moves, slots=slots, lines=lines, start=start)
    width, height = slots + 2, HEADER_ROWS + lines
    shapes: list[Shape] = [Line(x1=0, y1=y, x2=width, y2=y) for y in range(HEADER_ROWS + 1, height)]
    shapes += [Line(x1=x, y1=HEADER_ROWS, x2=x, y2=height) for x in range(1, width)]
    for slot in range(slots):
        # Three moves lie over each other's columns: each has a row of its own.
        row = HEADER_ROWS - 1 - slot % 3
        shapes += [
            Box(x=slot, y=row, width=3, height=1),
            Label(x=slot + 1, y=row, text="XO"[slot % 2], size=0.58),
        ]
    shapes.append(Box(x=0, y=HEADER_ROWS, width=width, height=lines, weight=Weight.THICK))
    shapes += [
        Label(x=column, y=HEADER_ROWS + line, text=str(digit), size=_DIGIT_SIZE)
        for line, column, digit in written.digits
    ]
    shapes += [
        Line(
            x1=column,
            y1=HEADER_ROWS + line,
            x2=column,
            y2=HEADER_ROWS + line + 1,
            weight=Weight.THICK,
        )
        for line, column in written.bars
    ]
    return Block(width=width, height=height, shapes=tuple(shapes)), written.end
