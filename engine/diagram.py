"""Positions as text, for terminals and tests.

A cell that may be played shows its digit, so that the diagram is also the list
of moves; the last move stands in parentheses; the number of a board that may be
played in stands in brackets, followed by X, O or = for won and drawn boards.
In a game with a map, the strategic board that a row of cells sends to stands in front
of the row, with a colon; the numbers of a hypermap have a diagram of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.errors import Sentence, say
from engine.notation import format_board, format_move
from engine.position import Position
from engine.rules import Sending
from engine.sending import hypermap_number, map_columns
from engine.types import MARKS, BoardStatus, Cell, other

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

    `paint` is called with a kind ("X", "O", "open", "board" or "line") and a text of that
    kind; it returns the text with colours, at the same width.

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
    """Return one strategic board of a game of depth 3; the whole game is 79 characters wide."""
    return "\n".join(line.rstrip() for line in _board(position, 1, board, plain))


def draw_overview(position: Position) -> str:
    """Return a game of depth 3 with one character for each tactical board.

    Tactical boards that may be played in show their digit, won and drawn ones X, O or =.

    Examples:
        >>> from engine import Rules
        >>> print(draw_overview(Position.initial(Rules(depth=3))).splitlines()[1])
         1 2 3 | 1 2 3 | 1 2 3
    """
    blocks = [_tactical(position, strategic) for strategic in range(9)]
    return "\n".join(line.rstrip() for line in _grid(blocks))


def draw_hypermap(position: Position, board: int) -> str:
    """Return the numbers in the empty cells of a strategic board of the hypermap."""

    def number(cell: Cell) -> str:
        return str(hypermap_number(cell)) if position.mark_at(cell) is None else "."

    def row_of(tactical: int, row: int) -> str:
        first = 81 * board + 9 * tactical + 3 * row
        return f" {' '.join(map(number, range(first, first + 3)))} "

    blocks = [[row_of(tactical, row) for row in range(3)] for tactical in range(9)]
    return "\n".join(line.rstrip() for line in _grid(blocks))


def tell_sending(position: Position, board: int) -> Sentence:
    """Say where the opponent will have to play after each legal move in a local board.

    Examples:
        >>> from engine import Rules
        >>> position = Position.initial(Rules(depth=3)).after(8)
        >>> str(tell_sending(position, 8))[:25]
        'From 19: 1 to 91; 2 to 92'
    """
    cells: dict[tuple[int, ...] | None, list[str]] = {}
    for move in position.legal_moves:
        if move // 9 == board:
            cells.setdefault(_sent_to(position, move), []).append(str(move % 9 + 1))
    parts = {
        f"part_{number}": _told(position, path, ", ".join(those))
        for number, (path, those) in enumerate(cells.items())
    }
    told = Sentence("; ".join(f"{{{name}}}" for name in parts), parts)
    return say("From {board}: {cells}", board=format_board(board, position.rules), cells=told)


def tell_move(position: Position, move: Cell) -> Sentence:
    """Say where the opponent will have to play after a legal move.

    Examples:
        >>> from engine import Rules
        >>> str(tell_move(Position.initial(Rules(depth=3)), 8))
        '119 to 19'
    """
    return _told(position, _sent_to(position, move), format_move(move, position.rules))


def _sent_to(position: Position, move: Cell) -> tuple[int, ...] | None:
    """Return the path to the board that binds the opponent after a move, None after the end."""
    later = position.after(move)
    return later.target_path if later.outcome is None else None


def _told(position: Position, path: tuple[int, ...] | None, cells: str) -> Sentence:
    if path is None:
        return say("{cells} to end the game", cells=cells)
    if not path:
        return say("{cells} anywhere", cells=cells)
    board = "".join(str(place + 1) for place in path)
    if len(path) < position.rules.depth - 1:
        return say("{cells} anywhere in {board}", cells=cells, board=board)
    return say("{cells} to {board}", cells=cells, board=board)


def _grid(
    blocks: Sequence[Sequence[str]], bar: str = "|", rule: str = "+".join(["-" * _WIDTH] * 3)
) -> list[str]:
    """Return nine blocks of lines as three rows of blocks side by side."""
    lines: list[str] = []
    for row in range(3):
        if row:
            lines.append(rule)
        lines += [bar.join(parts) for parts in zip(*blocks[3 * row : 3 * row + 3], strict=True)]
    return lines


def _tactical(position: Position, strategic: int) -> list[str]:
    name, sign = strategic + 1, _SIGN[position.board_status(strategic, depth=1)]
    is_playable = strategic in position.playable_at(1)
    lines = [(f"[{name}]{sign}" if is_playable else f" {name} {sign}").ljust(_WIDTH)]
    for row in range(3):
        signs = [_tactical_sign(position, 9 * strategic + 3 * row + each) for each in range(3)]
        lines.append(f" {' '.join(signs)} ")
    return lines


def _tactical_sign(position: Position, board: int) -> str:
    sign = _SIGN[position.board_status(board)].strip()
    return sign or (str(board % 9 + 1) if board in position.playable_boards else ".")


def _board(position: Position, depth: int, board: int, paint: Paint) -> list[str]:
    """Return the lines of a board: its nine boards side by side."""
    if depth == position.rules.depth - 1:
        return [_header(position, board, paint), *_cells(position, board, paint)]
    inner = [_board(position, depth + 1, 9 * board + place, paint) for place in range(9)]
    has_map = position.rules.sending is Sending.MAP
    if depth == position.rules.depth - 2:
        width, bar, dash, cross = _WIDTH, "|", "-", "+"
    elif has_map:  # the numbers of the map take the place of blanks
        width, bar, dash, cross = 3 * _WIDTH + 4, "||", "=", "++"
    else:
        width, bar, dash, cross = 3 * _WIDTH + 2, " || ", "=", "=++="
    bar, rule = paint("line", bar), paint("line", cross.join([dash * width] * 3))
    lines: list[str] = []
    if depth == 1:  # only at depth 3: a strategic board shows its owner
        status = position.board_status(board, depth=1)
        name = f"{board + 1} {_SIGN[status]}".center(3 * _WIDTH + 2)
        is_open = board in position.playable_at(1)
        lines.append(paint("board" if is_open else _kind_of(_SIGN[status]), name))
    lines += _grid(inner, bar, rule)
    if depth == 1 and has_map:
        numbers = _map_numbers(position, board, paint)
        lines = [number + line for number, line in zip(numbers, lines, strict=True)]
    return lines


def _map_numbers(position: Position, strategic: int, paint: Paint) -> list[str]:
    """Return the prefix of each line of a strategic board: a number for rows of cells."""
    column = map_columns(position.rules.map_number)[strategic % 3]
    numbers = [paint("line", f"{number}:") for number in column]
    bands = [["  ", "  ", *numbers[first : first + 3]] for first in (0, 3, 6)]
    return [number for band in bands for number in band]


def _header(position: Position, board: int, paint: Paint) -> str:
    name = format_board(board, position.rules)
    sign = _SIGN[position.board_status(board)]
    if board in position.playable_boards:
        return paint("board", f"[{name}]{sign}".ljust(_WIDTH))
    return paint(_kind_of(sign), f" {name} {sign}".ljust(_WIDTH))


def _kind_of(sign: str) -> str:
    """Return the paint for the name of a board that may not be played in: that of its owner."""
    return sign if sign in MARKS else "line"


def _cells(position: Position, board: int, paint: Paint) -> list[str]:
    last = position.last_move
    around = "line" if last is None else MARKS[other(position.side)]
    lines = []
    for row in range(3):
        line = ""
        for column in range(3):
            cell = 9 * board + 3 * row + column
            before = ")" if last == cell - 1 and column else " "
            line += paint(around, "(" if last == cell else before)
            line += _cell(position, cell, paint)
        line += paint(around, ")" if last == 9 * board + 3 * row + 2 else " ")
        lines.append(line)
    return lines


def _cell(position: Position, cell: Cell, paint: Paint) -> str:
    mark = position.mark_at(cell)
    if mark is not None:
        return paint("XO"[mark], "XO"[mark])
    if cell in position.legal_moves:
        return paint("open", str(cell % 9 + 1))
    return paint("line", ".")
