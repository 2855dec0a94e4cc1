"""Keys for positions, equal if a symmetry of the game turns one position into the other.

This is Zobrist hashing: every feature of a position has a random number, and under each symmetry
the number of the feature it becomes. Those present are combined; the least result is the key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from engine.position import Position
from engine.rules import Rules
from engine.sending import symmetries, transform
from engine.types import BoardStatus, Cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEED: Final = 1  # stored keys depend on it: a new seed makes all of them worthless
# The kinds of features: the marks of both sides (0 and 1), the owners of boards, the target, and,
# if nobody may be sent back, the board last played in.
_OWNER_OF: Final = {BoardStatus.X_WON: 2, BoardStatus.O_WON: 3, BoardStatus.DRAWN: 4}
_TARGET, _CAME_FROM = 5, 6
_KINDS: Final = 7


@dataclass(frozen=True, slots=True)
class Canonical:
    """A position with the key that it shares with all positions alike.

    Attributes:
        position: The position as it is.
        key: 63 bits, from the rules, the marks, the owners of boards and the target. How the
            position came about does not count.
        turns: The symmetries that lead to the representative of all positions alike.
    """

    position: Position
    key: int
    turns: tuple[tuple[int, ...], ...]

    def fold(self, move: Cell) -> Cell:
        """Return a move as it is played in the representative position.

        Examples:
            >>> start = next(canonical_line(Rules(), ()))
            >>> len({start.fold(move) for move in start.position.legal_moves})
            15
        """
        return min(transform(move, turn, self.position.rules) for turn in self.turns)


def canonical_line(rules: Rules, moves: Iterable[Cell]) -> Iterator[Canonical]:
    """Yield the start and the position after each move.

    Raises:
        EngineError: If the rules refuse a move, or need an opening code.

    Examples:
        >>> first, second = (list(canonical_line(Rules(), line))[-1] for line in ((0, 1), (80, 79)))
        >>> first.key == second.key, first.position == second.position
        (True, False)
    """
    import numpy as np  # with the kernels, on first use

    numbers, turns = _numbers(rules), symmetries(rules)
    position = Position.initial(rules)
    salt = int.from_bytes(hashlib.blake2b(rules.key.encode(), digest_size=8).digest()) >> 1
    marks = np.full(len(turns), salt, dtype=np.uint64)
    yield _called(position, marks, numbers, turns)
    for move in moves:
        after = position.after(move)
        marks = marks ^ numbers[position.side, rules.depth, :, move]
        for depth in range(1, rules.depth):
            board = move // 9 ** (rules.depth - depth)
            status = after.board_status(board, depth=depth)
            if position.board_status(board, depth=depth) is not status:
                marks = marks ^ numbers[_OWNER_OF[status], depth, :, board]
        position = after
        yield _called(position, marks, numbers, turns)


def _called(
    position: Position,
    marks: NDArray[np.uint64],
    numbers: NDArray[np.uint64],
    turns: tuple[tuple[int, ...], ...],
) -> Canonical:
    rules, path = position.rules, position.target_path
    board = 0
    for place in path:
        board = 9 * board + place
    sums = marks ^ numbers[_TARGET, len(path), :, board]
    if rules.no_return and position.last_move is not None:
        sums = sums ^ numbers[_CAME_FROM, rules.depth - 1, :, position.last_move // 9]
    key = sums.min()
    alike = tuple(turn for turn, each in zip(turns, sums, strict=True) if each == key)
    return Canonical(position, int(key), alike)


@cache
def _numbers(rules: Rules) -> NDArray[np.uint64]:
    """Return the numbers of all features, by kind, depth, symmetry and place."""
    import numpy as np

    depth, turns = rules.depth, symmetries(rules)
    count = _KINDS * (depth + 1) * 9**depth
    # The raw bits of this generator are promised never to change.
    raw: Any = np.random.PCG64(_SEED).random_raw(count) >> np.uint64(1)
    raw = raw.reshape(_KINDS, depth + 1, 9**depth)
    found = np.zeros((_KINDS, depth + 1, len(turns), 9**depth), dtype=np.uint64)
    for level in range(depth + 1):
        for at, turn in enumerate(turns):
            # A place at a lower depth has fewer digits: drop what became of the outer ones.
            moved = [transform(place, turn, rules) % 9**level for place in range(9**level)]
            found[:, level, at, : 9**level] = raw[:, level, moved]
    return found
