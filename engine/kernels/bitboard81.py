"""The fast rules for depth 2: nine local boards of two nine-bit masks each.

The position is `State.words` (codes.py names the places). Every depth-2 option
goes through the same code; rules cost a few predictable branches. All functions
assume legal moves and a running game: the Python side checks.
"""

from __future__ import annotations

from typing import Final

from engine.kernels._jit import kernel, outlined
from engine.kernels.codes import (
    ALL_NINE,
    ANYWHERE,
    BOTH,
    CLOSED,
    DRAWN,
    FORCED,
    GOAL,
    LINE,
    MACRO,
    NO_MOVE,
    O_WON,
    ONGOING,
    WORD_BANNED,
    WORD_COUNT,
    WORD_DECIDED,
    WORD_FULL,
    WORD_PLY,
    WORD_RESULT,
    WORD_TARGET,
    X_WON,
    Ints,
    Rng,
    RuleCodes,
    Tables,
)
from engine.kernels.generic import count_of, owns, place_of
from engine.kernels.rng import below, scale, shift

_ODD: Final = 0x1E3779B97F4A7C15  # for hashing: odd, with random-looking bits


@kernel
def copy(target: Ints, source: Ints) -> None:
    """Make `target` the same position as `source`."""
    for place in range(WORD_COUNT):
        target[place] = source[place]


@kernel
def hash_of(words: Ints) -> int:
    """Return a hash of a position; nearly all positions have different ones."""
    mixed = 1
    for place in range(WORD_COUNT):
        mixed = (mixed ^ words[place]) * _ODD
        mixed ^= mixed >> 29
    return mixed


@kernel
def judge(words: Ints, rules: RuleCodes, tables: Tables, side: int) -> int:
    """Return the result of the game after the boards' owners changed."""
    own, other = words[MACRO + side], words[MACRO + 1 - side]
    if rules.drawn_board == BOTH:
        if owns(own, other, tables.masks, GOAL):
            return X_WON + side
        if owns(other, own, tables.masks, GOAL):
            return O_WON - side
    elif tables.masks[own & ALL_NINE] & GOAL:
        return X_WON + side
    if words[WORD_DECIDED] != ALL_NINE:
        return ONGOING
    if rules.tiebreak:
        own_count = count_of(tables.masks[own & ~other])
        other_count = count_of(tables.masks[other & ~own])
        if own_count != other_count:
            return X_WON + side if own_count > other_count else O_WON - side
    return DRAWN


@kernel
def close(
    words: Ints, rules: RuleCodes, tables: Tables, board: int, side: int, own: int, filled: bool
) -> None:
    """Note that `side` has made a line in `board`, or that it is full, or both."""
    slot = 1 << board
    if filled:
        words[WORD_FULL] |= slot
    if words[WORD_DECIDED] & slot:
        return
    words[WORD_DECIDED] |= slot
    if tables.masks[own] & LINE:
        words[MACRO + side] |= slot
    elif rules.drawn_board == BOTH:
        words[MACRO] |= slot
        words[MACRO + 1] |= slot
    words[WORD_RESULT] = judge(words, rules, tables, side)


@kernel
def push(words: Ints, rules: RuleCodes, tables: Tables, board: int, cell: int) -> None:
    """Play `cell` of `board` in place."""
    side = words[WORD_PLY] & 1
    own = words[9 * side + board] | 1 << cell
    words[9 * side + board] = own
    filled = own | words[9 - 9 * side + board] == ALL_NINE
    words[WORD_PLY] += 1
    if filled or tables.masks[own] & LINE:
        close(words, rules, tables, board, side, own, filled)
    freeing = words[WORD_FULL] if rules.won_board == FORCED else words[WORD_DECIDED]
    words[WORD_TARGET] = ANYWHERE if freeing >> cell & 1 else cell
    if rules.no_return:
        words[WORD_BANNED] = 1 << board


@kernel
def allowed_boards(words: Ints, rules: RuleCodes) -> int:
    """Return the mask of the boards that may be played in."""
    target = words[WORD_TARGET]
    if target != ANYWHERE:
        return int(1 << target)
    return int(ALL_NINE & ~(words[WORD_DECIDED] if rules.won_board == CLOSED else words[WORD_FULL]))


@kernel
def banned_cells(words: Ints, rules: RuleCodes, boards: int) -> int:
    """Return the mask of cells that `no_return` bans in all of `boards`."""
    if not rules.no_return or words[WORD_BANNED] == 0:
        return 0
    banned = words[WORD_BANNED]
    for board in range(9):
        if boards >> board & 1 and ALL_NINE & ~(words[board] | words[9 + board] | banned):
            return int(banned)
    return 0  # every move would send back: the limit is waived


