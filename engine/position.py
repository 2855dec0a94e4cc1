"""Positions: immutable values on top of the general kernel; and why a move is refused."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from engine import kernels
from engine.errors import GameOverError, IllegalMoveError, Sentence, say
from engine.notation import format_board, format_move
from engine.openings import opening_marks, opening_moves
from engine.rules import Goal, Rules, WonBoard
from engine.sending import named_boards
from engine.types import LINES, BoardStatus, Cell, Ending, O, Outcome, Ply, Side, X, other
from engine.variants import variant_of

if TYPE_CHECKING:
    from engine.kernels.codes import Ints, Loaded, State

# Places in the kernel's arrays, repeated here because importing kernels.codes would import numpy
# (a test compares them). Rows 0 and 1 of the heap of boards are those of X and O.
DECIDED, FULL = 2, 3
PLY, RESULT, TARGET, LAST = 0, 1, 2, 3
FIRST_NODE: Final = (0, 1, 10)  # of the boards of each depth in the heap of boards
_STATUS_BY_RESULT: Final = {
    0: BoardStatus.ONGOING,
    1: BoardStatus.X_WON,
    2: BoardStatus.O_WON,
    3: BoardStatus.DRAWN,
}


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
    if position.target is not None:
        return _elsewhere(position, position.target)
    path = position.target_path
    if path and move // 81 != path[0]:
        return say(
            "You were sent into board {board}: play in one of {boards}.",
            board=path[0] + 1,
            boards=_choices(position),
        )
    return _closed(position, move)


def _elsewhere(position: Position, target: int) -> Sentence:
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
            return words.format(board=shown[:depth], variant=variant, boards=boards)
    # The board is open, but every move there would send back.
    return say(
        "Every cell of board {board} would send back: play in {boards}.", board=shown, boards=boards
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


@cache
def loaded_rules(rules: Rules) -> Loaded:
    """Return the rule codes and tables of `rules` for the kernels."""
    codes = kernels.codes.RuleCodes(
        depth=rules.depth,
        won_board=int(rules.won_board),
        goal=int(rules.goal),
        tiebreak=int(rules.tiebreak),
        drawn_board=int(rules.drawn_board),
        no_return=int(rules.no_return),
        banned_first=rules.centre if rules.bans_centre else kernels.codes.NO_MOVE,
    )
    return kernels.codes.load(codes, named_boards(rules))


class Position:
    """Marks on a board, whose turn it is and where they may play; a value.

    Two positions are equal when rules, marks, side, target and last move are.

    Examples:
        >>> start = Position.initial(Rules())
        >>> len(start.legal_moves)
        81
        >>> start.after(40).legal_moves
        (36, 37, 38, 39, 41, 42, 43, 44)
    """

    __slots__ = ("_head", "_key", "_legal_moves", "_nodes", "rules")

    def __init__(self, rules: Rules, nodes: Ints, head: Ints) -> None:
        """Wrap kernel arrays, which the position owns from now on; see `initial` and `after`."""
        self.rules = rules
        self._nodes = nodes
        self._head = head
        self._legal_moves: tuple[Cell, ...] | None = None
        self._key: tuple[Rules, bytes, bytes] | None = None

    @classmethod
    def initial(cls, rules: Rules, opening_code: str | None = None) -> Position:
        """Return the position before the first free move.

        Raises:
            InvalidNotationError: If a code is missing, invalid or not wanted.

        Examples:
            >>> Position.initial(Rules.parse("random-four"), "12345").ply
            4
        """
        state = kernels.codes.empty_state(rules.depth)
        for cell, mark in opening_marks(rules, opening_code):  # they decide nothing
            board = FIRST_NODE[rules.depth - 1] + cell // 9
            for row in (mark, DECIDED, FULL):
                state.nodes[row, board] |= 1 << cell % 9
        position = cls(rules, state.nodes, state.head)
        for move in opening_moves(rules, opening_code):
            position = position.after(move)
        return position

    # What stands on the board.

    @property
    def ply(self) -> Ply:
        """The number of moves played so far."""
        return int(self._head[PLY])

    @property
    def side(self) -> Side:
        """The side to move, `X` or `O`; after the end, the side whose turn it would be."""
        return self.ply & 1

    @property
    def last_move(self) -> Cell | None:
        """The move that led here."""
        move = int(self._head[LAST])
        return None if move < 0 else move

    def mark_at(self, cell: Cell) -> Side | None:
        """Return the mark in `cell`, `X` or `O`, or None."""
        board = FIRST_NODE[self.rules.depth - 1] + cell // 9
        if self._nodes[X, board] >> cell % 9 & 1:
            return X
        return O if self._nodes[O, board] >> cell % 9 & 1 else None

    def board_status(self, board: int, *, depth: int | None = None) -> BoardStatus:
        """Return the status of a board, counted from 0 among those of its depth.

        Depth 0 is the whole game, 1 its nine boards, 2 the 81 tactical boards of depth 3; None
        stands for the local boards.
        """
        node = FIRST_NODE[self.rules.depth - 1 if depth is None else depth] + board
        if node == 0:
            return _STATUS_BY_RESULT[int(self._head[RESULT])]
        parent, place = divmod(node - 1, 9)
        x_owns, o_owns, decided = (self._nodes[row, parent] >> place & 1 for row in (X, O, DECIDED))
        if not decided:
            return BoardStatus.ONGOING
        if x_owns == o_owns:  # nobody's, or counting for both
            return BoardStatus.DRAWN
        return BoardStatus.X_WON if x_owns else BoardStatus.O_WON

    def has_room(self, board: int) -> bool:
        """Whether there is an empty cell in a local board."""
        node = FIRST_NODE[self.rules.depth - 1] + board
        return int(self._nodes[FULL, node]) != 0b111_111_111

    # Where the side to move may play.

    @property
    def legal_moves(self) -> tuple[Cell, ...]:
        """The cells that may be played, ascending; empty exactly when the game is over."""
        if self._legal_moves is None:
            import numpy as np  # with the kernels, on first use

            loaded = loaded_rules(self.rules)
            out = np.empty(9**self.rules.depth, dtype=np.int64)  # room for every cell
            count = kernels.generic.legal_moves(self._nodes, self._head, *loaded, out)
            self._legal_moves = tuple(out[:count].tolist())
        return self._legal_moves

    @property
    def target(self) -> int | None:
        """The local board the side to move is bound to, None when they have a choice."""
        node = int(self._head[TARGET])
        local = node - FIRST_NODE[self.rules.depth - 1]
        return None if node == 0 or local < 0 or self._head[RESULT] else local

    @property
    def target_path(self) -> tuple[int, ...]:
        """The places from the outermost board to the board that must be played in.

        Empty when they may play anywhere; at depth 3 one place when they are free
        inside a strategic board, two when they are bound to a tactical board.
        """
        return () if self._head[RESULT] else self.sent_path

    @property
    def sent_path(self) -> tuple[int, ...]:
        """The same, but after the end as well."""
        path: tuple[int, ...] = ()
        node = int(self._head[TARGET])
        while node > 0:
            node, place = divmod(node - 1, 9)
            path = (place, *path)
        return path

    @property
    def playable_boards(self) -> tuple[int, ...]:
        """The local boards that contain a legal move, ascending."""
        return self.playable_at(self.rules.depth - 1)

    def playable_at(self, depth: int) -> tuple[int, ...]:
        """Return the boards of this depth (see `board_status`) that contain a legal move."""
        cells = 9 ** (self.rules.depth - depth)
        return tuple(sorted({move // cells for move in self.legal_moves}))

    # Going on.

    def after(self, move: Cell) -> Position:
        """Return the position after `move`; this one is left as it was.

        Raises:
            GameOverError: If the game has already ended.
            IllegalMoveError: If the rules forbid the move; the message says why.
        """
        if self._head[RESULT]:
            raise GameOverError(self._is_over_sentence())
        if move not in self.legal_moves:
            raise IllegalMoveError(explain_refusal(self, move), move=move)
        nodes, head = self._nodes.copy(), self._head.copy()
        kernels.generic.push(nodes, head, *loaded_rules(self.rules), move)
        return Position(self.rules, nodes, head)

    def explain_refusal(self, move: Cell) -> str | None:
        """Say in a sentence why `move` is refused here; None when it is legal.

        Examples:
            >>> Position.initial(Rules()).after(40).explain_refusal(0)
            'You were sent to board 5: play there.'
        """
        if self._head[RESULT]:
            return str(self._is_over_sentence())
        return None if move in self.legal_moves else str(explain_refusal(self, move))

    def _is_over_sentence(self) -> Sentence:
        outcome = self.outcome
        assert outcome is not None, "asked for after the end"
        return say("The game is over: {outcome}.", outcome=outcome.sentence)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        status = self.board_status(0, depth=0)
        if status is BoardStatus.ONGOING:
            return None
        winner = status.winner
        if winner is None:
            return Outcome(winner=None, ending=Ending.DRAW)
        own, others = int(self._nodes[winner, 0]), int(self._nodes[other(winner), 0])
        won = tuple(place for place in range(9) if (own & ~others) >> place & 1)
        if self.rules.goal is Goal.FIVE:
            ending = Ending.FIVE if len(won) >= 5 else Ending.MAJORITY
            return Outcome(winner=winner, ending=ending, line=won)
        for line in LINES:
            if all(own >> place & 1 for place in line) and any(place in won for place in line):
                return Outcome(winner=winner, ending=Ending.LINE, line=line)
        return Outcome(winner=winner, ending=Ending.MAJORITY, line=won)

    def search_state(self) -> State:
        """Return a copy of the position in the form of the search kernels."""
        codes, _ = loaded_rules(self.rules)
        return kernels.codes.state_of(codes, self._nodes, self._head)

    def __reduce__(self) -> tuple[type[Position], tuple[Rules, Ints, Ints]]:
        return Position, (self.rules, self._nodes, self._head)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"<Position {self.rules.key} ply={self.ply} side={'XO'[self.side]}>"

    def _identity(self) -> tuple[Rules, bytes, bytes]:
        if self._key is None:
            self._key = (self.rules, self._nodes.tobytes(), self._head.tobytes())
        return self._key
