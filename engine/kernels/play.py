"""One interface to the two kernels: `bitboard81` for depth 2, `generic` for the others."""

from __future__ import annotations

from engine.kernels import bitboard81, generic
from engine.kernels._jit import kernel, outlined
from engine.kernels.codes import (
    PLY,
    RESULT,
    WORD_PLY,
    WORD_RESULT,
    Ints,
    Rng,
    RuleCodes,
    State,
    Tables,
)


@kernel
def copy(target: State, source: State, rules: RuleCodes) -> None:
    """Make `target` the same position as `source`."""
    if rules.depth == 2:
        bitboard81.copy(target.words, source.words)
        return
    for place in range(source.head.size):
        target.head[place] = source.head[place]
    for row in range(source.nodes.shape[0]):
        for board in range(source.nodes.shape[1]):
            target.nodes[row, board] = source.nodes[row, board]


@kernel
def ply(state: State, rules: RuleCodes) -> int:
    """Return the number of moves played."""
    return int(state.words[WORD_PLY] if rules.depth == 2 else state.head[PLY])


@kernel
def result(state: State, rules: RuleCodes) -> int:
    """Return the result code of the game."""
    return int(state.words[WORD_RESULT] if rules.depth == 2 else state.head[RESULT])


@kernel
def push(state: State, rules: RuleCodes, tables: Tables, move: int) -> None:
    """Play `move` in place."""
    if rules.depth == 2:
        bitboard81.push(state.words, rules, tables, move // 9, move % 9)
    else:
        push_generic(state, rules, tables, move)


@outlined
def push_generic(state: State, rules: RuleCodes, tables: Tables, move: int) -> None:
    """Play `move` in place, at any depth but 2; not inlined, to leave the registers to depth 2."""
    generic.push(state.nodes, state.head, rules, tables, move)


@kernel
def legal_moves(state: State, rules: RuleCodes, tables: Tables, out: Ints) -> int:
    """Write the legal moves to `out` in ascending order and return their number."""
    if rules.depth == 2:
        return bitboard81.legal_moves(state.words, rules, out)
    return generic.legal_moves(state.nodes, state.head, rules, tables, out)


@kernel
def rollout(state: State, rules: RuleCodes, tables: Tables, rng: Rng, moves: Ints) -> int:
    """Play random moves to the end in place; return the result. `moves` is scratch."""
    if rules.depth == 2:
        return bitboard81.rollout(state.words, rules, tables, rng)
    return generic.rollout(state.nodes, state.head, rules, tables, rng, moves)


@kernel
def rollouts(
    start: State,
    work: State,
    rules: RuleCodes,
    tables: Tables,
    rng: Rng,
    moves: Ints,
    game_count: int,
    tally: Ints,
) -> None:
    """Play `game_count` random games from `start`; count their results in `tally[4]`."""
    for _ in range(game_count):
        copy(work, start, rules)
        tally[rollout(work, rules, tables, rng, moves)] += 1
