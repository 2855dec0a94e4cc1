"""The symmetries of a game: the eight of the square, on boards and cells alike."""

from __future__ import annotations

from typing import Final

from engine.rules import Rules, Sending
from engine.types import Cell

# For each symmetry where the places 0-8 of a board go.
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

    Maps and hypermaps number the boards in a way that no turn keeps.

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
