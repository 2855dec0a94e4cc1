"""Any position of any rules as one line of text."""

from __future__ import annotations

import re
from typing import Final

from engine.errors import EngineError, InvalidNotationError, shorten
from engine.notation import format_move, parse_move
from engine.outcome import BoardStatus
from engine.position import Position
from engine.records.reconstruction import Seen, set_up, target_digits
from engine.rules import Rules
from engine.types import Cell

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
    marks = [position.mark_at(cell) for cell in range(rules.cell_count)]
    return " ".join(
        (
            rules.key,
            "XO"[position.side],
            last,
            target_digits(position) or _NONE,
            _write_boards("".join(owners)) or _NONE,
            _write_boards("".join("." if mark is None else "XO"[mark] for mark in marks)),
        )
    )


def parse_position(text: str) -> Position:
    """Read a position.

    Raises:
        InvalidNotationError: If the text is none, or no game leads to it as far
            as that can be told; the message says why.
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
    if side not in ("X", "O"):
        raise _error(f"The side to move is X or O; got {shorten(side)!r}", side)
    return set_up(
        Seen(
            rules=rules,
            side="XO".index(side),
            last_move=None if last == _NONE else _read_last(last, rules),
            target="" if target == _NONE else _read_target(target, rules),
            owners=_read_owners(owners, rules),
            marks=_read_boards(cells, rules.board_count, "XO", "cells"),
        ),
        text,
    )


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


def _write_boards(signs: str) -> str:
    """Write nines of signs with / between, a number for so many dots in a row."""
    boards = (signs[place : place + 9] for place in range(0, len(signs), 9))
    return "/".join(_RUN.sub(lambda run: str(len(run[0])), board) for board in boards)


def _read_boards(text: str, count: int, allowed: str, what: str) -> str:
    """Read so many nines of signs; return them without anything between."""
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
                f"The {what} are written with {', '.join(allowed)} and 1-9 for so many others;"
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
