"""Where a move sends the opponent: one table for every kind of sending.

Depth 3 has three ways to find the strategic board (RULES.md). To the kernels all
of them, and the one way of depth 2, are the same: the local board that each cell
names. The symmetries of a game are those of the square that leave it the same.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from engine.rules import Rules, Sending
from engine.types import Cell


def map_columns(map_number: int) -> tuple[tuple[int, ...], ...]:
    """Return the mapping columns of a map: left, middle and right strategic column.

    A column has nine numbers 1-9, one for each row inside a strategic cell. Its
    three bands of rows hold 1-3, 4-6 and 7-9. In the left column the first
    number of band `k` never stands in row `k` of the band, which leaves two
    rows for it; a bit of the map's first digit says which, a bit of the second
    whether the other two descend. The next columns count on within the band.

    Examples:
        >>> map_columns(34)[0]
        (2, 1, 3, 6, 5, 4, 7, 9, 8)
        >>> map_columns(34)[2]
        (1, 3, 2, 5, 4, 6, 9, 8, 7)
    """
    first, second = (digit - 1 for digit in divmod(map_number, 10))
    left: list[int] = []
    for band in range(3):
        rows = [row for row in range(3) if row != band]
        place = rows[first >> (2 - band) & 1]
        others = [2, 1] if second >> (2 - band) & 1 else [1, 2]
        others.insert(place, 0)
        left += [3 * band + offset for offset in others]
    return tuple(
        tuple(number - number % 3 + (number + shift) % 3 + 1 for number in left)
        for shift in range(3)
    )


def hypermap_number(cell: Cell) -> int:
    """Return the number 1-9 printed in a cell of the hypermap (depth 3).

    Examples:
        >>> hypermap_number(0), hypermap_number(728)
        (9, 7)
    """
    strategic, tactical, operational = cell // 81, cell // 9 % 9, cell % 9
    row = 3 * (tactical // 3) + operational // 3
    column = 3 * (tactical % 3) + operational % 3
    return (max(row, column) + strategic - 1) % 9 + 1


@cache
def named_boards(rules: Rules) -> tuple[int, ...]:
    """Return for every cell the local board that playing there names (0-based).

    At depth 1 there is only one board, and every cell names it.

    Examples:
        >>> named_boards(Rules())[40]
        4
    """
    return tuple(_named_board(rules, cell) for cell in range(rules.cell_count))


def _named_board(rules: Rules, cell: Cell) -> int:
    if rules.depth < 3:
        return cell % 9 if rules.depth == 2 else 0
    strategic, tactical, operational = cell // 81, cell // 9 % 9, cell % 9
    if rules.sending is Sending.MAP:
        row = 3 * (tactical // 3) + operational // 3
        tactical = map_columns(rules.map_number)[strategic % 3][row] - 1
    elif rules.sending is Sending.HYPERMAP:
        tactical = hypermap_number(cell) - 1
    return 9 * tactical + operational


# For each symmetry, where the places 0-8 of a board go.
SQUARE: Final = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8),  # as it is
    (2, 5, 8, 1, 4, 7, 0, 3, 6),  # a quarter turn to the right
    (8, 7, 6, 5, 4, 3, 2, 1, 0),  # half a turn
    (6, 3, 0, 7, 4, 1, 8, 5, 2),  # a quarter turn to the left
    (2, 1, 0, 5, 4, 3, 8, 7, 6),  # left and right
    (6, 7, 8, 3, 4, 5, 0, 1, 2),  # top and bottom
    (0, 3, 6, 1, 4, 7, 2, 5, 8),  # on the falling diagonal
    (8, 5, 2, 7, 4, 1, 6, 3, 0),  # on the rising diagonal
)


def symmetries(rules: Rules) -> tuple[tuple[int, ...], ...]:
    """Return the symmetries of a game as maps of places, the identity first.

    No turn or mirroring keeps the numbers of maps and hypermaps.

    Examples:
        >>> len(symmetries(Rules()))
        8
    """
    return SQUARE if rules.sending is Sending.TACTICAL else SQUARE[:1]


def transform(cell: Cell, symmetry: tuple[int, ...], rules: Rules) -> Cell:
    """Return where a symmetry takes a cell.

    Examples:
        >>> transform(0, SQUARE[1], Rules())
        20
    """
    place = 1
    moved = 0
    for _ in range(rules.depth):
        cell, digit = divmod(cell, 9)
        moved += place * symmetry[digit]
        place *= 9
    return moved
