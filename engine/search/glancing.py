"""What can be seen at a glance: a win in one move, one given away, a line to make or stop.

Everything here is the game's own rules asked a ply or two ahead, for any rules and depth.
"""

from __future__ import annotations

import random
from typing import Final

from engine.outcome import LINES, BoardStatus, other
from engine.position import Position
from engine.types import Cell, Side

_FULL: Final = 9
_HAS_LINE: Final = tuple(
    any(all(marks >> place & 1 for place in line) for line in LINES) for marks in range(1 << _FULL)
)


class Sight:
    """A position as somebody sees it who looks at its boards one by one.

    Examples:
        >>> from engine import Rules, parse_position
        >>> sight = Sight(parse_position("standard X 91 1 9 XX7/9/9/9/9/9/9/9/OO7"))
        >>> sight.makes_line(2, 0), sight.makes_line(3, 0)
        (True, False)
    """

    def __init__(self, position: Position) -> None:
        self._position = position
        self._marks: dict[int, tuple[int, int]] = {}

    def makes_line(self, move: Cell, side: Side) -> bool:
        """Whether a mark of `side` would complete a line of the move's local board."""
        board, cell = divmod(move, _FULL)
        return _HAS_LINE[self._of(board)[side] | 1 << cell]

    def takes_board(self, move: Cell, side: Side) -> bool:
        """The same, where the board is nobody's yet: a line in a decided one is no use."""
        rules = self._position.rules
        board = move // _FULL
        status = self._position.board_status(board, depth=rules.depth - 1)
        return status is BoardStatus.ONGOING and self.makes_line(move, side)

    def decides_board(self, move: Cell, side: Side) -> bool:
        """Whether a mark of `side` ends something: a line, or the last cell of a board."""
        board = move // _FULL
        x_marks, o_marks = self._of(board)
        is_last = (x_marks | o_marks).bit_count() == _FULL - 1
        return is_last or self.makes_line(move, side)

    def _of(self, board: int) -> tuple[int, int]:
        """Return the marks of X and of O in a local board."""
        if board not in self._marks:
            masks = [0, 0]
            for cell in range(_FULL):
                mark = self._position.mark_at(_FULL * board + cell)
                if mark is not None:
                    masks[mark] |= 1 << cell
            self._marks[board] = masks[0], masks[1]
        return self._marks[board]


def winning_move(position: Position) -> Cell | None:
    """Return a move that wins the game at once.

    Examples:
        >>> from engine import Rules
        >>> winning_move(Position.initial(Rules())) is None
        True
    """
    sight = Sight(position)
    for move in position.legal_moves:
        if sight.decides_board(move, position.side):
            outcome = position.after(move).outcome
            if outcome is not None and outcome.winner == position.side:
                return move
    return None


def gives_win(position: Position, move: Cell) -> bool:
    """Whether the other side can win the game at once after a move, or has won by it."""
    after = position.after(move)
    if after.outcome is not None:
        return after.outcome.winner == after.side
    return winning_move(after) is not None


def glance(position: Position, eyes: float, care: float, rng: random.Random) -> Cell:
    """Choose without thinking: a line to make, a line to stop, or any cell.

    Args:
        position: A position that is not over.
        eyes: How often it is seen that there are lines to make, and lines to stop.
        care: How often it is seen that a move lets the other side win the game.
        rng: Decides what is seen, and among equals.
    """
    candidates = list(position.legal_moves)
    if rng.random() < care:
        safe = [move for move in candidates if not gives_win(position, move)]
        candidates = safe or candidates
    sight = Sight(position)
    for side in (position.side, other(position.side)):
        lines = [move for move in candidates if sight.takes_board(move, side)]
        if lines and rng.random() < eyes:
            return rng.choice(lines)
    return rng.choice(candidates)
