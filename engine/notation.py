"""Moves and boards as text. Text counts from 1, code from 0; only this module converts.

NOTATION.md has the grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine.errors import InvalidNotationError, Sentence, say
from engine.rules import Rules
from engine.types import Cell

# By the number of digits.
_WRONG_MOVE: Final = (
    say("A move has digits, not {given!r}"),
    say("A move is one digit from 1 to 9, such as 5, not {given!r}"),
    say("A move is two digits from 1 to 9, such as 55, not {given!r}"),
    say("A move is three digits from 1 to 9, such as 519, not {given!r}"),
)
_WRONG_BOARD: Final = (
    say("These rules have one board only: leave out {given!r}"),
    say("A board is one digit from 1 to 9, such as 5, not {given!r}"),
    say("A board is two digits from 1 to 9, such as 55, not {given!r}"),
)


def parse_move(text: str, rules: Rules) -> Cell:
    """Read a move: the digits 1-9 from the outermost board inwards.

    Whether the move is legal is not checked.

    Raises:
        InvalidNotationError: If the text is not such a number.

    Examples:
        >>> parse_move("55", Rules())
        40
        >>> parse_move("519", Rules(depth=3))
        332
    """
    return _parse_digits(text, rules.depth, _WRONG_MOVE)


def parse_moves(text: str, rules: Rules) -> tuple[Cell, ...]:
    """Read moves without spaces between them, as `parse_move` does."""
    starts = range(0, len(text), rules.depth)
    return tuple(parse_move(text[start : start + rules.depth], rules) for start in starts)


def format_move(move: Cell, rules: Rules) -> str:
    """Write a move as digits.

    Examples:
        >>> format_move(40, Rules())
        '55'
    """
    return _format_digits(move, rules.depth)


def parse_board(text: str, rules: Rules) -> int:
    """Read a local board: one digit at depth 2, two at depth 3.

    Raises:
        InvalidNotationError: If the text is not such a number.
    """
    return _parse_digits(text, rules.depth - 1, _WRONG_BOARD)


def format_board(board: int, rules: Rules) -> str:
    """Write a local board as digits.

    Examples:
        >>> format_board(4, Rules())
        '5'
    """
    return _format_digits(board, rules.depth - 1)


def format_path(path: Iterable[int]) -> str:
    """Write the places on the way from the outermost board to a board or cell as digits."""
    return "".join(str(place + 1) for place in path)


def _parse_digits(text: str, length: int, wrong: Sequence[Sentence]) -> int:
    """Read `length` digits 1-9 as a number in base nine; `wrong` has an error for each length."""
    digits = text.strip()
    if len(digits) != length or not all(digit in "123456789" for digit in digits):
        raise InvalidNotationError(wrong[length].format(given=text), text=text)
    number = 0
    for digit in digits:
        number = 9 * number + int(digit) - 1
    return number


def _format_digits(number: int, length: int) -> str:
    digits = ""
    for _ in range(length):
        number, digit = divmod(number, 9)
        digits = f"{digit + 1}{digits}"
    return digits
