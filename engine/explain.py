"""Why not there? One sentence that names the rule forbidding a move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import Sentence, say
from engine.notation import format_board, format_move
from engine.outcome import BoardStatus, other
from engine.rules import WonBoard
from engine.sending import named_boards
from engine.types import Cell
from engine.variants import variant_of

if TYPE_CHECKING:
    from engine.position import Position


def explain_refusal(position: Position, move: Cell) -> Sentence:
    """Say why `move`, which is not legal in this running game, is refused."""
    rules = position.rules
    if not 0 <= move < rules.cell_count:
        last = rules.cell_count - 1
        return say("There is no cell {cell}: cells are numbered 0 to {last}.", cell=move, last=last)
    text = format_move(move, rules)
    if (mark := position.mark_at(move)) is not None:
        return say("Cell {cell} is taken by {mark}.", cell=text, mark="XO"[mark])
    if position.ply == 0 and rules.bans_centre and move == rules.centre:
        return say("The centre of everything, {cell}, may not be the very first move.", cell=text)
    if rules.depth > 1 and move // 9 not in position.playable_boards:
        return _wrong_board(position, move)
    return say(
        "{cell} would send {mark} back to board {board}, where {mark} has just played:"
        " that is not allowed here.",
        cell=text,
        mark="XO"[other(position.side)],
        board=format_board(named_boards(rules)[move], rules),
    )


def _wrong_board(position: Position, move: Cell) -> Sentence:
    """Say why the board of `move` may not be played in."""
    path = position.target_path
    if position.target is not None:
        return _elsewhere(position, position.target)
    if path and move // 81 != path[0]:
        return say(
            "You were sent into board {board}: play in one of {boards}.",
            board=path[0] + 1,
            boards=_choices(position),
        )
    return _closed(position, move)


def _elsewhere(position: Position, target: int) -> Sentence:
    """Say in which board alone one may play."""
    board = format_board(target, position.rules)
    status = position.board_status(target)
    if status is BoardStatus.ONGOING:
        return say("You were sent to board {board}: play there.", board=board)
    variant = variant_of(position.rules).name
    if status.winner is None:
        return say(
            "You were sent to board {board}. It is drawn but has room, and this is {variant}:"
            " play there.",
            board=board,
            variant=variant,
        )
    return say(
        "You were sent to board {board}. It is won by {mark} but has room, and this is {variant}:"
        " play there.",
        board=board,
        mark="XO"[status.winner],
        variant=variant,
    )


def _closed(position: Position, move: Cell) -> Sentence:
    """Say what closes the board of `move`, looking from the outside in, and what is open."""
    rules = position.rules
    boards, variant = _choices(position), variant_of(rules).name
    shown = format_board(move // 9, rules)
    for depth in range(1, rules.depth):
        status = position.board_status(move // 9 ** (rules.depth - depth), depth=depth)
        if status is not BoardStatus.ONGOING:
            words = _CLOSED[status is BoardStatus.DRAWN, rules.won_board is WonBoard.CLOSED]
            values = {"board": shown[:depth], "variant": variant, "boards": boards}
            return Sentence(words.template, values)
    # It cannot be played in for lack of moves that do not send back.
    return say(
        "Every cell of board {board} would send back: play in {boards}.",
        board=shown,
        boards=boards,
    )


# By whether the board is drawn, and whether only ongoing boards are open.
_CLOSED: Final = {
    (False, True): say(
        "Board {board} is won and this is {variant}: play in any ongoing board: {boards}."
    ),
    (True, True): say(
        "Board {board} is drawn and this is {variant}: play in any ongoing board: {boards}."
    ),
    (False, False): say(
        "Board {board} is won and this is {variant}: play in any board with room: {boards}."
    ),
    (True, False): say(
        "Board {board} is drawn and this is {variant}: play in any board with room: {boards}."
    ),
}


def _choices(position: Position) -> str:
    """Return the boards that may be played in; whole strategic boards when they are many."""
    boards = position.playable_boards
    if len(boards) > 9:
        return ", ".join(f"{board + 1}" for board in position.playable_at(1))
    return ", ".join(format_board(board, position.rules) for board in boards)
