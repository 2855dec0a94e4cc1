"""Alpha-beta search with the hand-made formula, as a baseline for the tree search to beat.

Depth 2 only. As kernels inline each other, the recursion is a stack of frames in arrays:
the search can stop after some nodes and continue later. Scores are for the side to move:
logits of the evaluator, centred on 0; a win is WIN minus the ply at which it comes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import bitboard81, valuing
from engine.kernels._jit import kernel
from engine.kernels.codes import (
    DRAWN,
    ONGOING,
    WORD_COUNT,
    WORD_PLY,
    X_WON,
    Ints,
    RuleCodes,
    Tables,
)
from engine.kernels.valuing import EVEN, Evaluator, Room

WIN: Final = 100_000
INFINITE: Final = 1_000_000
UNKNOWN: Final = 2_000_000  # a frame was opened: its score is not known yet
SURE: Final = WIN - 100  # scores from here on are wins

LONGEST: Final = 82

# Columns of `Search.frames`.
REMAINING, ALPHA, BETA, FLOOR, BEST, BEST_MOVE, COUNT, NEXT, KEY = range(9)

# Places in `Search.head`.
DEPTH, NODES = range(2)

# Columns of `Search.table`, and kinds of its scores.
TABLE_KEY, TABLE_SCORE, TABLE_REMAINING, TABLE_KIND, TABLE_MOVE = range(5)
EXACT, AT_LEAST, AT_MOST = range(3)


class Search(NamedTuple):
    """A running search and what it remembers.

    Attributes:
        positions: int64[82, 26]: the position of every frame.
        frames: int64[82, 9], see the columns above.
        moves: int64[82, 81]: a frame's moves.
        orders: int64[82, 81]: how promising they are; the logit after each.
        results: int64[82, 81]: the game's result after each.
        table: int64[power of two, 5]: the transposition table, see the columns above.
        head: int64[2], see the places above.
        room: For valuing moves.
    """

    positions: Ints
    frames: Ints
    moves: Ints
    orders: Ints
    results: Ints
    table: NDArray[np.int64]
    head: Ints
    room: Room


def make_search(table_size: int) -> Search:
    """Return a search with an empty table; `table_size` is a power of two."""
    return Search(
        positions=np.zeros((LONGEST, WORD_COUNT), dtype=np.int64),
        frames=np.zeros((LONGEST, 9), dtype=np.int64),
        moves=np.zeros((LONGEST, 81), dtype=np.int64),
        orders=np.zeros((LONGEST, 81), dtype=np.int64),
        results=np.zeros((LONGEST, 81), dtype=np.int64),
        table=np.zeros((table_size, 5), dtype=np.int64),
        head=np.zeros(2, dtype=np.int64),
        room=valuing.make_room(2),
    )


@kernel
def score_of(result: int, side: int, ply: int) -> int:
    """Return the score for `side` of a game that ended at a ply."""
    if result == DRAWN:
        return 0
    return WIN - ply if result == X_WON + side else ply - WIN


@kernel
def enter(
    search: Search,
    depth: int,
    remaining: int,
    alpha: int,
    beta: int,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
) -> int:
    """Return the score of position `depth` where it is known at once, else open a frame."""
    words = search.positions[depth]
    search.head[NODES] += 1
    key = bitboard81.hash_of(words) | 1  # 0 is an entry not used yet
    entry = search.table[key >> 1 & search.table.shape[0] - 1]
    known = -1
    if entry[TABLE_KEY] == key and remaining > 1:
        known = entry[TABLE_MOVE]
        score = entry[TABLE_SCORE]
        if depth > 0 and entry[TABLE_REMAINING] == remaining:
            kind = entry[TABLE_KIND]
            if kind == EXACT or (kind == AT_LEAST and score >= beta):
                return int(score)
            if kind == AT_MOST and score <= alpha:
                return int(score)
    side, ply = words[WORD_PLY] & 1, words[WORD_PLY] + 1
    count = valuing.value_moves(words, rules, tables, evaluator, search.room)
    best = -INFINITE
    for place in range(count):
        move, result = search.room.moves[place], search.room.results[place]
        order = search.room.logits[place] - EVEN
        if result != ONGOING:
            order = score_of(result, side, ply)
        best = max(best, order)
        search.moves[depth, place] = move
        search.results[depth, place] = result
        search.orders[depth, place] = INFINITE if move == known else order
    if depth > 0 and (remaining <= 1 or best > SURE):
        return int(best)
    frame = search.frames[depth]
    frame[REMAINING], frame[ALPHA], frame[BETA] = remaining, alpha, beta
    frame[FLOOR], frame[BEST], frame[BEST_MOVE] = alpha, -INFINITE, -1
    frame[COUNT], frame[NEXT], frame[KEY] = count, 0, key
    search.head[DEPTH] = depth
    return UNKNOWN


@kernel
def pick(search: Search, depth: int, place: int) -> None:
    """Swap the most promising of the moves from `place` on into `place`."""
    best = place
    for other in range(place + 1, search.frames[depth, COUNT]):
        if search.orders[depth, other] > search.orders[depth, best]:
            best = other
    for rows in (search.moves, search.orders, search.results):
        kept = rows[depth, place]
        rows[depth, place] = rows[depth, best]
        rows[depth, best] = kept


@kernel
def settle(search: Search, depth: int, score: int) -> None:
    """Update a frame with the score of the move that it tried last."""
    frame = search.frames[depth]
    if score > frame[BEST]:
        frame[BEST] = score
        frame[BEST_MOVE] = search.moves[depth, frame[NEXT] - 1]
        frame[ALPHA] = max(frame[ALPHA], score)


@kernel
def leave(search: Search, depth: int) -> int:
    """Store the score of a finished frame in the table, and return it."""
    frame = search.frames[depth]
    entry = search.table[frame[KEY] >> 1 & search.table.shape[0] - 1]
    kind = EXACT
    if frame[BEST] >= frame[BETA]:
        kind = AT_LEAST
    elif frame[BEST] <= frame[FLOOR]:
        kind = AT_MOST
    entry[TABLE_KEY] = frame[KEY]
    entry[TABLE_SCORE] = frame[BEST]
    entry[TABLE_REMAINING] = frame[REMAINING]
    entry[TABLE_KIND] = kind
    entry[TABLE_MOVE] = frame[BEST_MOVE]
    return int(frame[BEST])


@kernel
def think(
    search: Search, rules: RuleCodes, tables: Tables, evaluator: Evaluator, node_count: int
) -> bool:
    """Continue the search for about `node_count` nodes; return True once the root is settled."""
    last = search.head[NODES] + node_count
    while search.head[NODES] < last:
        depth = search.head[DEPTH]
        frame = search.frames[depth]
        if frame[NEXT] == frame[COUNT] or frame[ALPHA] >= frame[BETA]:
            score = leave(search, depth)
            if depth == 0:
                return True
            search.head[DEPTH] = depth - 1
            settle(search, depth - 1, -score)
            continue
        place = frame[NEXT]
        pick(search, depth, place)
        frame[NEXT] = place + 1
        side, ply = search.positions[depth, WORD_PLY] & 1, search.positions[depth, WORD_PLY] + 1
        result = search.results[depth, place]
        if result != ONGOING:
            settle(search, depth, score_of(result, side, ply))
            continue
        remaining = frame[REMAINING] - 1
        if remaining == 0:  # only at the root: a search of one ply
            settle(search, depth, search.orders[depth, place])
            continue
        later = search.positions[depth + 1]
        bitboard81.copy(later, search.positions[depth])
        move = search.moves[depth, place]
        bitboard81.push(later, rules, tables, move // 9, move % 9)
        alpha, beta = -frame[BETA], -frame[ALPHA]
        score = enter(search, depth + 1, remaining, alpha, beta, rules, tables, evaluator)
        if score != UNKNOWN:
            settle(search, depth, -score)
    return False
