"""Positions as one line of text: a form for any rules, and that of the program ultimattt.

The letters of ultimattt, for exchange with it, cover only the rules of Standard. NOTATION.md
has both grammars.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine.errors import EngineError, InvalidNotationError, shorten
from engine.notation import format_move, format_path, parse_move
from engine.position import Position
from engine.records.reconstruction import Seen, set_up
from engine.rules import Opening, Rules
from engine.types import BoardStatus, Cell, Side

LONGEST_POSITION: Final = 2000  # characters; the longest possible one has about 1000
_FIELDS: Final = "rules, side to move, last move, target, owners of boards, cells"
_OWNER: Final = {
    BoardStatus.ONGOING: ".",
    BoardStatus.X_WON: "X",
    BoardStatus.O_WON: "O",
    BoardStatus.DRAWN: "=",
}
_RUN: Final = re.compile(r"\.+")
_NONE: Final = "-"

_LETTERS: Final = "abcdefghi"
_EXAMPLE_LENGTH: Final = len("X;.........;") + 9 * 10 - 1


def format_position(position: Position) -> str:
    """Write a position as a line that `parse_position` reads back as an equal one.

    Examples:
        >>> format_position(Position.initial(Rules()).after(40).after(36))
        'standard X 51 1 9 9/9/9/9/O3X4/9/9/9/9'
    """
    rules = position.rules
    last = _NONE if position.last_move is None else format_move(position.last_move, rules)
    owners = [
        _OWNER[position.board_status(board, depth=depth)]
        for depth in range(1, rules.depth)
        for board in range(9**depth)
    ]
    return " ".join(
        (
            rules.key,
            "XO"[position.side],
            last,
            format_path(position.sent_path) or _NONE,
            _counted(_in_boards(owners)) or _NONE,
            _counted(_in_boards(_marks(position))),
        )
    )


def parse_position(text: str) -> Position:
    """Read a position.

    Raises:
        InvalidNotationError: If the text is not a position, or no game seems to lead to it; the
            message says why.
        InvalidRulesError: If there are no such rules.

    Examples:
        >>> parse_position("standard O 55 5 9 9/9/9/9/4X4/9/9/9/9").legal_moves
        (36, 37, 38, 39, 41, 42, 43, 44)
        >>> parse_position("standard X 55 5 9 9/9/9/9/4X4/9/9/9/9")
        Traceback (most recent call last):
        ...
        engine.errors.InvalidNotationError: No game leads to this position: with X to move there must be as many X as O, not 1 X and 0 O.
    """  # noqa: E501  # the doctest shows the whole message
    if len(text) > LONGEST_POSITION:
        raise _error(f"A position has at most {LONGEST_POSITION} characters; got {len(text)}", text)
    fields = text.split()
    if len(fields) != 6:
        raise _error(f"A position has six fields ({_FIELDS}); got {len(fields)}", text)
    key, side, last, target, owners, cells = fields
    rules = Rules.parse(key)
    return set_up(
        Seen(
            rules=rules,
            side=_read_side(side),
            last_move=None if last == _NONE else _read_last(last, rules),
            target="" if target == _NONE else _read_target(target, rules),
            owners=_read_owners(owners, rules),
            marks=_read_boards(cells, rules.board_count, "XO", "cells"),
        ),
        text,
    )


def _read_side(text: str) -> Side:
    if text not in ("X", "O"):
        raise _error(f"The side to move is X or O; got {shorten(text)!r}", text)
    return "XO".index(text)


def _read_last(text: str, rules: Rules) -> Cell:
    try:
        return parse_move(text, rules)
    except EngineError as error:
        raise _error(f"The last move is a move or {_NONE}. {error}", text) from None


def _read_target(text: str, rules: Rules) -> str:
    if len(text) >= rules.depth or not re.fullmatch("[1-9]+", text):
        words = ("-", "a digit from 1 to 9 or -", "one or two digits from 1 to 9 or -")
        raise _error(f"The target is {words[rules.depth - 1]}; got {shorten(text)!r}", text)
    return text


def _read_owners(text: str, rules: Rules) -> tuple[str, ...]:
    """Return the owners of boards, a text for each depth from outside in."""
    if rules.depth == 1:
        if text != _NONE:
            raise _error(f"Depth 1 has no boards to own: write -; got {shorten(text)!r}", text)
        return ()
    groups = 1 if rules.depth == 2 else 10
    every_owner = _read_boards(text, groups, "XO=", "owners of boards")
    return (every_owner[:9], every_owner[9:])[: rules.depth - 1]


def _marks(position: Position) -> list[str]:
    marks = (position.mark_at(cell) for cell in range(position.rules.cell_count))
    return ["." if mark is None else "XO"[mark] for mark in marks]


def _in_boards(signs: Sequence[str]) -> str:
    """Return groups of nine signs with / between."""
    return "/".join("".join(signs[place : place + 9]) for place in range(0, len(signs), 9))


def _counted(boards: str) -> str:
    """Write a number for each run of dots."""
    return _RUN.sub(lambda run: str(len(run[0])), boards)


def _read_boards(text: str, count: int, allowed: str, what: str) -> str:
    """Read `count` groups of nine signs; return the signs alone."""
    boards = text.split("/")
    if len(boards) != count:
        raise _error(
            f"The {what} of these rules are {count} groups with / between; got {len(boards)}", text
        )
    return "".join(_read_board(board, allowed, what) for board in boards)


def _read_board(text: str, allowed: str, what: str) -> str:
    signs = ""
    for sign in text[:10]:
        if sign in allowed:
            signs += sign
        elif sign in "123456789":
            signs += "." * int(sign)
        else:
            raise _error(
                f"The {what} are written with {', '.join(allowed)} and 1-9 for runs of others;"
                f" got {sign!r} in {shorten(text)!r}",
                text,
            )
    if len(signs) != 9 or len(text) > 9:
        raise _error(
            f"Each group of {what} has nine places; {shorten(text)!r} has {len(signs)}", text
        )
    return signs


def _error(message: str, text: str) -> InvalidNotationError:
    return InvalidNotationError(message, text=shorten(text))


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
    owners = [_OWNER[position.board_status(board)] for board in range(9)]
    for board in position.sent_path:  # of depth 2: one board or none
        owners[board] = "@"
    signs = "".join(owners).replace("=", "#")
    return f"{'XO'[position.side]};{signs};{_in_boards(_marks(position))}"


def parse_letter_position(text: str) -> Position:
    """Read a position in the form of ultimattt; its last move is not known.

    Raises:
        InvalidNotationError: If the text is not a position, or no game seems to lead to it; the
            message says why.

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
    side, owners, cells = _read_side(parts[0]), parts[1], parts[2]
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
        side=side,
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
