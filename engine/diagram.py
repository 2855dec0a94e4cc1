"""Positions as text, for terminals and tests.

A cell that may be played shows its digit, so that the diagram is also the list
of moves; the last move stands in parentheses; the number of a board that may be
played in stands in brackets, followed by X, O or = for won and drawn boards.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.notation import format_board
from engine.outcome import BoardStatus, O, X
from engine.position import Position

Paint = Callable[[str, str], str]

_SIGN = {
    BoardStatus.ONGOING: " ",
    BoardStatus.X_WON: "X",
    BoardStatus.O_WON: "O",
    BoardStatus.DRAWN: "=",
}
_WIDTH = 7  # of a local board: three cells and a space around each


def plain(kind: str, text: str) -> str:
    """Paint nothing: the `paint` of a diagram without colours."""
    del kind
    return text


def draw_text(position: Position, paint: Paint = plain) -> str:
    """Return the position as a text diagram.

    Args:
        position: What to draw.
        paint: Called with a kind ("X", "O", "open", "board" or "line") and the
            text of that kind; returns it with colours, of the same width.

    Examples:
        >>> from engine import Rules
        >>> print(draw_text(Position.initial(Rules(depth=1)).after(4).after(0)))
        (O)2 3
         4 X 6
         7 8 9
    """
    if position.rules.depth == 1:
        return "\n".join(line.rstrip() for line in _cells(position, 0, paint))
    return "\n".join(line.rstrip() for line in _board(position, 0, 0, paint))


def draw_part(position: Position, board: int) -> str:
    """Return one strategic board of a game of depth 3 as a text diagram.

    Args:
        position: Of a game of depth 3, whose whole diagram is 75 characters wide.
        board: Which of the nine strategic boards.
    """
    return "\n".join(line.rstrip() for line in _board(position, 1, board, plain))


def draw_overview(position: Position) -> str:
    """Return a game of depth 3 with one character for each tactical board.

    Tactical boards that may be played in show their digit, won and drawn ones X, O or =.

    Examples:
        >>> from engine import Rules
        >>> print(draw_overview(Position.initial(Rules(depth=3))).splitlines()[1])
         1 2 3 | 1 2 3 | 1 2 3
    """
    return "\n".join(line.rstrip() for line in _boards(position))


def _boards(position: Position) -> list[str]:
    """Return the lines of an overview, a cell for each tactical board."""
    lines: list[str] = []
    for row in range(3):
        if row:
            lines.append("+".join(["-" * _WIDTH] * 3))
        blocks = [_tactical(position, 3 * row + column) for column in range(3)]
        lines += ["|".join(parts) for parts in zip(*blocks, strict=True)]
    return lines


def _tactical(position: Position, strategic: int) -> list[str]:
    name, sign = strategic + 1, _SIGN[position.board_status(strategic, level=1)]
    is_playable = strategic in position.playable_at(1)
    lines = [(f"[{name}]{sign}" if is_playable else f" {name} {sign}").ljust(_WIDTH)]
    for row in range(3):
        signs = [_tactical_sign(position, 9 * strategic + 3 * row + each) for each in range(3)]
        lines.append(f" {' '.join(signs)} ")
    return lines


def _tactical_sign(position: Position, board: int) -> str:
    sign = _SIGN[position.board_status(board)].strip()
    return sign or (str(board % 9 + 1) if board in position.playable_boards else ".")


def _board(position: Position, level: int, board: int, paint: Paint) -> list[str]:
    """Return the lines of a board: its nine boards side by side."""
    if level == position.rules.depth - 1:
        return [_header(position, board, paint), *_cells(position, board, paint)]
    inner = [_board(position, level + 1, 9 * board + place, paint) for place in range(9)]
    is_outermost_of_two = level == position.rules.depth - 2
    width = _WIDTH if is_outermost_of_two else 3 * _WIDTH + 2
    bar = paint("line", "|" if is_outermost_of_two else " || ")
    dash, cross = ("-", "+") if is_outermost_of_two else ("=", "=++=")
    rule = paint("line", cross.join([dash * width] * 3))
    lines: list[str] = []
    if level == 1:  # only at depth 3: a strategic board tells its owner
        status = position.board_status(board, level=1)
        name = f"{board + 1} {_SIGN[status]}".center(3 * _WIDTH + 2)
        lines.append(paint("board" if board in position.playable_at(1) else "line", name))
    for row in range(3):
        if row:
            lines.append(rule)
        blocks = inner[3 * row : 3 * row + 3]
        lines += [bar.join(parts) for parts in zip(*blocks, strict=True)]
    return lines


def _header(position: Position, board: int, paint: Paint) -> str:
    name = format_board(board, position.rules)
    sign = _SIGN[position.board_status(board)]
    if board in position.playable_boards:
        return paint("board", f"[{name}]{sign}".ljust(_WIDTH))
    return paint("line", f" {name} {sign}".ljust(_WIDTH))


def _cells(position: Position, board: int, paint: Paint) -> list[str]:
    lines = []
    for row in range(3):
        line = ""
        for column in range(3):
            cell = 9 * board + 3 * row + column
            before = ")" if _is_last(position, cell - 1) and column else " "
            line += paint("line", "(" if _is_last(position, cell) else before)
            line += _cell(position, cell, paint)
        line += paint("line", ")" if _is_last(position, 9 * board + 3 * row + 2) else " ")
        lines.append(line)
    return lines


def _is_last(position: Position, cell: int) -> bool:
    return position.last_move == cell


def _cell(position: Position, cell: int, paint: Paint) -> str:
    mark = position.mark_at(cell)
    if mark == X:
        return paint("X", "X")
    if mark == O:
        return paint("O", "O")
    if cell in position.legal_moves:
        return paint("open", str(cell % 9 + 1))
    return paint("line", ".")
