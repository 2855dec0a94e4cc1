"""A position in plain words, for screen readers: one teller for each depth of game."""

from collections.abc import Callable
from typing import Final

from bot.render.describe_strategic import strategic_sentences
from bot.render.words import LETTERS, counted, numbers, one_line, told_marks, told_result
from engine import BoardStatus, DrawnBoard, Position, WonBoard

_LONGEST: Final = 1024

# Two names and a status of these lengths leave room for the fullest position in an alt text.
_LONGEST_NAME: Final = 40
_LONGEST_STATUS: Final = 100


def describe_position(
    position: Position,
    names: tuple[str, str],
    *,
    status: str | None = None,
    selected: tuple[int, ...] = (),
) -> str:
    """Tell the whole position in words, at most 1024 characters.

    Boards and cells are counted 1 to 9 row by row, as on the buttons. A game of 729 cells
    is told as far as it fits: all owners, and the marks of the boards in play.

    Args:
        position: Any position.
        names: Whoever plays X and O; long ones are shortened.
        status: Said instead of whose turn it is, for a game that ended off the
            board ("O resigned"); long ones are shortened.
        selected: The places already picked, as in `BoardPicture`.
    """
    title, tell = _TELLERS[position.rules.depth]
    turn, *details = tell(position, selected)
    first, second = (
        one_line(name, _LONGEST_NAME) or f"player {LETTERS[side]}"
        for side, name in enumerate(names)
    )
    text = f"{title} after {counted(position.ply, 'move')}. X: {first}. O: {second}."
    for sentence in [turn if status is None else f"{one_line(status, _LONGEST_STATUS)}.", *details]:
        longer = f"{text} {sentence}"
        # Discord counts UTF-16 units in some places: a name of emoji counts double.
        if len(longer.encode("utf-16-le")) <= 2 * _LONGEST:
            text = longer
    return text


def _nine_sentences(position: Position, _selected: tuple[int, ...]) -> list[str]:
    """Tell a game of nine local boards."""
    return [_turn(position), *_last_move(position), *_owners(position), *_marks(position)]


def _single_sentences(position: Position, _selected: tuple[int, ...]) -> list[str]:
    """Tell a game of one board."""
    outcome = position.outcome
    turn = f"{LETTERS[position.side]} to move."
    if outcome is not None:
        line = f" ({numbers(outcome.line)})" if outcome.line else ""
        turn = f"{told_result(outcome, 1)}{line}."
    sentences = [turn]
    if position.last_move is not None:
        mark = LETTERS[1 - position.side]
        sentences.append(f"Last move: {mark} in cell {position.last_move + 1}.")
        sentences.append(f"{told_marks(position, 0)}.")
    return sentences


def _turn(position: Position) -> str:
    """Return who must play where, or the result with its boards."""
    outcome = position.outcome
    if outcome is not None:
        boards = f" ({numbers(outcome.line)})" if outcome.line else ""
        return f"{told_result(outcome, 2)}{boards}."
    side, playable = LETTERS[position.side], position.playable_boards
    if len(playable) == 1:
        return f"{side} to move, must play in board {playable[0] + 1}."
    if len(playable) == 9:
        return f"{side} to move, may play in any board."
    return f"{side} to move, may play in boards {numbers(playable)}."


def _last_move(position: Position) -> list[str]:
    """Return what was played last, if anything was."""
    if position.last_move is None:
        return []
    board, slot = divmod(position.last_move, 9)
    mark = LETTERS[1 - position.side]
    return [f"Last move: {mark} in board {board + 1}, cell {slot + 1}."]


def _owners(position: Position) -> list[str]:
    """Return which boards are decided, and which are still empty."""
    counts_for_both = position.rules.drawn_board is DrawnBoard.BOTH
    drawn = "Drawn, counting for both" if counts_for_both else "Drawn"
    groups = [
        (title, [board for board in range(9) if position.board_status(board) is status])
        for title, status in (
            ("Won by X", BoardStatus.X_WON),
            ("Won by O", BoardStatus.O_WON),
            (drawn, BoardStatus.DRAWN),
        )
    ]
    groups.append(("Empty", [board for board in range(9) if not told_marks(position, board)]))
    return [
        f"{title}: {'board' if len(boards) == 1 else 'boards'} {numbers(boards)}."
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
            marks = told_marks(position, board)
            if marks:
                sentences.append(f"Board {board + 1}: {marks}.")
    return sentences


_TELLERS: Final[dict[int, tuple[str, Callable[[Position, tuple[int, ...]], list[str]]]]] = {
    1: ("Tic-tac-toe", _single_sentences),
    2: ("Ultimate tic-tac-toe", _nine_sentences),
    3: ("Strategic tic-tac-toe", strategic_sentences),
}
