"""Whether a side can force a win: depth-first proof-number search (df-pn).

Depth 2 only. A position of a running search has two numbers for its side to move: how hard it
looks to reach its goal (`phi`), and how hard to prevent that (`delta`). The attacker's goal is to
win, the other's is anything else; with 0 and SURE the result is certain. The search follows the
easiest move until another looks easier. As kernels inline each other, the recursion is a stack of
frames in arrays: the search can stop after some nodes and continue later.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.kernels import bitboard81, valuing
from engine.kernels._jit import brief, kernel
from engine.kernels.codes import (
    ALL_NINE,
    BOTH,
    CLOSED,
    GOAL,
    LINE,
    MACRO,
    ONGOING,
    WORD_BANNED,
    WORD_COUNT,
    WORD_DECIDED,
    WORD_PLY,
    WORD_TARGET,
    X_WON,
    Ints,
    RuleCodes,
    Tables,
)
from engine.kernels.generic import count_of
from engine.kernels.valuing import EVEN, STEPS_PER_UNIT, Evaluator, Room

SURE: Final = 1 << 40
SLACK: Final = 2  # another move must look easier by 1/SLACK of its number to be followed
PROBES: Final = 4  # slots of the table that may hold a position
UNITS: Final = 5  # of log-odds; beyond them a position does not look harder

LONGEST: Final = 83

LOSS, DRAW, WIN = range(3)  # the best that a side may still get

# Columns of `Solver.frames`.
COUNT, PHI_LIMIT, DELTA_LIMIT, CHOSEN, KEY, BEGUN = range(6)

# Places in `Solver.head`.
DEPTH, NODES, ATTACKER = range(3)

# Columns of `Solver.table`.
TABLE_KEY, TABLE_PHI, TABLE_DELTA, TABLE_WORK = range(4)

_ODD: Final = 0x1E3779B97F4A7C15


class Solver(NamedTuple):
    """A running search and what it remembers.

    Attributes:
        positions: int64[83, 26]: the position of every frame.
        frames: int64[83, 6], see the columns above.
        moves: int64[83, 81]: a frame's moves.
        phis: int64[83, 81]: phi after each move, for the side to move then.
        deltas: int64[83, 81]: the same for delta.
        table: int64[power of two, 4]: the transposition table, see the columns above.
        head: int64[3], see the places above.
        room: For valuing moves.
    """

    positions: Ints
    frames: Ints
    moves: Ints
    phis: Ints
    deltas: Ints
    table: Ints
    head: Ints
    room: Room


def make_table(size: int) -> Ints:
    """Return an empty table of `size` entries, a power of two, of 32 bytes each."""
    return np.zeros((size, 4), dtype=np.int64)


def make_solver(table: Ints) -> Solver:
    """Return a search that stores results in `table`, which several searches may share."""
    return Solver(
        positions=np.zeros((LONGEST, WORD_COUNT), dtype=np.int64),
        frames=np.zeros((LONGEST, 6), dtype=np.int64),
        moves=np.zeros((LONGEST, 81), dtype=np.int64),
        phis=np.zeros((LONGEST, 81), dtype=np.int64),
        deltas=np.zeros((LONGEST, 81), dtype=np.int64),
        table=table,
        head=np.zeros(3, dtype=np.int64),
        room=valuing.make_room(2),
    )


@kernel
def most_for(words: Ints, rules: RuleCodes, tables: Tables, side: int) -> int:
    """Return an upper bound for the result of `side`: LOSS, DRAW or WIN.

    A board counts as within reach unless the other side has a mark on every line of it.
    """
    own, other = words[MACRO + side], words[MACRO + 1 - side]
    reach = ALL_NINE & ~words[WORD_DECIDED]
    if rules.drawn_board != BOTH:
        for board in range(9):
            if tables.masks[ALL_NINE & ~words[9 - 9 * side + board]] & LINE == 0:
                reach &= ~(1 << board)
    if tables.masks[own | reach] & GOAL:
        return WIN
    if not rules.tiebreak:
        return DRAW
    ahead = count_of(tables.masks[own & ~other | reach]) - count_of(tables.masks[other & ~own])
    if ahead == 0:
        return DRAW
    return WIN if ahead > 0 else LOSS


@kernel
def key_of(words: Ints, rules: RuleCodes, tables: Tables, attacker: int) -> int:
    """Return a key for what matters in a position, never 0.

    In a board that nobody can win any more it only matters which cells are empty, and in a
    decided board that is closed not even that.
    """
    mixed = words[MACRO] | words[MACRO + 1] << 9 | words[WORD_TARGET] << 18
    mixed |= words[WORD_DECIDED] << 22 | words[WORD_BANNED] << 31
    mixed |= (words[WORD_PLY] & 1) << 40 | attacker << 41
    mixed *= _ODD  # else the first board's marks, in the same bits, would cancel the owners
    mixed ^= mixed >> 29
    for board in range(9):
        first, second = words[board], words[9 + board]
        is_decided = words[WORD_DECIDED] >> board & 1
        if is_decided and rules.won_board == CLOSED:
            first = second = 0
        elif is_decided or (
            (tables.masks[ALL_NINE & ~first] | tables.masks[ALL_NINE & ~second]) & LINE == 0
        ):
            first = second = first | second  # no cell of a contested board has both marks
        mixed = (mixed ^ (first | second << 9)) * _ODD
        mixed ^= mixed >> 29
    return int(mixed | 1)


@kernel
def open_frame(
    solver: Solver, depth: int, rules: RuleCodes, tables: Tables, evaluator: Evaluator
) -> None:
    """Fill in the moves of position `depth` and what is known after each."""
    words, later = solver.positions[depth], solver.positions[depth + 1]
    attacker, side = solver.head[ATTACKER], words[WORD_PLY] & 1
    count = valuing.value_moves(words, rules, tables, evaluator, solver.room)
    solver.frames[depth, COUNT] = count
    solver.frames[depth, BEGUN] = solver.head[NODES]
    solver.head[NODES] += 1
    for place in range(count):
        move, result = solver.room.moves[place], solver.room.results[place]
        solver.moves[depth, place] = move
        wins, fails = result == X_WON + attacker, result != ONGOING
        if not fails:
            bitboard81.copy(later, words)
            bitboard81.push(later, rules, tables, move // 9, move % 9)
            fails = most_for(later, rules, tables, attacker) < WIN
            wins = not fails and most_for(later, rules, tables, 1 - attacker) == LOSS
        if wins or fails:
            good = wins == (side == attacker)  # for the side to move here
            solver.phis[depth, place] = SURE if good else 0
            solver.deltas[depth, place] = 0 if good else SURE
            continue
        units = (solver.room.logits[place] - EVEN) // STEPS_PER_UNIT
        solver.phis[depth, place] = 1 << max(0, min(units, UNITS))
        solver.deltas[depth, place] = 1 << max(0, min(-units, UNITS))
        key = key_of(later, rules, tables, attacker)
        for probe in range(PROBES):
            entry = solver.table[(key >> 1 ^ probe) & solver.table.shape[0] - 1]
            if entry[TABLE_KEY] == key:
                solver.phis[depth, place] = entry[TABLE_PHI]
                solver.deltas[depth, place] = entry[TABLE_DELTA]
                break


@kernel
def begin(
    solver: Solver,
    start: Ints,
    attacker: int,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
) -> None:
    """Start to search for a forced win of `attacker` from `start`, a position of a running game."""
    bitboard81.copy(solver.positions[0], start)
    solver.head[DEPTH], solver.head[NODES], solver.head[ATTACKER] = 0, 0, attacker
    frame = solver.frames[0]
    frame[PHI_LIMIT], frame[DELTA_LIMIT] = SURE, SURE
    frame[KEY] = key_of(start, rules, tables, attacker)
    open_frame(solver, 0, rules, tables, evaluator)


@kernel
def remember(solver: Solver, depth: int, phi: int, delta: int) -> None:
    """Store what a frame found, in place of the entry that took the least work."""
    frame = solver.frames[depth]
    work = solver.head[NODES] - frame[BEGUN]
    least = solver.table[frame[KEY] >> 1 & solver.table.shape[0] - 1]
    for probe in range(PROBES):
        entry = solver.table[(frame[KEY] >> 1 ^ probe) & solver.table.shape[0] - 1]
        if entry[TABLE_KEY] == frame[KEY]:
            least = entry
            work += entry[TABLE_WORK]
            break
        if entry[TABLE_WORK] < least[TABLE_WORK]:
            least = entry
    least[TABLE_KEY], least[TABLE_WORK] = frame[KEY], work
    least[TABLE_PHI], least[TABLE_DELTA] = phi, delta


@kernel
def think(
    solver: Solver, rules: RuleCodes, tables: Tables, evaluator: Evaluator, node_count: int
) -> bool:
    """Continue the search for about `node_count` nodes; return True once the root is proven.

    Then `phis` and `deltas` of frame 0 show what is certain after each move.
    """
    last = solver.head[NODES] + node_count
    while solver.head[NODES] < last:
        depth = solver.head[DEPTH]
        frame = solver.frames[depth]
        phis, deltas = solver.phis[depth], solver.deltas[depth]
        phi, second, best = SURE + 1, SURE, 0
        delta, hardest = 0, 0
        for place in range(frame[COUNT]):
            if deltas[place] < phi:
                second, phi, best = phi, deltas[place], place
            elif deltas[place] < second:
                second = deltas[place]
            delta += phis[place]
            hardest = max(hardest, phis[place])
        delta = SURE if hardest == SURE else min(delta, SURE - 1)
        if phi >= frame[PHI_LIMIT] or delta >= frame[DELTA_LIMIT]:
            if depth == 0:
                return True
            remember(solver, depth, phi, delta)
            solver.head[DEPTH] = depth - 1
            chosen = solver.frames[depth - 1, CHOSEN]
            solver.phis[depth - 1, chosen], solver.deltas[depth - 1, chosen] = phi, delta
            continue
        frame[CHOSEN] = best
        words, later = solver.positions[depth], solver.positions[depth + 1]
        bitboard81.copy(later, words)
        move = solver.moves[depth, best]
        bitboard81.push(later, rules, tables, move // 9, move % 9)
        following = solver.frames[depth + 1]
        following[PHI_LIMIT] = min(frame[DELTA_LIMIT] - delta + phis[best], SURE)
        following[DELTA_LIMIT] = min(frame[PHI_LIMIT], second + second // SLACK + 1)
        following[KEY] = key_of(later, rules, tables, solver.head[ATTACKER])
        solver.head[DEPTH] = depth + 1
        open_frame(solver, depth + 1, rules, tables, evaluator)
    return False


@brief
def cells_left(words: Ints, tables: Tables) -> int:
    """Return the number of empty cells in undecided boards."""
    count = 0
    for board in range(9):
        if words[WORD_DECIDED] >> board & 1 == 0:
            count += count_of(tables.masks[ALL_NINE & ~(words[board] | words[9 + board])])
    return count
