"""Perft and divide: how many sequences of moves there are, counted by the kernels."""

from __future__ import annotations

from engine import kernels
from engine.errors import EngineError
from engine.position import Position, loaded_rules
from engine.types import Cell


def perft(position: Position, plies: int, *, general: bool = False) -> int:
    """Count the sequences of exactly `plies` moves; games that end sooner are not counted.

    `general` uses the general kernel even at depth 2.

    Raises:
        EngineError: If `plies` is negative.

    Examples:
        >>> from engine import Rules
        >>> [perft(Position.initial(Rules()), plies) for plies in range(4)]
        [1, 81, 720, 6336]
    """
    if plies < 0:
        raise EngineError(f"The number of plies must not be negative, got {plies}")
    if plies == 0:
        return 1
    if plies > position.rules.cell_count - position.ply:
        return 0  # no game is that long, and there may be no room to count it
    codes, tables = loaded_rules(position.rules)
    state = position.search_state()
    stack = kernels.counting.make_stack(plies, codes.depth)
    if codes.depth == 2 and not general:
        return int(kernels.counting.count_bitboard81(state.words, codes, tables, stack))
    stack.nodes[0], stack.heads[0] = state.nodes, state.head
    return int(kernels.counting.count_generic(codes, tables, stack))


def divide(position: Position, plies: int, *, general: bool = False) -> dict[Cell, int]:
    """Return for every legal move how many sequences of `plies` moves begin with it.

    Raises:
        EngineError: If `plies` is not positive.

    Examples:
        >>> from engine import Rules
        >>> divide(Position.initial(Rules()), 2)[40]
        8
    """
    if plies < 1:
        raise EngineError(f"The number of plies must be positive, got {plies}")
    return {
        move: perft(position.after(move), plies - 1, general=general)
        for move in position.legal_moves
    }
