"""Positions as text, for terminals and tests.

A cell that may be played shows its digit, so that the diagram is also the list
of moves; the last move stands in parentheses; the number of a board that may be
played in stands in brackets, followed by X, O or = for won and drawn boards.
In a game with a map, the strategic board that a row of cells sends to stands in front
of the row, with a colon; the numbers of a hypermap have a diagram of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engine.errors import Sentence, say
from engine.notation import format_board, format_move, format_path
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
    is_single = position.rules.depth == 1
    return _joined(_cells(position, 0, paint) if is_single else _board(position, 0, 0, paint))


def draw_part(position: Position, board: int) -> str:
    """Return one strategic board of a game of depth 3; the whole game is 79 characters wide."""
    return _joined(_board(position, 1, board, plain))


def draw_overview(position: Position) -> str:
    """Return a game of depth 3 with one character for each tactical board.

    Tactical boards that may be played in show their digit, won and drawn ones X, O or =.

    Examples:
        >>> from engine import Rules
        >>> print(draw_overview(Position.initial(Rules(depth=3))).splitlines()[1])
         1 2 3 | 1 2 3 | 1 2 3
    """
    return _joined(_grid([_tactical(position, strategic) for strategic in range(9)]))


def draw_hypermap(position: Position, board: int) -> str:
    """Return the numbers in the empty cells of a strategic board of the hypermap."""
    first = 81 * board
    signs = [
        str(hypermap_number(cell)) if position.mark_at(cell) is None else "."
        for cell in range(first, first + 81)
    ]
    rows = [f" {' '.join(signs[start : start + 3])} " for start in range(0, 81, 3)]
    return _joined(_grid([rows[start : start + 3] for start in range(0, 27, 3)]))


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
    board = format_path(path)
    if len(path) < position.rules.depth - 1:
        return say("{cells} anywhere in {board}", cells=cells, board=board)
    return say("{cells} to {board}", cells=cells, board=board)


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(line.rstrip() for line in lines)


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
    signs = []
    for board in range(9 * strategic, 9 * strategic + 9):
        open_sign = str(board % 9 + 1) if board in position.playable_boards else "."
        signs.append(_SIGN[position.board_status(board)].strip() or open_sign)
    return lines + [f" {' '.join(signs[start : start + 3])} " for start in (0, 3, 6)]


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
    lines = _grid(inner, bar, rule)
    if depth == 0:
        return lines
    # Only at depth 3: a strategic board shows its owner, and the numbers of its rows of cells.
    sign = _SIGN[position.board_status(board, depth=1)]
    name = f"{board + 1} {sign}".center(3 * _WIDTH + 2)
    lines.insert(0, paint("board" if board in position.playable_at(1) else _kind_of(sign), name))
    if has_map:
        column = map_columns(position.rules.map_number)[board % 3]
        numbers = [paint("line", f"{number}:") for number in column]
        bands = [["  ", "  ", *numbers[first : first + 3]] for first in (0, 3, 6)]
        prefixes = [prefix for band in bands for prefix in band]
        lines = [prefix + line for prefix, line in zip(prefixes, lines, strict=True)]
    return lines


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
    for first in range(9 * board, 9 * board + 9, 3):
        line = ""
        for cell in range(first, first + 3):
            before = ")" if last == cell - 1 and cell > first else " "
            line += paint(around, "(" if last == cell else before)
            line += _cell(position, cell, paint)
        lines.append(line + paint(around, ")" if last == first + 2 else " "))
    return lines


def _cell(position: Position, cell: Cell, paint: Paint) -> str:
    mark = position.mark_at(cell)
    if mark is not None:
        return paint(MARKS[mark], MARKS[mark])
    if cell in position.legal_moves:
        return paint("open", str(cell % 9 + 1))
    return paint("line", ".")
