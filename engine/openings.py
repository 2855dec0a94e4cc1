"""What happens before the first free move.

A randomly drawn opening is written as a code, so that it can be shown, typed
in and stored. `random_four`: five digits d1 ... d5; X in board d1 cell d2, O in
board d2 cell d3, X in board d3 cell d4, O in board d4 cell d5, ordinary moves.
`symmetric`: one digit, the outer board in whose centre X begins.
"""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Final

from engine.errors import IllegalMoveError, InvalidNotationError, Sentence, say
from engine.rules import Opening, Rules, WonBoard
from engine.types import Cell, O, Side, X

SYMMETRIC_CODES: Final = tuple("12346789")
# X takes the very centre, O is sent there and marks cell j, and within the next two moves
# O is sent to the centre once more, or X to board j: 112 codes. forced_win.py follows such
# openings to the end against every reply.
_KNOWN_WIN: Final = re.compile(r"55(.)(?:5.|.\1)")


def opening_moves(rules: Rules, code: str | None) -> tuple[Cell, ...]:
    """Return the moves that an opening code plays; errors are those of `check_opening_code`.

    Examples:
        >>> opening_moves(Rules.parse("random-four"), "12345")
        (1, 11, 21, 31)
    """
    check_opening_code(rules, code)
    if rules.opening is not Opening.RANDOM_FOUR or code is None:
        return ()
    digits = [int(digit) - 1 for digit in code]
    return tuple(9 * board + cell for board, cell in pairwise(digits))


def opening_marks(rules: Rules, code: str | None) -> tuple[tuple[Cell, Side], ...]:
    """Return the cells and marks that an opening code sets up; errors as for the moves.

    Examples:
        >>> opening_marks(Rules.parse("symmetric"), "1")
        ((4, 0), (76, 1))
    """
    check_opening_code(rules, code)
    if rules.opening is not Opening.SYMMETRIC or code is None:
        return ()
    board = int(code) - 1
    return (9 * board + 4, X), (9 * (8 - board) + 4, O)


def check_opening_code(rules: Rules, code: str | None) -> None:
    """Raise `InvalidNotationError` if `code` does not begin a game of these rules."""
    reason = _refusal(rules, code)
    if reason is not None:
        raise InvalidNotationError(reason, text=code or "")


def _refusal(rules: Rules, code: str | None) -> Sentence | None:
    if rules.opening is Opening.SYMMETRIC and code not in SYMMETRIC_CODES:
        return say(
            "The symmetric opening needs the board of X's first mark, a digit from 1 to 9"
            " but 5, not {given!r}",
            given=code,
        )
    if not rules.needs_opening_code and code is not None:
        return say("These rules take no opening code: leave out {given!r}", given=code)
    return _refusal_of_four(rules, code) if rules.opening is Opening.RANDOM_FOUR else None


def _refusal_of_four(rules: Rules, code: str | None) -> Sentence | None:
    if code is None or not re.fullmatch("[1-9]{5}", code):
        return say(
            "The random opening needs a code of five digits from 1 to 9, not {given!r}", given=code
        )
    moves = [int(code[place : place + 2]) for place in range(4)]
    for later in range(1, 4):
        if moves[later] in moves[:later]:
            return say(
                "The opening code {code} would play cell {cell} twice", code=code, cell=moves[later]
            )
        if rules.no_return and code[later + 1] == code[later - 1]:
            return say(
                "The opening code {code} would send back to board {board},"
                " which these rules forbid",
                code=code,
                board=code[later - 1],
            )
    return None


def is_drawable(rules: Rules, code: str) -> bool:
    """Whether a code may be drawn: it is valid and does not begin the known forced win.

    A player may still type one that does.

    Examples:
        >>> rules = Rules.parse("random-four")
        >>> is_drawable(rules, "12345"), is_drawable(rules, "55152")
        (True, False)
    """
    is_known_win = rules.won_board is WonBoard.FORCED and _KNOWN_WIN.fullmatch(code) is not None
    return not is_known_win and _refusal(rules, code) is None


def draw_opening_code(rules: Rules, *, seed: int | None = None) -> str | None:
    """Draw a drawable opening code uniformly at random; None if the rules need none.

    Examples:
        >>> draw_opening_code(Rules()) is None
        True
        >>> len(draw_opening_code(Rules.parse("random-four"), seed=1))
        5
    """
    if not rules.needs_opening_code:
        return None
    rng = random.Random(seed)
    if rules.opening is Opening.SYMMETRIC:
        return rng.choice(SYMMETRIC_CODES)
    while not is_drawable(rules, code := "".join(rng.choices("123456789", k=5))):
        pass
    return code


def opening_code_of(rules: Rules, moves: tuple[Cell, ...]) -> str | None:
    """Return the random opening's code that these first moves spell; None if no code can.

    Examples:
        >>> opening_code_of(Rules.parse("random-four"), (1, 11, 21, 31))
        '12345'
    """
    if rules.opening is not Opening.RANDOM_FOUR:
        return None
    if len(moves) < 4:
        raise IllegalMoveError(say("A random opening has four moves"))
    return "".join(f"{move // 9 + 1}" for move in moves[:4]) + f"{moves[3] % 9 + 1}"
