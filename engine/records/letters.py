"""Positions and moves as the program ultimattt writes them, for exchange with it.

It knows the rules of Standard only. NOTATION.md tells its grammar.
"""

from __future__ import annotations

from typing import Final

from engine.errors import InvalidNotationError, shorten
from engine.outcome import BoardStatus
from engine.position import Position
from engine.records.reconstruction import Seen, set_up, target_digits
from engine.rules import Opening, Rules
from engine.types import Cell

_LETTERS: Final = "abcdefghi"
_SIGN: Final = {
    BoardStatus.ONGOING: ".",
    BoardStatus.X_WON: "X",
    BoardStatus.O_WON: "O",
    BoardStatus.DRAWN: "#",
}
_EXAMPLE_LENGTH: Final = len("X;.........;") + 9 * 10 - 1


def format_letter_move(move: Cell) -> str:
    """Write a move as two letters, board then cell.

    Examples:
        >>> format_letter_move(40), format_letter_move(4)
        ('ee', 'ae')
    """
    if not 0 <= move < 81:
        raise InvalidNotationError(f"Letters name cells 0 to 80; got {move}", text=str(move))
    return _LETTERS[move // 9] + _LETTERS[move % 9]


def parse_letter_move(text: str) -> Cell:
    """Read a move of two letters. Whether it is legal is not checked.

    Raises:
        InvalidNotationError: If the text is not such a move.

    Examples:
        >>> parse_letter_move("ae")
        4
    """
    letters = text.strip()
    if len(letters) != 2 or any(letter not in _LETTERS for letter in letters):
        raise InvalidNotationError(
            f"A move is two letters from a to i, such as ee; got {shorten(text)!r}",
            text=shorten(text),
        )
    board, cell = (_LETTERS.index(letter) for letter in letters)
    return 9 * board + cell


def format_letter_position(position: Position) -> str:
    """Write a position of Standard in the form of ultimattt.

    The last move is not part of it, only where it sends.

    Raises:
        InvalidNotationError: If other rules are played.

    Examples:
        >>> print(format_letter_position(Position.initial(Rules()).after(40)))
        O;....@....;........./........./........./........./....X..../........./........./........./.........
    """
    rules = position.rules
    if rules not in (Rules(), Rules(opening=Opening.PIE)):
        raise InvalidNotationError(
            f"The letters of ultimattt are for standard rules only; this is {rules.key}",
            text=rules.key,
        )
    owners = [_SIGN[position.board_status(board)] for board in range(9)]
    target = target_digits(position)
    if target:
        owners[int(target) - 1] = "@"
    marks = [position.mark_at(cell) for cell in range(81)]
    cells = "".join("." if mark is None else "XO"[mark] for mark in marks)
    boards = "/".join(cells[place : place + 9] for place in range(0, 81, 9))
    return f"{'XO'[position.side]};{''.join(owners)};{boards}"


def parse_letter_position(text: str) -> Position:
    """Read a position in the form of ultimattt; its last move is not known.

    Raises:
        InvalidNotationError: If the text is none, or no game leads to it as far
            as that can be told; the message says why.

    Examples:
        >>> parse_letter_position(
        ...     "O;....@....;........./........./........./........./....X...."
        ...     "/........./........./........./........."
        ... ).target
        4
    """
    cleaned = text.strip()
    if len(cleaned) > 2 * _EXAMPLE_LENGTH:
        raise _error(f"A position has {_EXAMPLE_LENGTH} characters; got {len(cleaned)}", text)
    parts = cleaned.split(";")
    if len(parts) != 3:
        raise _error(
            f"A position has three parts (side; nine boards; their cells); got {len(parts)}", text
        )
    side, owners, cells = parts
    if side not in ("X", "O"):
        raise _error(f"The side to move is X or O; got {shorten(side)!r}", side)
    _check_signs(owners, "XO#@.", "state of the nine boards")
    if owners.count("@") > 1:
        raise _error(f"At most one board is marked @; got {owners!r}", owners)
    boards = cells.split("/")
    if len(boards) != 9:
        raise _error(f"The cells are nine groups with / between; got {len(boards)}", cells)
    for board in boards:
        _check_signs(board, "XO.", "cells of a board")
    seen = Seen(
        rules=Rules(),
        side="XO".index(side),
        last_move=None,
        target=str(owners.index("@") + 1) if "@" in owners else "",
        owners=(owners.replace("@", ".").replace("#", "="),),
        marks="".join(boards),
    )
    return set_up(seen, text)


def _check_signs(text: str, allowed: str, what: str) -> None:
    if len(text) != 9 or any(sign not in allowed for sign in text):
        raise _error(
            f"The {what} are nine of the signs {' '.join(allowed)}; got {shorten(text)!r}", text
        )


def _error(message: str, text: str) -> InvalidNotationError:
    return InvalidNotationError(message, text=shorten(text))
