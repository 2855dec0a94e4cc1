"""Perft: how many sequences of exactly so many moves there are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import heap, small
from engine.kernels._jit import kernel
from engine.kernels.codes import (
    ALL_NINE,
    COUNT,
    FORCED,
    LINE,
    WORD_COUNT,
    WORD_DECIDED,
    WORD_FULL,
    WORD_PLY,
    Ints,
    RuleCodes,
    Tables,
)


class Stack(NamedTuple):
    """A position and a list of moves for every ply that is being counted.

    Attributes:
        words: int64[plies, 26], for the depth-2 kernel.
        nodes: int64[plies, 4, boards], for the general one.
        heads: int64[plies, 4], for the general one.
        moves: int64[plies, cells]: the legal moves of the position.
        left: How many of them are still to be tried.
    """

    words: Ints
    nodes: NDArray[np.int64]
    heads: Ints
    moves: Ints
    left: Ints


def make_stack(plies: int, depth: int) -> Stack:
    """Return room to count `plies` plies of a game of a depth."""
    boards = (0, 1, 10, 91)[depth]
    return Stack(
        words=np.zeros((plies, WORD_COUNT), dtype=np.int64),
        nodes=np.zeros((plies, 4, boards), dtype=np.int64),
        heads=np.zeros((plies, 4), dtype=np.int64),
        moves=np.zeros((plies, 9**depth), dtype=np.int64),
        left=np.zeros(plies, dtype=np.int64),
    )


@kernel
def copy(target: Ints, source: Ints) -> None:
    """Make `target` the same as `source`."""
    for place in range(WORD_COUNT):
        target[place] = source[place]


@kernel
def count_replies(
    words: Ints, rules: RuleCodes, tables: Tables, board: int, cell: int, spare: Ints
) -> int:
    """Return how many moves there are after `cell` of `board`.

    Most moves decide nothing and bind the opponent: then the empty cells of his
    board are the answer. Any other move is played in `spare`.
    """
    side = words[WORD_PLY] & 1
    own = words[9 * side + board] | 1 << cell
    filled = own | words[9 * (side ^ 1) + board] == ALL_NINE
    freeing = words[WORD_FULL] if rules.won_board == FORCED else words[WORD_DECIDED]
    if not (rules.no_return or filled or tables.masks[own, LINE] or freeing >> cell & 1):
        free = ALL_NINE & ~(words[cell] | words[9 + cell])
        return int(tables.masks[free, COUNT]) - (1 if cell == board else 0)
    copy(spare, words)
    small.push(spare, rules, tables, board, cell)
    return small.count_moves(spare, rules, tables)


@kernel
def count_small(start: Ints, rules: RuleCodes, tables: Tables, stack: Stack) -> int:
    """Count the sequences of as many moves as `stack` has plies, at depth 2.

    The last ply is counted, not played.
    """
    plies = stack.left.size
    copy(stack.words[0], start)
    if plies == 1:
        return small.count_moves(start, rules, tables)
    stack.left[0] = small.legal_moves(start, rules, stack.moves[0])
    level = 0
    total = 0
    while level >= 0:
        if stack.left[level] == 0:
            level -= 1
            continue
        stack.left[level] -= 1
        move = stack.moves[level, stack.left[level]]
        board, cell = move // 9, move % 9
        words, later = stack.words[level], stack.words[level + 1]
        if level + 2 == plies:
            total += count_replies(words, rules, tables, board, cell, later)
            continue
        copy(later, words)
        small.push(later, rules, tables, board, cell)
        level += 1
        stack.left[level] = small.legal_moves(later, rules, stack.moves[level])
    return total


@kernel
def count_heap(rules: RuleCodes, tables: Tables, stack: Stack) -> int:
    """Count the same with the general kernel, from the position in the stack's first row."""
    plies = stack.left.size
    moves = stack.moves
    stack.left[0] = heap.legal_moves(stack.nodes[0], stack.heads[0], rules, tables, moves[0])
    if plies == 1:
        return int(stack.left[0])
    level = 0
    total = 0
    while level >= 0:
        if stack.left[level] == 0:
            level -= 1
            continue
        stack.left[level] -= 1
        move = moves[level, stack.left[level]]
        nodes, head = stack.nodes[level + 1], stack.heads[level + 1]
        for row in range(nodes.shape[0]):
            for board in range(nodes.shape[1]):
                nodes[row, board] = stack.nodes[level, row, board]
        for place in range(head.size):
            head[place] = stack.heads[level, place]
        heap.push(nodes, head, rules, tables, move)
        count = heap.legal_moves(nodes, head, rules, tables, moves[level + 1])
        if level + 2 == plies:
            total += count
        else:
            level += 1
            stack.left[level] = count
    return total
