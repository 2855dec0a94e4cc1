"""Perft: count the sequences of a given number of moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import bitboard81, generic
from engine.kernels._jit import kernel, outlined
from engine.kernels.codes import (
    ALL_NINE,
    FORCED,
    LINE,
    MACRO,
    NO_MOVE,
    ONGOING,
    WORD_BANNED,
    WORD_COUNT,
    WORD_DECIDED,
    WORD_FULL,
    WORD_PLY,
    WORD_RESULT,
    WORD_TARGET,
    Ints,
    RuleCodes,
    Tables,
)
from engine.kernels.generic import count_of, place_of


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
    """Return a stack to count `plies` plies of a game of a depth."""
    boards = (0, 1, 10, 91)[depth]
    return Stack(
        words=np.zeros((plies, WORD_COUNT), dtype=np.int64),
        nodes=np.zeros((plies, 4, boards), dtype=np.int64),
        heads=np.zeros((plies, 4), dtype=np.int64),
        moves=np.zeros((plies, 9**depth), dtype=np.int64),
        left=np.zeros(plies, dtype=np.int64),
    )


@kernel
def count_after(words: Ints, rules: RuleCodes, tables: Tables, board: int, cell: int) -> int:
    """Return the number of moves after `cell` of `board`, which is played and taken back."""
    mine = 9 * (words[WORD_PLY] & 1) + board
    own, x_boards, o_boards = words[mine], words[MACRO], words[MACRO + 1]
    decided, full, target = words[WORD_DECIDED], words[WORD_FULL], words[WORD_TARGET]
    result, banned = words[WORD_RESULT], words[WORD_BANNED]
    bitboard81.push(words, rules, tables, board, cell)
    count = bitboard81.count_moves(words, rules, tables)
    words[mine], words[MACRO], words[MACRO + 1] = own, x_boards, o_boards
    words[WORD_DECIDED], words[WORD_FULL], words[WORD_TARGET] = decided, full, target
    words[WORD_RESULT], words[WORD_BANNED] = result, banned
    words[WORD_PLY] -= 1
    return count


@kernel
def count_pairs(words: Ints, rules: RuleCodes, tables: Tables) -> int:
    """Count the sequences of two moves.

    Most moves decide no board and send the opponent to one: then its empty
    cells are the count. Any other move is played and taken back.
    """
    if words[WORD_RESULT] != ONGOING:
        return 0
    allowed = bitboard81.allowed_boards(words, rules)
    banned = bitboard81.banned_cells(words, rules, allowed)
    banned_first = rules.banned_first if words[WORD_PLY] == 0 else NO_MOVE
    freeing = words[WORD_FULL] if rules.won_board == FORCED else words[WORD_DECIDED]
    side = words[WORD_PLY] & 1
    boards = tables.masks[allowed & ALL_NINE]
    total = 0
    for place in range(count_of(boards)):
        board = place_of(boards, place)
        own, other = words[9 * side + board], words[9 - 9 * side + board]
        free = ALL_NINE & ~(own | other | banned)
        if banned_first // 9 == board:
            free &= ~(1 << banned_first % 9)
        cells = tables.masks[free]
        for index in range(count_of(cells)):
            cell = place_of(cells, index)
            marked = (own | 1 << cell) & ALL_NINE
            is_quiet = marked | other != ALL_NINE and tables.masks[marked] & LINE == 0
            if is_quiet and freeing >> cell & 1 == 0 and not rules.no_return:
                total += count_of(tables.masks[ALL_NINE & ~(words[cell] | words[9 + cell])])
                total -= cell == board
            else:
                total += count_after(words, rules, tables, board, cell)
    return total


@kernel
def count_bitboard81(start: Ints, rules: RuleCodes, tables: Tables, stack: Stack) -> int:
    """Count the sequences of as many moves as `stack` has plies, at depth 2.

    The last ply is counted, not played, and the one before is played only where
    `count_pairs` has to.
    """
    if bitboard81.is_usual(rules):
        return count_usual(start, rules, tables, stack)
    return count_special(start, rules, tables, stack)


@outlined
def count_usual(start: Ints, rules: RuleCodes, tables: Tables, stack: Stack) -> int:
    """Count by usual rules."""
    return count_words(start, bitboard81.usual(rules), tables, stack)


@outlined
def count_special(start: Ints, rules: RuleCodes, tables: Tables, stack: Stack) -> int:
    """Count by any rules."""
    return count_words(start, rules, tables, stack)


@kernel
def count_words(start: Ints, rules: RuleCodes, tables: Tables, stack: Stack) -> int:
    """Count with a stack of positions and of their moves."""
    plies = stack.left.size
    if plies == 1:
        return bitboard81.count_moves(start, rules, tables)
    bitboard81.copy(stack.words[0], start)
    if plies == 2:
        return count_pairs(stack.words[0], rules, tables)
    stack.left[0] = bitboard81.legal_moves(start, rules, stack.moves[0])
    depth = 0
    total = 0
    while depth >= 0:
        if stack.left[depth] == 0:
            depth -= 1
            continue
        stack.left[depth] -= 1
        move = stack.moves[depth, stack.left[depth]] & 127  # never negative: spares checks
        later = stack.words[depth + 1]
        bitboard81.copy(later, stack.words[depth])
        bitboard81.push(later, rules, tables, move // 9, move % 9)
        if depth + 3 == plies:
            total += count_pairs(later, rules, tables)
            continue
        depth += 1
        stack.left[depth] = bitboard81.legal_moves(later, rules, stack.moves[depth])
    return total


@kernel
def count_generic(rules: RuleCodes, tables: Tables, stack: Stack) -> int:
    """Count the same with the general kernel, from the position in the stack's first row."""
    plies = stack.left.size
    moves = stack.moves
    stack.left[0] = generic.legal_moves(stack.nodes[0], stack.heads[0], rules, tables, moves[0])
    if plies == 1:
        return int(stack.left[0])
    depth = 0
    total = 0
    while depth >= 0:
        if stack.left[depth] == 0:
            depth -= 1
            continue
        stack.left[depth] -= 1
        move = moves[depth, stack.left[depth]]
        nodes, head = stack.nodes[depth + 1], stack.heads[depth + 1]
        for row in range(nodes.shape[0]):
            for board in range(nodes.shape[1]):
                nodes[row, board] = stack.nodes[depth, row, board]
        for place in range(head.size):
            head[place] = stack.heads[depth, place]
        generic.push(nodes, head, rules, tables, move)
        count = generic.legal_moves(nodes, head, rules, tables, moves[depth + 1])
        if depth + 2 == plies:
            total += count
        else:
            depth += 1
            stack.left[depth] = count
    return total
