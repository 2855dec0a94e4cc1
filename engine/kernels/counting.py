"""Perft: how many sequences of exactly so many moves there are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import heap, small
from engine.kernels._jit import kernel
from engine.kernels.codes import WORD_COUNT, Ints, RuleCodes, Tables


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
def count_small(start: Ints, rules: RuleCodes, tables: Tables, stack: Stack) -> int:
    """Count the sequences of as many moves as `stack` has plies, at depth 2.

    The last ply is counted, not played.
    """
    plies = stack.left.size
    for place in range(WORD_COUNT):
        stack.words[0, place] = start[place]
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
        words = stack.words[level + 1]
        for place in range(WORD_COUNT):
            words[place] = stack.words[level, place]
        small.push(words, rules, tables, move // 9, move % 9)
        if level + 2 == plies:
            total += small.count_moves(words, rules, tables)
        else:
            level += 1
            stack.left[level] = small.legal_moves(words, rules, stack.moves[level])
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
