"""Make a position from what is seen on a board, if a game can lead to it.

The rules are left to the kernel: the last move is taken back and the kernel plays it again,
which must give the board that was seen. If the last move is not known, every mark of the
player who has just moved is tried.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING, Final

from engine import kernels
from engine.errors import EngineError, InvalidNotationError
from engine.notation import format_board, format_move
from engine.openings import opening_code_of, opening_marks, opening_moves
from engine.position import Position
from engine.rules import DrawnBoard, Goal, Opening, Rules, WonBoard
from engine.types import LINES, Cell, Ply, Side, other

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.kernels.codes import Ints

FIRST_NODE: Final = (0, 1, 10)  # of the boards of each depth in the heap of boards
_ALL_NINE: Final = 0b111_111_111
_X, _O, _DECIDED, _FULL = range(4)  # rows of the heap
_PLY, _TARGET, _LAST = 0, 2, 3  # places of the head; a test compares them with the kernels'
_EMPTY, _ONGOING, _DRAWN = ".", ".", "="
_OPENING_PLIES: Final = 4
_LINE_MASKS: Final = tuple(sum(1 << place for place in line) for line in LINES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is seen on a board.

    Attributes:
        side: Who is to move, `X` or `O`.
        last_move: The move that led here; None before the first, or if it is not known.
        target: The digits from the outermost board to the board that the last move
            binds to, whether or not the game is over; empty if it binds to none.
        owners: For every depth, from the nine boards inwards, the status of each board:
            "X", "O", "=" (drawn) or "." (ongoing).
        marks: "X", "O" or "." for every cell.
    """

    rules: Rules
    side: Side
    last_move: Cell | None
    target: str
    owners: tuple[str, ...]
    marks: str


class _ImpossibleError(Exception):
    """No game leads to what was seen; the message is a sentence that says why."""


def set_up(seen: Seen, text: str) -> Position:
    """Return the position that was seen; `text` is what it was read from, for the error.

    Raises:
        InvalidNotationError: If no game seems to lead to it.
    """
    try:
        return _set_up(seen)
    except _ImpossibleError as error:
        raise InvalidNotationError(f"No game leads to this position: {error}", text=text) from None


def target_digits(position: Position) -> str:
    """Return the digits of the board that the last move binds to, after the end as well."""
    node = int(position.search_state().head[_TARGET])
    digits = ""
    while node > 0:
        node, place = divmod(node - 1, 9)
        digits = f"{place + 1}{digits}"
    return digits


def _set_up(seen: Seen) -> Position:
    ply = _count_plies(seen)
    nodes = _nodes(seen)
    _check_owners(seen, nodes)
    if ply == 0:
        return _begin(seen)
    if seen.last_move is None and seen.rules.no_return:
        raise _ImpossibleError("these rules forbid sending back, so the last move must be told.")
    return _replay_last(seen, nodes, ply)


# Looking at the whole board.


def _count_plies(seen: Seen) -> Ply:
    """Return the number of moves that made the marks."""
    x_count, o_count = seen.marks.count("X"), seen.marks.count("O")
    if x_count - o_count != seen.side:
        right = "as many X as O" if seen.side == 0 else "one X more than O"
        raise _ImpossibleError(
            f"with {'XO'[seen.side]} to move there must be {right},"
            f" not {x_count} X and {o_count} O."
        )
    if seen.rules.opening is Opening.SYMMETRIC:
        if not _has_set_up(seen.marks, seen.rules):
            raise _ImpossibleError(
                "the symmetric opening puts X and O in the centres of opposite outer boards."
            )
        return x_count + o_count - 2
    return x_count + o_count


def _has_set_up(marks: str, rules: Rules) -> bool:
    return any(
        all(marks[cell] == "XO"[mark] for cell, mark in opening_marks(rules, code))
        for code in "12346789"
    )


