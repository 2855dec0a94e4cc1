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
from engine.notation import format_board, format_move, format_path
from engine.openings import SYMMETRIC_CODES, opening_code_of, opening_marks, opening_moves
from engine.position import DECIDED, FIRST_NODE, FULL, LAST, PLY, Position
from engine.rules import DrawnBoard, Goal, Opening, Rules, WonBoard
from engine.types import LINES, Cell, O, Ply, Side, X, other

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.kernels.codes import Ints

_ALL_NINE: Final = 0b111_111_111
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
        ply, nodes = _count_plies(seen), _nodes(seen)
        for depth in range(1, seen.rules.depth):
            for board in range(9**depth):
                _check_owner(seen, nodes, depth, board)
        if ply == 0:
            return _begin(seen)
        if seen.last_move is None and seen.rules.no_return:
            raise _ImpossibleError(
                "these rules forbid sending back, so the last move must be told."
            )
        return _replay_last(seen, nodes, ply)
    except _ImpossibleError as error:
        raise InvalidNotationError(f"No game leads to this position: {error}", text=text) from None


# Looking at the whole board.


def _count_plies(seen: Seen) -> Ply:
    x_count, o_count = seen.marks.count("X"), seen.marks.count("O")
    if x_count - o_count != seen.side:
        right = "as many X as O" if seen.side == 0 else "one X more than O"
        raise _ImpossibleError(
            f"with {'XO'[seen.side]} to move there must be {right},"
            f" not {x_count} X and {o_count} O."
        )
    if seen.rules.opening is Opening.SYMMETRIC:
        if _symmetric_code(seen) is None:
            raise _ImpossibleError(
                "the symmetric opening puts X and O in the centres of opposite outer boards."
            )
        return x_count + o_count - 2
    return x_count + o_count


def _symmetric_code(seen: Seen) -> str | None:
    """Return the code of a symmetric opening whose marks are there."""
    for code in SYMMETRIC_CODES:
        marks = opening_marks(seen.rules, code)
        if all(seen.marks[cell] == "XO"[mark] for cell, mark in marks):
            return code
    return None


def _nodes(seen: Seen) -> Ints:
    """Return the heap of boards with these marks and owners."""
    rules = seen.rules
    nodes = kernels.codes.empty_state(rules.depth).nodes
    heap = nodes.tolist()  # plain lists are faster to fill
    leaf = FIRST_NODE[rules.depth - 1]
    for cell, mark in enumerate(seen.marks):
        if mark != _EMPTY:
            for row in ("XO".index(mark), DECIDED, FULL):
                heap[row][leaf + cell // 9] |= 1 << cell % 9
    drawn = (X, O, DECIDED) if rules.drawn_board is DrawnBoard.BOTH else (DECIDED,)
    rows = {_ONGOING: (), "X": (X, DECIDED), "O": (O, DECIDED), _DRAWN: drawn}
    for depth in range(rules.depth - 1, 0, -1):
        for board, owner in enumerate(seen.owners[depth - 1]):
            node = FIRST_NODE[depth] + board
            parent, slot = (node - 1) // 9, 1 << (node - 1) % 9
            if heap[FULL][node] == _ALL_NINE:
                heap[FULL][parent] |= slot
            for row in rows[owner]:
                heap[row][parent] |= slot
    nodes[:] = heap
    return nodes


def _check_owner(seen: Seen, nodes: Ints, depth: int, board: int) -> None:
    rules = seen.rules
    owner = seen.owners[depth - 1][board]
    node = FIRST_NODE[depth] + board
    lines = [_has_line(nodes, side, node) for side in (X, O)]
    is_complete = nodes[DECIDED, node] == _ALL_NINE
    is_local = depth == rules.depth - 1
    name = f"board {format_board(board, rules)}" if is_local else f"strategic board {board + 1}"
    if owner in "XO" and not lines["XO".index(owner)]:
        raise _ImpossibleError(f"{name} is given to {owner}, who has no line in it.")
    if owner in (_ONGOING, _DRAWN) and any(lines):
        winner = "XO"[lines.index(True)]
        raise _ImpossibleError(f"{name} is given to nobody, but {winner} has a line in it.")
    if owner == _DRAWN and not is_complete:
        raise _ImpossibleError(f"{name} is called drawn, but is not filled.")
    if owner == _ONGOING and is_complete:
        raise _ImpossibleError(f"{name} is called ongoing, but is filled: write = for it.")
    if is_local and all(lines) and rules.won_board is WonBoard.CLOSED:
        raise _ImpossibleError(
            f"X and O both have a line in {name}, but these rules close a won board."
        )


def _has_line(nodes: Ints, side: Side, node: int) -> bool:
    """Whether a side has three in a row in a board, not all of them shared."""
    own, others = int(nodes[side, node]), int(nodes[other(side), node])
    return any(own & line == line and others & line != line for line in _LINE_MASKS)


def _is_over(nodes: Ints, rules: Rules) -> bool:
    if nodes[DECIDED, 0] == _ALL_NINE:
        return True
    if rules.goal is Goal.FIVE:
        x_owns, o_owns = int(nodes[X, 0]), int(nodes[O, 0])
        return max((x_owns & ~o_owns).bit_count(), (o_owns & ~x_owns).bit_count()) >= 5
    return _has_line(nodes, X, 0) or _has_line(nodes, O, 0)


# Beginnings.


def _begin(seen: Seen) -> Position:
    """Return a position without moves."""
    if seen.last_move is not None or seen.target:
        raise _ImpossibleError("no move has been made yet, so nobody was sent anywhere: write - -.")
    if seen.rules.opening is Opening.RANDOM_FOUR:
        raise _ImpossibleError("the random opening begins with four marks.")
    is_set_up = seen.rules.opening is Opening.SYMMETRIC
    return Position.initial(seen.rules, _symmetric_code(seen) if is_set_up else None)


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
        if seen.last_move is not None:
            return position
        state = position.search_state()
        state.head[LAST] = kernels.codes.NO_MOVE
        return Position(position.rules, state.nodes, state.head)
    if seen.last_move is None and len(reasons) > 1:
        mover, opponent = "XO"[other(seen.side)], "XO"[seen.side]
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
    if rules.opening is Opening.SYMMETRIC and _symmetric_code(before) is None:
        raise _ImpossibleError(f"{shown} is a mark of the opening, not the last move.")
    for depth in range(1, rules.depth):
        try:
            _check_owner(before, old, depth, move // 9 ** (rules.depth - depth))
        except _ImpossibleError as error:
            raise _ImpossibleError(f"before the last move {shown}, {error}") from None
    if _is_over(old, rules):
        raise _ImpossibleError(f"the game was over before the last move {shown}.")
    head = kernels.codes.empty_state(rules.depth).head
    head[PLY] = ply - 1
    try:
        position = Position(rules, old, head).after(move)
    except EngineError as error:
        raise _ImpossibleError(f"{shown} cannot have been the last move. {error}") from None
    if (position.search_state().nodes != nodes).any():
        raise _ImpossibleError(f"the last move {shown} would have changed the owners of boards.")
    target = format_path(position.sent_path)
    if target != seen.target:
        raise _ImpossibleError(f"after the last move {shown} the target is {target or '-'}.")
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
        has_line = _has_line(old, X, node) or _has_line(old, O, node)
        if row[board] == _ONGOING or has_line or old[DECIDED, node] == _ALL_NINE:
            break
        owners[depth - 1] = row[:board] + _ONGOING + row[board + 1 :]
        before = replace(before, owners=tuple(owners))
    return before
