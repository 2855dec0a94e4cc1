"""The general rules for depth 1 to 3, on a nine-way heap of boards.

All functions assume legal moves and a running game: the Python side checks.
"""

from __future__ import annotations

import numpy as np

from engine.kernels._jit import brief, kernel, outlined
from engine.kernels.codes import (
    ALL_NINE,
    BOTH,
    CLOSED,
    COUNT,
    DECIDED,
    DRAWN,
    FIVE,
    FORCED,
    FULL,
    GOAL,
    LAST,
    LINE,
    MOST,
    NO_MOVE,
    O_WON,
    ONGOING,
    PICK,
    PLY,
    RESULT,
    TARGET,
    X_WON,
    Ints,
    O,
    Rng,
    RuleCodes,
    Tables,
    X,
)
from engine.kernels.rng import below, scale, shift


@kernel
def count_of(entry: int) -> int:
    """Return the number of bits set in a mask, from its table entry."""
    return int(entry >> COUNT)


@kernel
def place_of(entry: int, index: int) -> int:
    """Return the place of set bit number `index`, counted upwards from 0."""
    return int(entry >> (PICK + 4 * index) & 15)


@kernel
def first_leaf(depth: int) -> int:
    """Return the number of the first local board: 0, 1 or 10."""
    if depth == 1:
        return 0
    return 1 if depth == 2 else 10


@kernel
def owns(own: int, other: int, masks: Ints, flag: int) -> bool:
    """Whether `own` has what `flag` asks for, with the help of places that both own.

    Places that both own are drawn boards counting for both. A line of only such
    places counts for neither, so one place of the line must be `own` alone.
    """
    if masks[own] & flag == 0:
        return False
    if own & other == 0:
        return True
    for line in (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124):
        if own & line == line and line & ~other != 0:
            return True
    return False


@kernel
def settle(nodes: Ints, rules: RuleCodes, tables: Tables, board: int, side: int) -> bool:
    """Carry a new mark in `board` upwards; return whether the root changed."""
    changed = True
    while board > 0:
        parent = (board - 1) // 9
        slot = 1 << ((board - 1) % 9)
        is_full = nodes[FULL, board] == ALL_NINE
        if is_full:
            nodes[FULL, parent] |= slot
        if changed and nodes[DECIDED, parent] & slot == 0:
            own, other = nodes[side, board], nodes[1 - side, board]
            if owns(own, other, tables.masks, LINE):  # the mover is checked first
                nodes[side, parent] |= slot
                nodes[DECIDED, parent] |= slot
            elif own & other and owns(other, own, tables.masks, LINE):
                nodes[1 - side, parent] |= slot
                nodes[DECIDED, parent] |= slot
            elif nodes[DECIDED, board] == ALL_NINE:
                nodes[DECIDED, parent] |= slot
                if rules.drawn_board == BOTH:
                    nodes[X, parent] |= slot
                    nodes[O, parent] |= slot
            else:
                changed = False
        else:
            changed = False
        if not (changed or is_full):
            return False
        board = parent
    return changed


@kernel
def judge(nodes: Ints, rules: RuleCodes, tables: Tables, side: int) -> int:
    """Return the result of the game from the root's places."""
    own, other = nodes[side, 0], nodes[1 - side, 0]
    if rules.goal == FIVE:  # counts boards really won
        own, other = own & ~other, other & ~own
    if owns(own, other, tables.masks, GOAL):
        return X_WON + side
    if owns(other, own, tables.masks, GOAL):
        return O_WON - side
    if nodes[DECIDED, 0] != ALL_NINE:
        return ONGOING
    if rules.tiebreak == MOST:
        x_count = count_of(tables.masks[nodes[X, 0] & ~nodes[O, 0]])
        o_count = count_of(tables.masks[nodes[O, 0] & ~nodes[X, 0]])
        if x_count != o_count:
            return X_WON if x_count > o_count else O_WON
    return DRAWN


