"""Perft: how many sequences of exactly so many moves there are."""

from __future__ import annotations

import numpy as np

from engine.kernels import heap, small
from engine.kernels._jit import kernel
from engine.kernels.codes import WORD_COUNT, Ints, RuleCodes, State, Tables

MAX_CELLS = 729


@kernel
def count_small(words: Ints, rules: RuleCodes, tables: Tables, depth: int) -> int:
    """Count sequences of `depth >= 1` moves with the depth-2 kernel.

    The last ply is counted, not played. One row of `stack` is one position.
    """
    stack = np.empty((depth, WORD_COUNT), dtype=np.int64)
    moves = np.empty((depth, 81), dtype=np.int64)
    left = np.zeros(depth, dtype=np.int64)
    stack[0] = words
    if depth == 1:
        return small.count_moves(words, rules, tables)
    left[0] = small.legal_moves(stack[0], rules, moves[0])
    level = 0
    total = 0
    while level >= 0:
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        move = moves[level, left[level]]
        below = stack[level + 1]
        below[:] = stack[level]
        small.push(below, rules, tables, move // 9, move % 9)
        if level + 2 == depth:
            total += small.count_moves(below, rules, tables)
        else:
            level += 1
            left[level] = small.legal_moves(below, rules, moves[level])
    return total


@kernel
def count_heap(state: State, rules: RuleCodes, tables: Tables, depth: int) -> int:
    """Count sequences of `depth >= 1` moves with the general kernel."""
    boards = state.nodes.shape[1]
    nodes = np.empty((depth, 4, boards), dtype=np.int64)
    heads = np.empty((depth, 4), dtype=np.int64)
    moves = np.empty((depth, MAX_CELLS), dtype=np.int64)
    left = np.zeros(depth, dtype=np.int64)
    nodes[0] = state.nodes
    heads[0] = state.head
    left[0] = heap.legal_moves(nodes[0], heads[0], rules, tables, moves[0])
    if depth == 1:
        return left[0]
    level = 0
    total = 0
    while level >= 0:
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        move = moves[level, left[level]]
        nodes[level + 1] = nodes[level]
        heads[level + 1] = heads[level]
        heap.push(nodes[level + 1], heads[level + 1], rules, tables, move)
        count = heap.legal_moves(
            nodes[level + 1], heads[level + 1], rules, tables, moves[level + 1]
        )
        if level + 2 == depth:
            total += count
        else:
            level += 1
            left[level] = count
    return total
