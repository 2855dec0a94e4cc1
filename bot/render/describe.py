"""A position in plain words: for screen readers and for the line above a board."""

import unicodedata
from collections.abc import Iterable

from engine import BoardStatus, Ending, O, Outcome, Position, WonBoard, X

_LETTERS = "XO"

# Two names and a status of these lengths leave room for the fullest position in an alt text.
_LONGEST_NAME = 40
_LONGEST_STATUS = 100


def status_line(position: Position, selected_board: int | None = None) -> str:
    """Return whose turn it is and where, or how the game ended, in a few words.

    Args:
        position: Any position of depth 2.
        selected_board: The board already picked by a side that may choose.
    """
    outcome = position.outcome
    if outcome is not None:
        return _result(outcome)
    playable = position.playable_boards
    board = selected_board if selected_board in playable else None
    if len(playable) == 1:
        board = playable[0]
    where = "choose a board" if board is None else f"board {board + 1}"
    return f"{_LETTERS[position.side]} to move: {where}"


def describe_position(
    position: Position, names: tuple[str, str], *, status: str | None = None
) -> str:
    """Tell the whole position in words, at most 1024 characters.

    Boards and cells are counted 1 to 9 row by row, as on the buttons.

    Args:
        position: Any position of depth 2.
        names: Whoever plays X and O; long ones are shortened.
        status: Said instead of whose turn it is, for a game that ended off the
            board ("O resigned"); long ones are shortened.

    Raises:
        ValueError: If the game does not consist of nine local boards.
    """
    if position.rules.depth != 2:
        raise ValueError(f"only games of depth 2 are described, got {position.rules.key!r}")
    first, second = (_spoken_name(name, side) for side, name in enumerate(names))
    sentences = [
        f"Ultimate tic-tac-toe after {_counted(position.ply, 'move')}.",
        f"X: {first}. O: {second}.",
        _turn(position) if status is None else f"{_one_line(status, _LONGEST_STATUS)}.",
    ]
    if position.last_move is not None:
        sentences.append(_last_move(position, position.last_move))
    sentences += _owners(position)
    sentences += _marks(position)
    text = " ".join(sentences)
    assert len(text) <= 1024
    return text


def _spoken_name(name: str, side: int) -> str:
    """Return `name` ready to be read out, or the mark where nothing is left of it."""
    return _one_line(name, _LONGEST_NAME) or f"player {_LETTERS[side]}"


def _one_line(text: str, longest: int) -> str:
    """Return `text` on one line without control characters, shortened."""
    visible = "".join(
        character if unicodedata.category(character)[0] not in "CZ" else " "
        for character in text[: 4 * longest]
        if unicodedata.category(character) != "Cf"
    )
    line = " ".join(visible.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _counted(count: int, noun: str) -> str:
    """Return a number with its noun in the right form."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _numbers(places: Iterable[int]) -> str:
    """Return places, counted from 0, as people read them."""
    return ", ".join(str(place + 1) for place in places)


def _result(outcome: Outcome) -> str:
    """Return how a game ended."""
    if outcome.winner is None:
        return "A draw"
    how = {
        Ending.LINE: "three boards in a row",
        Ending.FIVE: "five boards",
        Ending.MAJORITY: "more boards",
    }
    return f"{_LETTERS[outcome.winner]} wins: {how[outcome.ending]}"


def _turn(position: Position) -> str:
    """Return who must play where, or the result with its boards."""
    outcome = position.outcome
    if outcome is not None:
        boards = f" ({_numbers(outcome.line)})" if outcome.line else ""
        return f"{_result(outcome)}{boards}."
    side, playable = _LETTERS[position.side], position.playable_boards
    if len(playable) == 1:
        return f"{side} to move, must play in board {playable[0] + 1}."
    if len(playable) == 9:
        return f"{side} to move, may play in any board."
    return f"{side} to move, may play in boards {_numbers(playable)}."


def _last_move(position: Position, move: int) -> str:
    """Return what was played last."""
    board, slot = divmod(move, 9)
    mark = position.mark_at(move)
    assert mark is not None
    return f"Last move: {_LETTERS[mark]} in board {board + 1}, cell {slot + 1}."


def _owners(position: Position) -> list[str]:
    """Return which boards are decided, and which are still empty."""
    groups = [
        (title, [board for board in range(9) if position.board_status(board) is status])
        for title, status in (
            ("Won by X", BoardStatus.X_WON),
            ("Won by O", BoardStatus.O_WON),
            ("Drawn", BoardStatus.DRAWN),
        )
    ]
    groups.append(("Empty", [board for board in range(9) if not any(_cells(position, board))]))
    return [
        f"{title}: {'board' if len(boards) == 1 else 'boards'} {_numbers(boards)}."
        for title, boards in groups
        if boards
    ]


def _marks(position: Position) -> list[str]:
    """Return the marks of every board that can still be played in."""
    stays_open = position.rules.won_board is not WonBoard.CLOSED
    sentences = []
    for board in range(9):
        ongoing = position.board_status(board) is BoardStatus.ONGOING
        if ongoing or (stays_open and position.has_room(board)):
            parts = [
                f"{_LETTERS[side]} {_numbers(slots)}"
                for side, slots in zip((X, O), _cells(position, board), strict=True)
                if slots
            ]
            if parts:
                sentences.append(f"Board {board + 1}: {'; '.join(parts)}.")
    return sentences


def _cells(position: Position, board: int) -> tuple[list[int], list[int]]:
    """Return the slots of a board that hold an X, and those that hold an O."""
    marks = [position.mark_at(9 * board + slot) for slot in range(9)]
    return (
        [slot for slot in range(9) if marks[slot] == X],
        [slot for slot in range(9) if marks[slot] == O],
    )
