"""Integers and tuples shared by the kernels and the Python side.

Kernels see no enums and no classes: rules are a tuple of small integers,
positions are arrays. `loading.py` makes them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Rng = NDArray[np.uint64]

# Results of a game, and states of a board.
ONGOING: Final = 0
X_WON: Final = 1
O_WON: Final = 2
DRAWN: Final = 3

# Values of RuleCodes, equal to those of the enums in rules.py.
CLOSED: Final = 0
OPEN: Final = 1
FORCED: Final = 2
FIVE: Final = 1
MOST: Final = 1
BOTH: Final = 1

ALL_NINE: Final = 0b111_111_111

# Rows of `State.nodes`: nine-bit masks of every board's places.
X: Final = 0
O: Final = 1  # noqa: E741  # the mark is called so
DECIDED: Final = 2
FULL: Final = 3

# Places in `State.head`.
PLY: Final = 0
RESULT: Final = 1
TARGET: Final = 2  # the node whose cells may be played in, 0 for anywhere
LAST: Final = 3  # the last move, or NO_MOVE

NO_MOVE: Final = -1

# Bits of an entry of `Tables.masks`, and where its numbers of four bits begin.
PICK: Final = 0  # and the eight after it: the place of the k-th set bit
LINE: Final = 1 << 40  # whether the mask holds three in a row
GOAL: Final = 1 << 41  # whether these boards win the game
COUNT: Final = 58  # how many bits are set; nothing lies above

# Places in `State.words`, the depth-2 position; 0-8 and 9-17 are the marks of X and O.
MACRO: Final = 18  # and 19: the boards owned by X and by O
WORD_DECIDED: Final = 20
WORD_FULL: Final = 21
WORD_TARGET: Final = 22  # the board that must be played in, or ANYWHERE
WORD_PLY: Final = 23
WORD_RESULT: Final = 24
WORD_BANNED: Final = 25  # mask of cells that would send back to the previous board
WORD_COUNT: Final = 26

ANYWHERE: Final = 9


class RuleCodes(NamedTuple):
    """A rule set as kernels see it; `banned_first` is a cell or NO_MOVE."""

    depth: int
    won_board: int
    goal: int
    tiebreak: int
    drawn_board: int
    no_return: int
    banned_first: int


class Tables(NamedTuple):
    """Look-ups, passed as arguments because compiled code freezes globals.

    Attributes:
        masks: int64[512], for every nine-bit mask; the bits are named above. One load
            tells everything: a row of columns would cost one for each.
        sends: For every cell, the local board it names.
    """

    masks: Ints
    sends: NDArray[np.int16]


class State(NamedTuple):
    """A position. Depth 2 lives in `words`, every depth in `nodes` and `head`.

    Attributes:
        words: int64[26], see the places above; read by `bitboard81.py` only.
        nodes: int64[4, boards]: masks of a nine-way heap of boards. Board 0 is
            the whole game, the boards in board b are 9b+1 ... 9b+9.
        head: int64[4], see the places above.
    """

    words: Ints
    nodes: Ints
    head: Ints
