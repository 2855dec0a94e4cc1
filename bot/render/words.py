"""The words that pictures and descriptions share."""

import unicodedata
from collections.abc import Iterable

from bot.language import _
from bot.render.picture import path_in_play
from engine import Ending, O, Outcome, Position, X

LETTERS = "XO"


def status_line(position: Position, selected: tuple[int, ...] = ()) -> str:
    """Return whose turn it is and where, or how the game ended, in a few words.

    Args:
        position: Any position.
        selected: The places already picked by a side that may choose, as in `BoardPicture`.

    Examples:
        >>> from engine import Rules
        >>> status_line(Position.initial(Rules(depth=3)), (4,))
        'X to move: choose a board in 5'
    """
    if position.outcome is not None:
        return told_result(position.outcome, position.rules.depth)
    path = path_in_play(position, selected)
    if position.rules.depth == 1:
        words = _("{mark} to move")
    elif len(path) == position.rules.depth - 1:
        words = _("{mark} to move: board {board}")
    elif path:
        words = _("{mark} to move: choose a board in {board}")
    else:
        words = _("{mark} to move: choose a board")
    return words.format(mark=LETTERS[position.side], board=board_name(path))


def board_name(path: tuple[int, ...]) -> str:
    """Name a board: 5, or a board in a board; nobody is to read 53 as a number."""
    places = [place + 1 for place in path]
    if len(places) < 2:
        return "".join(map(str, places))
    board, inner = places
    return _("{board}, sub-board {inner}").format(board=board, inner=inner)


def told_result(outcome: Outcome, depth: int) -> str:
    """Return how a game ended.

    Examples:
        >>> told_result(Outcome(winner=0, ending=Ending.LINE, line=(0, 1, 2)), 2)
        'X wins: three boards in a row'
    """
    if outcome.winner is None:
        return _("A draw")
    words = {
        Ending.LINE: _("{mark} wins: three boards in a row"),
        Ending.FIVE: _("{mark} wins: five boards"),
        Ending.MAJORITY: _("{mark} wins: more boards"),
    }[outcome.ending]
    if outcome.ending is Ending.LINE and depth == 1:
        words = _("{mark} wins: three in a row")
    return words.format(mark=LETTERS[outcome.winner])


def one_line(text: str, longest: int) -> str:
    r"""Return `text` on one line without control characters, shortened.

    Examples:
        >>> one_line("two \n lines", 5)
        'two…'
    """
    visible = "".join(
        character if unicodedata.category(character)[0] not in "CZ" else " "
        for character in text[: 4 * longest]
        if unicodedata.category(character) != "Cf"
    )
    line = " ".join(visible.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun in the right form.

    Examples:
        >>> counted(1, "move"), counted(2, "move")
        ('1 move', '2 moves')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def numbers(places: Iterable[int], separator: str = ", ") -> str:
    """Return places, counted from 0, as people read them.

    Examples:
        >>> numbers([0, 8])
        '1, 9'
    """
    return separator.join(str(place + 1) for place in places)


def told_marks(position: Position, board: int) -> str:
    """Return the marks of a local board, empty where there are none.

    Examples:
        >>> from engine import Rules
        >>> told_marks(Position.initial(Rules()).after(40), 4)
        'X 5'
    """
    marks = [position.mark_at(9 * board + slot) for slot in range(9)]
    return "; ".join(
        f"{LETTERS[side]} {numbers(slot for slot in range(9) if marks[slot] == side)}"
        for side in (X, O)
        if side in marks
    )