@kernel
def legal_moves(words: Ints, rules: RuleCodes, out: Ints) -> int:
    """Write the legal moves to `out` in ascending order and return their number.

    Every cell looked at is written and only the legal ones are kept: that is cheaper
    than an unpredictable branch for each.
    """
    if words[WORD_RESULT] != ONGOING:
        return 0
    boards = allowed_boards(words, rules)
    banned = banned_cells(words, rules, boards)
    banned_first = rules.banned_first if words[WORD_PLY] == 0 else NO_MOVE
    target = words[WORD_TARGET]
    low, high = (0, 9) if target == ANYWHERE else (target, target + 1)
    count = 0
    for board in range(low, high):
        if boards >> board & 1 == 0:
            continue
        free = ALL_NINE & ~(words[board] | words[9 + board] | banned)
        if banned_first // 9 == board:
            free &= ~(1 << banned_first % 9)
        for cell in range(9):
            out[count] = 9 * board + cell
            count += free >> cell & 1
    return int(count)


@kernel
def count_moves(words: Ints, rules: RuleCodes, tables: Tables) -> int:
    """Return the number of legal moves."""
    if words[WORD_RESULT] != ONGOING:
        return 0
    allowed = allowed_boards(words, rules)
    banned = banned_cells(words, rules, allowed)
    boards = tables.masks[allowed & ALL_NINE]
    count = 0
    for index in range(count_of(boards)):
        board = place_of(boards, index)
        count += count_of(tables.masks[ALL_NINE & ~(words[board] | words[9 + board] | banned)])
    if words[WORD_PLY] == 0 and rules.banned_first != NO_MOVE:
        count -= 1
    return count


@kernel
def is_usual(rules: RuleCodes) -> bool:
    """Whether rules have no special options, so that `usual` returns the same rules."""
    is_plain = rules.won_board == CLOSED and rules.drawn_board != BOTH
    return is_plain and not rules.no_return and rules.banned_first == NO_MOVE


@kernel
def usual(rules: RuleCodes) -> RuleCodes:
    """Return usual rules with constants, so that the compiler drops the code they never need."""
    return RuleCodes(2, CLOSED, rules.goal, rules.tiebreak, 0, 0, NO_MOVE)


@kernel
def draw_anywhere(words: Ints, rules: RuleCodes, tables: Tables, rng: Rng, banned: int) -> int:
    """Return a random move when any open board may be chosen.

    A board and a number from 0 to 8 are drawn, and drawn again unless the board
    has more free cells than that, so that all cells are equally likely.
    """
    shut = words[WORD_DECIDED] if rules.won_board == CLOSED else words[WORD_FULL]
    boards = tables.masks[ALL_NINE & ~shut]
    chances = 9 * count_of(boards)
    banned_first = rules.banned_first if words[WORD_PLY] == 0 else NO_MOVE
    while True:
        drawn = below(rng, chances)
        board = place_of(boards, drawn // 9)
        free = tables.masks[ALL_NINE & ~(words[board] | words[9 + board] | banned)]
        if drawn % 9 < count_of(free):
            cell = place_of(free, drawn % 9)
            if 9 * board + cell != banned_first:
                return board << 4 | cell


@kernel
def rollout(words: Ints, rules: RuleCodes, tables: Tables, rng: Rng) -> int:
    """Play uniformly random moves to the end; return the result."""
    if is_usual(rules):
        return play_out_usual(words, rules, tables, rng)
    return play_out(words, rules, tables, rng)


@kernel
def play_out(words: Ints, rules: RuleCodes, tables: Tables, rng: Rng) -> int:
    """Play random moves to the end.

    It plays as `push` does, but keeps what changes at every move in registers;
    side and target in `words` are not kept up to date.
    """
    numbers = rng[0]
    mine = 9 * (words[WORD_PLY] & 1)  # where the side's marks begin
    target = words[WORD_TARGET] & 15  # tells the compiler it is not negative, which spares checks
    is_free = target == ANYWHERE
    freeing = words[WORD_FULL] if rules.won_board == FORCED else words[WORD_DECIDED]
    banned = 0
    result = words[WORD_RESULT]
    while result == ONGOING:
        if rules.no_return:
            words[WORD_TARGET] = ANYWHERE if is_free else target
            banned = banned_cells(words, rules, allowed_boards(words, rules))
        if is_free:
            rng[0] = numbers
            move = draw_anywhere(words, rules, tables, rng, banned)
            numbers = rng[0]
            target = move >> 4 & 15
            cell = move & 15
            words[WORD_PLY] = 1  # no longer the very first move
        else:
            free = tables.masks[ALL_NINE & ~(words[target] | words[9 + target] | banned)]
            numbers = shift(numbers)
            cell = place_of(free, scale(numbers, count_of(free)))
        own = (words[mine + target] | 1 << cell) & ALL_NINE
        words[mine + target] = own
        filled = own | words[9 - mine + target] == ALL_NINE
        if filled or tables.masks[own] & LINE:
            close(words, rules, tables, target, mine // 9, own, filled)
            freeing = words[WORD_FULL] if rules.won_board == FORCED else words[WORD_DECIDED]
            result = words[WORD_RESULT]
        if rules.no_return:
            words[WORD_BANNED] = 1 << target
        target = cell
        is_free = freeing >> cell & 1 == 1
        mine = 9 - mine
    rng[0] = numbers
    return int(result)


@outlined
def play_out_usual(words: Ints, rules: RuleCodes, tables: Tables, rng: Rng) -> int:
    """Play random moves to the end by usual rules."""
    return play_out(words, usual(rules), tables, rng)