def _nodes(seen: Seen) -> Ints:
    """Return the heap of boards with these marks and owners."""
    rules = seen.rules
    nodes = kernels.codes.empty_state(rules.depth).nodes
    heap = nodes.tolist()  # plain lists are faster to fill
    leaf = FIRST_NODE[rules.depth - 1]
    for cell, mark in enumerate(seen.marks):
        if mark != _EMPTY:
            for row in ("XO".index(mark), _DECIDED, _FULL):
                heap[row][leaf + cell // 9] |= 1 << cell % 9
    for depth in range(rules.depth - 1, 0, -1):
        for board, owner in enumerate(seen.owners[depth - 1]):
            node = FIRST_NODE[depth] + board
            parent, slot = (node - 1) // 9, 1 << (node - 1) % 9
            if heap[_FULL][node] == _ALL_NINE:
                heap[_FULL][parent] |= slot
            for row in _rows_of(owner, rules):
                heap[row][parent] |= slot
    nodes[:] = heap
    return nodes


def _rows_of(owner: str, rules: Rules) -> tuple[int, ...]:
    """Return the rows in which a board with this owner is marked."""
    if owner == _ONGOING:
        return ()
    if owner == _DRAWN:
        return (_X, _O, _DECIDED) if rules.drawn_board is DrawnBoard.BOTH else (_DECIDED,)
    return ("XO".index(owner), _DECIDED)


def _check_owners(seen: Seen, nodes: Ints) -> None:
    """Compare the owner of every board with its contents."""
    for depth in range(1, seen.rules.depth):
        for board in range(9**depth):
            _check_owner(seen, nodes, depth, board)


def _check_owner(seen: Seen, nodes: Ints, depth: int, board: int) -> None:
    """Compare the owner of a board with its contents."""
    rules = seen.rules
    owner = seen.owners[depth - 1][board]
    node = FIRST_NODE[depth] + board
    lines = [_has_line(nodes, side, node) for side in (_X, _O)]
    is_complete = nodes[_DECIDED, node] == _ALL_NINE
    name = _name(board, depth, rules)
    if owner in "XO" and not lines["XO".index(owner)]:
        raise _ImpossibleError(f"{name} is given to {owner}, who has no line in it.")
    if owner in (_ONGOING, _DRAWN) and any(lines):
        winner = "XO"[lines.index(True)]
        raise _ImpossibleError(f"{name} is given to nobody, but {winner} has a line in it.")
    if owner == _DRAWN and not is_complete:
        raise _ImpossibleError(f"{name} is called drawn, but is not filled.")
    if owner == _ONGOING and is_complete:
        raise _ImpossibleError(f"{name} is called ongoing, but is filled: write = for it.")
    is_local = depth == rules.depth - 1
    if is_local and all(lines) and rules.won_board is WonBoard.CLOSED:
        raise _ImpossibleError(
            f"X and O both have a line in {name}, but these rules close a won board."
        )


def _name(board: int, depth: int, rules: Rules) -> str:
    if depth == rules.depth - 1:
        return f"board {format_board(board, rules)}"
    return f"strategic board {board + 1}"


def _has_line(nodes: Ints, side: Side, node: int) -> bool:
    """Whether a side has three in a row in a board, not all of them shared."""
    own, others = int(nodes[side, node]), int(nodes[other(side), node])
    return any(own & line == line and others & line != line for line in _LINE_MASKS)


def _is_over(nodes: Ints, rules: Rules) -> bool:
    """Whether a game with these boards has ended."""
    x_owns, o_owns = int(nodes[_X, 0]), int(nodes[_O, 0])
    if nodes[_DECIDED, 0] == _ALL_NINE:
        return True
    if rules.goal is Goal.FIVE:
        return max((x_owns & ~o_owns).bit_count(), (o_owns & ~x_owns).bit_count()) >= 5
    return _has_line(nodes, _X, 0) or _has_line(nodes, _O, 0)


# Beginnings.


def _begin(seen: Seen) -> Position:
    """Return a position without moves."""
    if seen.last_move is not None or seen.target:
        raise _ImpossibleError("no move has been made yet, so nobody was sent anywhere: write - -.")
    if seen.rules.opening is Opening.RANDOM_FOUR:
        raise _ImpossibleError("the random opening begins with four marks.")
    if seen.rules.opening is not Opening.SYMMETRIC:
        return Position.initial(seen.rules)
    code = next(
        code for code in "12346789" if seen.marks[opening_marks(seen.rules, code)[0][0]] == "X"
    )
    return Position.initial(seen.rules, code)


def _last_of_four(seen: Seen) -> Iterator[Cell]:
    """Yield the fourth move of every random opening that makes these marks."""
    crosses, noughts = (
        [cell for cell, mark in enumerate(seen.marks) if mark == sign] for sign in "XO"
    )
    if len(crosses) + len(noughts) < _OPENING_PLIES:
        return
    for first, third in permutations(crosses):
        for second, fourth in permutations(noughts):
            moves = (first, second, third, fourth)
            code = opening_code_of(seen.rules, moves)
            with suppress(EngineError):
                if opening_moves(seen.rules, code) == moves:
                    yield fourth


# The last move.


def _replay_last(seen: Seen, nodes: Ints, ply: Ply) -> Position:
    """Return the position after the last move, which is looked for if it is not known."""
    reasons = []
    for move in _candidates(seen, ply):
        try:
            position = _replay(seen, nodes, ply, move)
        except _ImpossibleError as error:
            reasons.append(str(error))
            continue
        return position if seen.last_move is not None else _without_last(position)
    mover = "XO"[other(seen.side)]
    if seen.last_move is None and len(reasons) > 1:
        opponent = "XO"[seen.side]
        sent = (
            f"send {opponent} to board {seen.target}" if seen.target else f"leave {opponent} free"
        )
        raise _ImpossibleError(f"no last move of {mover} could leave it and {sent}.")
    raise _ImpossibleError(reasons[0])


def _candidates(seen: Seen, ply: Ply) -> list[Cell]:
    """Return the moves that may have been the last, at least one."""
    mover = "XO"[other(seen.side)]
    found = [cell for cell, mark in enumerate(seen.marks) if mark == mover]
    if seen.rules.opening is Opening.RANDOM_FOUR and ply <= _OPENING_PLIES:
        found = list(_last_of_four(seen))
        if not found:
            raise _ImpossibleError("its first four marks are no random opening.")
    if seen.last_move is None:
        return found
    if seen.last_move not in found:
        shown = format_move(seen.last_move, seen.rules)
        why = f"is not marked {mover}" if seen.marks[seen.last_move] != mover else "does not fit"
        raise _ImpossibleError(f"the last move {shown} {why}.")
    return [seen.last_move]


def _replay(seen: Seen, nodes: Ints, ply: Ply, move: Cell) -> Position:
    """Take `move` back, play it again, and see whether that gives the same board."""
    rules = seen.rules
    shown = format_move(move, rules)
    before = _take_back(seen, move)
    old = _nodes(before)
    if rules.opening is Opening.SYMMETRIC and not _has_set_up(before.marks, rules):
        raise _ImpossibleError(f"{shown} is a mark of the opening, not the last move.")
    for depth in range(1, rules.depth):
        try:
            _check_owner(before, old, depth, move // 9 ** (rules.depth - depth))
        except _ImpossibleError as error:
            raise _ImpossibleError(f"before the last move {shown}, {error}") from None
    if _is_over(old, rules):
        raise _ImpossibleError(f"the game was over before the last move {shown}.")
    head = kernels.codes.empty_state(rules.depth).head
    head[_PLY] = ply - 1
    try:
        position = Position(rules, old, head).after(move)
    except EngineError as error:
        raise _ImpossibleError(f"{shown} cannot have been the last move. {error}") from None
    state = position.search_state()
    if (state.nodes != nodes).any():
        raise _ImpossibleError(f"the last move {shown} would have changed the owners of boards.")
    if target_digits(position) != seen.target:
        right = target_digits(position) or "-"
        raise _ImpossibleError(f"after the last move {shown} the target is {right}.")
    return position


def _take_back(seen: Seen, move: Cell) -> Seen:
    """Return what was seen before the last move.

    A decided board was ongoing before if, without the mark, it has neither a line nor
    all its places decided; otherwise the move changed neither it nor any board around it.
    """
    marks = seen.marks[:move] + _EMPTY + seen.marks[move + 1 :]
    before = replace(seen, marks=marks)
    owners = list(seen.owners)
    for depth in range(seen.rules.depth - 1, 0, -1):
        board = move // 9 ** (seen.rules.depth - depth)
        row = owners[depth - 1]
        old = _nodes(before)
        node = FIRST_NODE[depth] + board
        was_decided = (
            old[_DECIDED, node] == _ALL_NINE or _has_line(old, _X, node) or _has_line(old, _O, node)
        )
        if row[board] == _ONGOING or was_decided:
            break
        owners[depth - 1] = row[:board] + _ONGOING + row[board + 1 :]
        before = replace(before, owners=tuple(owners))
    return before


def _without_last(position: Position) -> Position:
    """Return the position with its last move forgotten."""
    state = position.search_state()
    state.head[_LAST] = kernels.codes.NO_MOVE
    return Position(position.rules, state.nodes, state.head)
