"""Why not there? One sentence that names the rule forbidding a move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.notation import format_board, format_move
from engine.outcome import BoardStatus
from engine.rules import WonBoard
from engine.sending import named_boards
from engine.variants import variant_of

if TYPE_CHECKING:
    from engine.position import Position


def explain_refusal(position: Position, move: int) -> str:
    """Say why `move`, which is not legal in this running game, is refused."""
    rules = position.rules
    if not 0 <= move < rules.cell_count:
        return f"There is no cell {move}: cells are numbered 0 to {rules.cell_count - 1}."
    text = format_move(move, rules)
    if (mark := position.mark_at(move)) is not None:
        return f"Cell {text} is taken by {'XO'[mark]}."
    if position.ply == 0 and rules.bans_centre and move == rules.centre:
        return f"The centre of everything, {text}, may not be the very first move."
    if rules.depth > 1 and move // 9 not in position.playable_boards:
        return _wrong_board(position, move)
    back = format_board(named_boards(rules)[move], rules)
    return (
        f"{text} would send {'XO'[1 - position.side]} back to board {back}, where"
        f" {'XO'[1 - position.side]} has just played: that is not allowed here."
    )


def _wrong_board(position: Position, move: int) -> str:
    """Say why the board of `move` may not be played in."""
    rules = position.rules
    path = position.target_path
    shown = format_board(move // 9, rules)
    if position.target is not None:
        named = format_board(position.target, rules)
        status = position.board_status(position.target)
        if status is BoardStatus.ONGOING:
            return f"You were sent to board {named}: play there."
        return (
            f"You were sent to board {named}. It is {status.value} but has room, and this is"
            f" {_rules_name(position)}: play there."
        )
    if path and move // 81 != path[0]:
        return f"You were sent into board {path[0] + 1}: play in one of {_choices(position)}."
    kind = "ongoing board" if rules.won_board is WonBoard.CLOSED else "board with room"
    state = _state_of(position, move, shown)
    if state is None:  # cannot be played in for lack of moves that do not send back
        return f"Every cell of board {shown} would send back: play in {_choices(position)}."
    return f"{state} and this is {_rules_name(position)}: play in any {kind}: {_choices(position)}."


def _state_of(position: Position, move: int, shown: str) -> str | None:
    """Return words on what closes the board of `move`, looking from the outside in."""
    for level in range(1, position.rules.depth):
        board = move // 9 ** (position.rules.depth - level)
        status = position.board_status(board, level=level)
        if status is not BoardStatus.ONGOING:
            name = shown[:level]
            return f"Board {name} is {'drawn' if status is BoardStatus.DRAWN else 'won'}"
    return None


def _choices(position: Position) -> str:
    """Return the boards that may be played in; whole strategic boards when they are many."""
    boards = position.playable_boards
    if len(boards) > 9:
        return ", ".join(f"{board + 1}" for board in position.playable_at(1))
    return ", ".join(format_board(board, position.rules) for board in boards)


def _rules_name(position: Position) -> str:
    name = variant_of(position.rules).name
    return name if name != "Custom" else f"a game of {position.rules.key}"
