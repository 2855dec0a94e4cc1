"""A position in plain words, for screen readers: one teller for each depth of game."""

from collections.abc import Callable
from typing import Final

from bot.language import N_, _, ngettext
from bot.render.describe_strategic import strategic_sentences
from bot.render.words import LETTERS, numbers, one_line, told_marks, told_result
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
        one_line(name, _LONGEST_NAME) or _("player {mark}").format(mark=LETTERS[side])
        for side, name in enumerate(names)
    )
    text = ngettext(
        "{game} after {count} move. X: {first}. O: {second}.",
        "{game} after {count} moves. X: {first}. O: {second}.",
        position.ply,
    ).format(game=_(title), count=position.ply, first=first, second=second)
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
    turn = _("{mark} to move.").format(mark=LETTERS[position.side])
    if outcome is not None:
        line = f" ({numbers(outcome.line)})" if outcome.line else ""
        turn = f"{told_result(outcome, 1)}{line}."
    sentences = [turn]
    if position.last_move is not None:
        mark = LETTERS[1 - position.side]
        words = _("Last move: {mark} in cell {cell}.")
        sentences.append(words.format(mark=mark, cell=position.last_move + 1))
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
        words = _("{mark} to move, must play in board {boards}.")
    elif len(playable) == 9:
        words = _("{mark} to move, may play in any board.")
    else:
        words = _("{mark} to move, may play in boards {boards}.")
    return words.format(mark=side, boards=numbers(playable))


def _last_move(position: Position) -> list[str]:
    """Return what was played last, if anything was."""
    if position.last_move is None:
        return []
    board, slot = divmod(position.last_move, 9)
    mark = LETTERS[1 - position.side]
    words = _("Last move: {mark} in board {board}, cell {cell}.")
    return [words.format(mark=mark, board=board + 1, cell=slot + 1)]


def _owners(position: Position) -> list[str]:
    """Return which boards are decided, and which are still empty."""
    statuses = [position.board_status(board) for board in range(9)]
    held = {
        status: [board for board in range(9) if statuses[board] is status] for status in BoardStatus
    }
    empty = [board for board in range(9) if not told_marks(position, board)]
    x_won, o_won, drawn = (
        held[status] for status in (BoardStatus.X_WON, BoardStatus.O_WON, BoardStatus.DRAWN)
    )
    drawn_words = ngettext("Drawn: board {boards}.", "Drawn: boards {boards}.", len(drawn))
    if position.rules.drawn_board is DrawnBoard.BOTH:
        drawn_words = ngettext(
            "Drawn, counting for both: board {boards}.",
            "Drawn, counting for both: boards {boards}.",
            len(drawn),
        )
    groups = [
        (ngettext("Won by X: board {boards}.", "Won by X: boards {boards}.", len(x_won)), x_won),
        (ngettext("Won by O: board {boards}.", "Won by O: boards {boards}.", len(o_won)), o_won),
        (drawn_words, drawn),
        (ngettext("Empty: board {boards}.", "Empty: boards {boards}.", len(empty)), empty),
    ]
    return [words.format(boards=numbers(boards)) for words, boards in groups if boards]


def _marks(position: Position) -> list[str]:
    """Return the marks of every board that can still be played in."""
    stays_open = position.rules.won_board is not WonBoard.CLOSED
    sentences = []
    for board in range(9):
        ongoing = position.board_status(board) is BoardStatus.ONGOING
        if ongoing or (stays_open and position.has_room(board)):
            marks = told_marks(position, board)
            if marks:
                words = _("Board {board}: {marks}.")
                sentences.append(words.format(board=board + 1, marks=marks))
    return sentences


_TELLERS: Final[dict[int, tuple[str, Callable[[Position, tuple[int, ...]], list[str]]]]] = {
    1: (N_("Tic-tac-toe"), _single_sentences),
    2: (N_("Ultimate tic-tac-toe"), _nine_sentences),
    3: (N_("Strategic tic-tac-toe"), strategic_sentences),
}
