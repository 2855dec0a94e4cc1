"""Integers and tuples shared by the kernels and the Python side, and how they are made.

Kernels see no enums and no classes: rules are a tuple of small integers, positions arrays.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.types import LINES

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
            gets everything; separate columns would take one each.
        sends: For every cell, the local board it sends to.
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


class Loaded(NamedTuple):
    """A rule set in the form every kernel takes."""

    codes: RuleCodes
    tables: Tables


def load(codes: RuleCodes, sends: tuple[int, ...]) -> Loaded:
    """Add the look-up tables to rule codes; `sends` is a local board per cell."""
    masks = _mask_table(is_five=codes.goal == FIVE)
    return Loaded(codes, Tables(masks, np.array(sends, dtype=np.int16)))


@cache
def _mask_table(*, is_five: bool) -> Ints:
    masks: Ints = np.zeros(512, dtype=np.int64)
    for mask in range(masks.size):
        places = [place for place in range(9) if mask >> place & 1]
        has_line = any(set(line) <= set(places) for line in LINES)
        has_goal = len(places) >= 5 if is_five else has_line
        masks[mask] = LINE * has_line | GOAL * has_goal | len(places) << COUNT
        for index, place in enumerate(places):
            masks[mask] |= place << PICK + 4 * index
    return masks


def empty_state(depth: int) -> State:
    """Return the empty position of a depth."""
    boards = (0, 1, 10, 91)[depth]
    head: Ints = np.zeros(4, dtype=np.int64)
    head[LAST] = NO_MOVE
    return State(
        words=np.zeros(WORD_COUNT, dtype=np.int64),
        nodes=np.zeros((4, boards), dtype=np.int64),
        head=head,
    )


def state_of(codes: RuleCodes, nodes: Ints, head: Ints) -> State:
    """Return a copy of a position with everything the search kernels need."""
    state = State(np.zeros(WORD_COUNT, dtype=np.int64), nodes.copy(), head.copy())
    if codes.depth == 2:
        _fill_words(state, codes)
    return state


def _fill_words(state: State, codes: RuleCodes) -> None:
    words, nodes, head = state
    words[0:9], words[9:18] = nodes[X, 1:], nodes[O, 1:]
    words[MACRO], words[MACRO + 1] = nodes[X, 0], nodes[O, 0]
    words[WORD_DECIDED], words[WORD_FULL] = nodes[DECIDED, 0], nodes[FULL, 0]
    words[WORD_TARGET] = head[TARGET] - 1 if head[TARGET] else ANYWHERE
    words[WORD_PLY], words[WORD_RESULT] = head[PLY], head[RESULT]
    if codes.no_return and head[LAST] != NO_MOVE:
        words[WORD_BANNED] = 1 << int(head[LAST]) // 9