@kernel
def binds(nodes: Ints, rules: RuleCodes, board: int) -> bool:
    """Whether being sent to `board` means having to play there."""
    row = FULL if rules.won_board == FORCED else DECIDED
    return bool(nodes[row, (board - 1) // 9] >> ((board - 1) % 9) & 1 == 0)


@kernel
def target_of(nodes: Ints, rules: RuleCodes, named: int) -> int:
    """Return the node to play in when sent to local board node `named`."""
    if rules.depth == 1:
        return 0
    free = 0
    if rules.depth == 3:
        strategic = (named - 1) // 9
        if not binds(nodes, rules, strategic):
            return 0
        free = strategic
    return named if binds(nodes, rules, named) else free


@brief
def push(nodes: Ints, head: Ints, rules: RuleCodes, tables: Tables, move: int) -> None:
    """Play `move` in place."""
    leaf = first_leaf(rules.depth)
    side = head[PLY] & 1
    board = leaf + move // 9
    mark = 1 << (move % 9)
    nodes[side, board] |= mark
    nodes[DECIDED, board] |= mark
    nodes[FULL, board] |= mark
    if settle(nodes, rules, tables, board, side):
        head[RESULT] = judge(nodes, rules, tables, side)
    head[PLY] += 1
    head[LAST] = move
    head[TARGET] = target_of(nodes, rules, leaf + tables.sends[move])


@kernel
def is_playable(nodes: Ints, rules: RuleCodes, board: int, target: int) -> bool:
    """Whether local board node `board`, in or under `target`, may be played in."""
    row = DECIDED if rules.won_board == CLOSED else FULL
    while board != target:
        parent = (board - 1) // 9
        if nodes[row, parent] >> ((board - 1) % 9) & 1:
            return False
        board = parent
    return True


@brief
def legal_moves(nodes: Ints, head: Ints, rules: RuleCodes, tables: Tables, out: Ints) -> int:
    """Write the legal moves to `out` in ascending order and return their number."""
    if head[RESULT] != ONGOING:
        return 0
    returning = NO_MOVE
    if rules.no_return and head[LAST] != NO_MOVE:
        returning = head[LAST] // 9
    banned = rules.banned_first if head[PLY] == 0 else NO_MOVE
    count = collect(nodes, head, rules, tables, out, banned, returning)
    if count == 0:  # every move would send back: the limit is waived
        count = collect(nodes, head, rules, tables, out, banned, NO_MOVE)
    return count


@kernel
def collect(
    nodes: Ints,
    head: Ints,
    rules: RuleCodes,
    tables: Tables,
    out: Ints,
    banned: int,
    returning: int,
) -> int:
    """Write the open cells under the target, except `banned` and those that send to `returning`."""
    leaf = first_leaf(rules.depth)
    target = head[TARGET]
    low = high = target
    while low < leaf:  # widen the target to the local boards in it
        low, high = 9 * low + 1, 9 * high + 9
    count = 0
    for board in range(low, high + 1):
        if not is_playable(nodes, rules, board, target):
            continue
        taken = nodes[FULL, board]
        for cell in range(9):
            move = 9 * (board - leaf) + cell
            if taken >> cell & 1 or move == banned:
                continue
            if returning == NO_MOVE or tables.sends[move] != returning:
                out[count] = move
                count += 1
    return count


@kernel
def guess(nodes: Ints, rules: RuleCodes, tables: Tables, rng: Rng, target: int) -> int:
    """Return a cell that may be played under `target`, or NO_MOVE for a bad guess.

    In every board below `target` a number from 0 to 8 is drawn, and the guess fails unless
    the board has more open places than that. So all cells are equally likely.
    """
    leaf = first_leaf(rules.depth)
    row = DECIDED if rules.won_board == CLOSED else FULL
    board = target
    while board < leaf:
        places = ALL_NINE & ~nodes[row, board]
        count = count_of(tables.masks[places])
        drawn = below(rng, count if board == target else 9)
        if drawn >= count:
            return NO_MOVE
        board = 9 * board + 1 + place_of(tables.masks[places], drawn)
    free = ALL_NINE & ~nodes[FULL, board]
    count = count_of(tables.masks[free])
    drawn = below(rng, count if board == target else 9)
    if drawn >= count:
        return NO_MOVE
    return int(9 * (board - leaf) + place_of(tables.masks[free], drawn))


@kernel
def draw(nodes: Ints, head: Ints, rules: RuleCodes, tables: Tables, rng: Rng, moves: Ints) -> int:
    """Return a uniformly random legal move; `moves` is scratch."""
    returning = NO_MOVE
    if rules.no_return and head[LAST] != NO_MOVE:
        returning = head[LAST] // 9
    banned = rules.banned_first if head[PLY] == 0 else NO_MOVE
    # Usually one of the first few guesses is legal. Listing all moves is slow but sure.
    for _ in range(100):
        move = guess(nodes, rules, tables, rng, head[TARGET])
        if move in (NO_MOVE, banned):
            continue
        if returning == NO_MOVE or tables.sends[move] != returning:
            return move
    count = legal_moves(nodes, head, rules, tables, moves)
    return int(moves[below(rng, count)])


@kernel
def rollout(
    nodes: Ints, head: Ints, rules: RuleCodes, tables: Tables, rng: Rng, moves: Ints
) -> int:
    """Play random moves to the end in place; return the result."""
    if rules.depth == 3 and not rules.no_return and rules.banned_first == NO_MOVE:
        return play_out_large(nodes, head, rules, tables, rng)
    while head[RESULT] == ONGOING:
        push(nodes, head, rules, tables, draw(nodes, head, rules, tables, rng, moves))
    return int(head[RESULT])


@kernel
def draw_free(
    nodes: Ints, row: int, tables: Tables, numbers: np.uint64, target: int
) -> tuple[np.uint64, int, int]:
    """Return the next random state, and a board and cell under `target` at depth 3.

    One random number picks an open place of the target and any cell under it, until the
    cell may be played. So all cells are equally likely. `row` is the row of `nodes` that
    says which boards may not be played in.
    """
    shut, full = nodes[row], nodes[FULL]
    places = tables.masks[ALL_NINE & ~shut[target]]
    count = count_of(places)
    while True:
        numbers = shift(numbers)
        if target == 0:
            drawn = scale(numbers, 81 * count)
            parent = 1 + place_of(places, drawn // 81)
            slot = drawn // 9 % 9
        else:
            drawn = scale(numbers, 9 * count)
            parent = target
            slot = place_of(places, drawn // 9)
        board, cell = 9 * parent + 1 + slot, drawn % 9
        if (shut[parent] >> slot | full[board] >> cell) & 1 == 0:
            return numbers, board, cell


@outlined
def play_out_large(nodes: Ints, head: Ints, rules: RuleCodes, tables: Tables, rng: Rng) -> int:
    """Play random moves to the end at depth 3, where any move to the target is legal.

    It plays as `push` does, but keeps what changes at every move in registers; only
    a move that wins or fills a local board goes the long way.
    """
    leaf = first_leaf(3)
    large = RuleCodes(3, rules.won_board, rules.goal, rules.tiebreak, rules.drawn_board, 0, NO_MOVE)
    row = DECIDED if rules.won_board == CLOSED else FULL
    full, decided = nodes[FULL], nodes[DECIDED]
    closing = nodes[FULL if rules.won_board == FORCED else DECIDED]
    side, target = head[PLY] & 1, head[TARGET] & 127
    mine, others = nodes[side], nodes[1 - side]
    numbers, result = rng[0], head[RESULT]
    while result == ONGOING:
        if target < leaf:
            numbers, target, cell = draw_free(nodes, row, tables, numbers, target)
        else:
            free = tables.masks[ALL_NINE & ~full[target]]
            numbers = shift(numbers)
            cell = place_of(free, scale(numbers, count_of(free)))
        own = (mine[target] | 1 << cell) & ALL_NINE
        taken = full[target] | 1 << cell
        mine[target] = own
        full[target] = decided[target] = taken
        if taken == ALL_NINE or tables.masks[own] & LINE:
            changed = settle(nodes, large, tables, target, side)
            result = judge(nodes, large, tables, side) if changed else result
        named = tables.sends[9 * (target - leaf) + cell] & 127
        strategic = named // 9
        target = 0
        if closing[0] >> strategic & 1 == 0:
            is_shut = closing[1 + strategic] >> named % 9 & 1
            target = 1 + strategic if is_shut else leaf + named
        mine, others = others, mine
        side ^= 1
    rng[0] = numbers
    return int(result)
