"""The fast rules for depth 2: nine local boards of two nine-bit masks each.

The position is `State.words` (codes.py names the places). Every depth-2 option
goes through the same code; rules cost a few predictable branches. All functions
assume legal moves and a running game: the Python side checks.
"""

from __future__ import annotations

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.codes import (
    ALL_NINE,
    ANYWHERE,
    BOTH,
    CLOSED,
    DRAWN,
    FORCED,
    MACRO,
    NO_MOVE,
    O_WON,
    ONGOING,
    WORD_BANNED,
    WORD_DECIDED,
    WORD_FULL,
    WORD_PLY,
    WORD_RESULT,
    WORD_TARGET,
    X_WON,
    Ints,
    RuleCodes,
    Tables,
)
from engine.kernels.dice import Dice, below
from engine.kernels.heap import owns


@kernel
def judge(words: Ints, rules: RuleCodes, tables: Tables, side: int) -> int:
    """Return the result of the game after the boards' owners changed."""
    own, other = words[MACRO + side], words[MACRO + 1 - side]
    if owns(own, other, tables.goal):
        return X_WON + side
    if rules.drawn_board == BOTH and owns(other, own, tables.goal):
        return O_WON - side
    if words[WORD_DECIDED] != ALL_NINE:
        return ONGOING
    if rules.tiebreak:
        own_count = tables.counts[own & ~other]
        other_count = tables.counts[other & ~own]
        if own_count != other_count:
            return X_WON + side if own_count > other_count else O_WON - side
    return DRAWN


@kernel
def push(words: Ints, rules: RuleCodes, tables: Tables, board: int, cell: int) -> None:
    """Play `cell` of `board` in place."""
    side = words[WORD_PLY] & 1
    own = words[9 * side + board] | 1 << cell
    words[9 * side + board] = own
    filled = own | words[9 - 9 * side + board] == ALL_NINE
    slot = 1 << board
    words[WORD_PLY] += 1
    if filled:
        words[WORD_FULL] |= slot
    won = tables.lines[own]
    if (won or filled) and words[WORD_DECIDED] & slot == 0:
        words[WORD_DECIDED] |= slot
        if won:
            words[MACRO + side] |= slot
        elif rules.drawn_board == BOTH:
            words[MACRO] |= slot
            words[MACRO + 1] |= slot
        words[WORD_RESULT] = judge(words, rules, tables, side)
    closing = words[WORD_FULL] if rules.won_board == FORCED else words[WORD_DECIDED]
    words[WORD_TARGET] = ANYWHERE if closing >> cell & 1 else cell
    if rules.no_return:
        words[WORD_BANNED] = slot


@kernel
def allowed_boards(words: Ints, rules: RuleCodes) -> int:
    """Return the mask of the boards that may be played in."""
    target = words[WORD_TARGET]
    if target != ANYWHERE:
        return 1 << target
    return ALL_NINE & ~(words[WORD_DECIDED] if rules.won_board == CLOSED else words[WORD_FULL])


@kernel
def banned_cells(words: Ints, rules: RuleCodes, boards: int) -> int:
    """Return the mask of cells that may not be played in any of `boards` for no_return."""
    if not rules.no_return or words[WORD_BANNED] == 0:
        return 0
    banned = words[WORD_BANNED]
    for board in range(9):
        if boards >> board & 1 and ALL_NINE & ~(words[board] | words[9 + board] | banned):
            return banned
    return 0  # every move would send back: the limit is waived


@kernel
def legal_moves(words: Ints, rules: RuleCodes, out: Ints) -> int:
    """Write the legal moves to `out` in ascending order and return their number."""
    if words[WORD_RESULT] != ONGOING:
        return 0
    boards = allowed_boards(words, rules)
    banned = banned_cells(words, rules, boards)
    banned_first = rules.banned_first if words[WORD_PLY] == 0 else NO_MOVE
    count = 0
    for board in range(9):
        if boards >> board & 1 == 0:
            continue
        free = ALL_NINE & ~(words[board] | words[9 + board] | banned)
        for cell in range(9):
            if free >> cell & 1 and 9 * board + cell != banned_first:
                out[count] = 9 * board + cell
                count += 1
    return count


@kernel
def count_moves(words: Ints, rules: RuleCodes, tables: Tables) -> int:
    """Return the number of legal moves."""
    if words[WORD_RESULT] != ONGOING:
        return 0
    boards = allowed_boards(words, rules)
    banned = banned_cells(words, rules, boards)
    count = 0
    for board in range(9):
        if boards >> board & 1:
            count += tables.counts[ALL_NINE & ~(words[board] | words[9 + board] | banned)]
    if words[WORD_PLY] == 0 and rules.banned_first != NO_MOVE:
        count -= 1
    return count


@kernel
def rollout(words: Ints, rules: RuleCodes, tables: Tables, dice: Dice) -> int:
    """Play random moves, every legal one as likely, to the end; return the result."""
    while words[WORD_RESULT] == ONGOING:
        boards = allowed_boards(words, rules)
        banned = banned_cells(words, rules, boards) if rules.no_return else 0
        target = words[WORD_TARGET]
        if target != ANYWHERE:
            free = ALL_NINE & ~(words[target] | words[9 + target] | banned)
            cell = tables.pick[free, below(dice, tables.counts[free])]
            push(words, rules, tables, target, cell)
            continue
        # Draw a board and one of nine chances; a board with k free cells keeps k of them.
        board_count = tables.counts[boards]
        while True:
            drawn = below(dice, np.int64(9 * board_count))
            board = tables.pick[boards, drawn // 9]
            free = ALL_NINE & ~(words[board] | words[9 + board] | banned)
            if drawn % 9 < tables.counts[free]:
                cell = tables.pick[free, drawn % 9]
                if words[WORD_PLY] > 0 or 9 * board + cell != rules.banned_first:
                    break
        push(words, rules, tables, np.int64(board), np.int64(cell))
    return int(words[WORD_RESULT])
