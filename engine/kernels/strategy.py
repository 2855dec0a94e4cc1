"""The known forced win of Won-Board Play: the strategy, and whether it wins from here.

X holds the centre board, answers every mark of O there with the centre of the board
it sends to, and afterwards plays only two opposite cells, f and g, of every board: f is
the last cell O marked in the centre board (arXiv 2006.02353). The rule is symmetric, so
turned and mirrored games need no code of their own.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import bitboard81
from engine.kernels._jit import kernel
from engine.kernels.codes import (
    ALL_NINE,
    ANYWHERE,
    NO_MOVE,
    ONGOING,
    WORD_COUNT,
    WORD_PLY,
    WORD_RESULT,
    WORD_TARGET,
    X_WON,
    Ints,
    RuleCodes,
    Tables,
)

CENTRE: Final = 4

# Places in `Lines.head`.
POSITIONS: Final = 0  # positions with X to move, each counted once
REPLIES: Final = 1  # moves of O that were answered
LAST_PLY: Final = 2  # the ply at which the longest line ends

MAX_PLIES: Final = 82


class Lines(NamedTuple):
    """Every position that the strategy can lead to, each once.

    Attributes:
        positions: int64[capacity, 26]: words as in `State`, in the order they were met.
        slots: int32[power of two]: a hash table of places in `positions`, -1 if free.
        endings: int64[82], by ply: how many positions are won by a move that ends there.
        head: See the places above.
        moves: Room for X's and O's moves.
        work: Room for two positions.
    """

    positions: NDArray[np.int64]
    slots: NDArray[np.int32]
    endings: Ints
    head: Ints
    moves: Ints
    work: NDArray[np.int64]


def make_lines(capacity: int) -> Lines:
    """Return room for `capacity` positions, a power of two."""
    return Lines(
        positions=np.empty((capacity, WORD_COUNT), dtype=np.int64),
        slots=np.full(2 * capacity, -1, dtype=np.int32),
        endings=np.zeros(MAX_PLIES, dtype=np.int64),
        head=np.zeros(3, dtype=np.int64),
        moves=np.empty(81, dtype=np.int64),
        work=np.empty((2, WORD_COUNT), dtype=np.int64),
    )


@kernel
def answer(words: Ints) -> int:
    """Return X's move by the strategy, NO_MOVE where it has none."""
    target = words[WORD_TARGET]
    if words[WORD_PLY] == 0:
        return 9 * CENTRE + CENTRE
    if words[CENTRE] | words[9 + CENTRE] != ALL_NINE:
        return int(NO_MOVE if target in (ANYWHERE, CENTRE) else 9 * target + CENTRE)
    named = -1  # O's last mark in the centre board is the one that X has not answered
    for board in range(9):
        if board != CENTRE and words[board] >> CENTRE & 1 == 0:
            if named >= 0:
                return NO_MOVE
            named = board
    if named < 0:
        return NO_MOVE
    board = 8 - named if target == ANYWHERE else int(target)
    taken = words[board] | words[9 + board]
    return 9 * board + named if taken >> named & 1 == 0 else 9 * board + 8 - named


@kernel
def note(lines: Lines, words: Ints) -> bool:
    """Add a position unless it was met before; False when there is no room."""
    mask = lines.slots.size - 1
    slot = bitboard81.hash_of(words) & mask
    while lines.slots[slot] >= 0:
        known = lines.positions[lines.slots[slot]]
        same = True
        for place in range(WORD_COUNT):
            same = same and known[place] == words[place]
        if same:
            return True
        slot = slot + 1 & mask
    count = lines.head[POSITIONS]
    if count == lines.positions.shape[0]:
        return False
    bitboard81.copy(lines.positions[count], words)
    lines.slots[slot] = count
    lines.head[POSITIONS] = count + 1
    return True


@kernel
def follow(lines: Lines, words: Ints, rules: RuleCodes, tables: Tables) -> bool:
    """Whether the strategy wins for X, who is to move; fill `lines`, which must be empty."""
    later, reply = lines.work[0], lines.work[1]
    note(lines, words)
    done = 0
    while done < lines.head[POSITIONS]:
        bitboard81.copy(later, lines.positions[done])
        done += 1
        move = answer(later)
        is_legal = False
        for place in range(bitboard81.legal_moves(later, rules, lines.moves)):
            is_legal = is_legal or lines.moves[place] == move
        if not is_legal:
            return False
        bitboard81.push(later, rules, tables, move // 9, move % 9)
        if later[WORD_RESULT] == X_WON:
            ply = later[WORD_PLY]
            lines.endings[ply] += 1
            lines.head[LAST_PLY] = max(lines.head[LAST_PLY], ply)
            continue
        if later[WORD_RESULT] != ONGOING:
            return False
        count = bitboard81.legal_moves(later, rules, lines.moves)
        lines.head[REPLIES] += count
        for chosen in range(count):
            bitboard81.copy(reply, later)
            bitboard81.push(reply, rules, tables, lines.moves[chosen] // 9, lines.moves[chosen] % 9)
            if reply[WORD_RESULT] != ONGOING or not note(lines, reply):
                return False
    return True
