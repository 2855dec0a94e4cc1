"""Solves whether a side can force a win at depth 2, sharing no code with the engine.

The rules again from the text of engine/RULES.md, as values this time, and textbook proof-number
search. It starts from the current position of a game of `tests.naive`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine import DrawnBoard, Goal, Rules, Tiebreak, WonBoard
from tests.naive import LINES, NaiveGame

Marks = int
"""Cells of all boards, a bit each."""
Boards = int
"""Boards, each as the bit of its number."""
Move = tuple[int, int]

_ALL: Final = range(1, 10)
_NEVER: Final = 10**12
_WIDTH: Final = 10
"""How many bits a board's cells take; the lowest of them is never set."""
_CELLS: Final = (1 << _WIDTH) - 1
_FULL: Final = sum(1 << cell for cell in _ALL)
_HAS_LINE: Final = [
    any(all(marks >> cell & 1 for cell in line) for line in LINES) for marks in range(1 << _WIDTH)
]
_EMPTY: Final = [
    tuple(cell for cell in _ALL if not marks >> cell & 1) for marks in range(1 << _WIDTH)
]


class State(NamedTuple):
    """A position; boards and cells are numbers from 1, `target` is 0 if the choice is free."""

    own: Marks
    others: Marks
    owned: Boards
    theirs: Boards
    decided: Boards
    target: int
    mover: str


def cells_of(marks: Marks, board: int) -> int:
    """Return the cells of a board, a bit each by their numbers."""
    return marks >> _WIDTH * board & _CELLS


def state_of(naive: NaiveGame) -> State:
    """Return the position of a running game, as its mover sees it."""
    mover = naive.mover
    other = "XO".replace(mover, "")
    own, others = (
        sum(1 << _WIDTH * board + cell for (board, cell), by in naive.marks.items() if by == mark)
        for mark in (mover, other)
    )
    boards = {board for (board,) in naive.boards()}
    return State(
        own=own,
        others=others,
        owned=sum(1 << board for (board,), by in naive.owners.items() if by == mover),
        theirs=sum(1 << board for (board,), by in naive.owners.items() if by == other),
        decided=sum(1 << board for (board,) in naive.owners),
        target=boards.pop() if naive.history and _is_bound(naive) else 0,
        mover=mover,
    )


def _is_bound(naive: NaiveGame) -> bool:
    return naive.binds(naive.named(naive.history[-1]))


def moves_of(state: State, rules: Rules) -> Iterator[Move]:
    """Yield the moves, board and cell."""
    marks = state.own | state.others
    for board in [state.target] if state.target else _ALL:
        if not state.target and state.decided >> board & 1 and rules.won_board is WonBoard.CLOSED:
            continue
        for cell in _EMPTY[cells_of(marks, board)]:
            yield board, cell


def play(state: State, move: Move, rules: Rules) -> State | str:
    """Return the position after a move, for the other side; or the winner, or "drawn"."""
    board, cell = move
    own = state.own | 1 << _WIDTH * board + cell
    marks = own | state.others
    owned, decided = state.owned, state.decided
    other = "O" if state.mover == "X" else "X"
    if not decided >> board & 1:
        if _HAS_LINE[cells_of(own, board)]:
            owned |= 1 << board
            decided |= 1 << board
        elif cells_of(marks, board) == _FULL:
            decided |= 1 << board
    if decided != state.decided:
        drawn = decided & ~owned & ~state.theirs
        for side, boards in ((state.mover, owned), (other, state.theirs)):
            if _has_won(boards, drawn, rules):
                return side
        if decided == _FULL:
            ahead = owned.bit_count() - state.theirs.bit_count()
            if rules.tiebreak is Tiebreak.DRAW or ahead == 0:
                return "drawn"
            return state.mover if ahead > 0 else other
    if rules.won_board is WonBoard.FORCED:
        is_bound = cells_of(marks, cell) != _FULL
    else:
        is_bound = not decided >> cell & 1
    return State(state.others, own, state.theirs, owned, decided, cell if is_bound else 0, other)


def _has_won(boards: Boards, drawn: Boards, rules: Rules) -> bool:
    if rules.goal is Goal.FIVE:
        return boards.bit_count() >= 5
    if rules.drawn_board is not DrawnBoard.BOTH:
        return _HAS_LINE[boards]
    lines = [sum(1 << each for each in line) for line in LINES]
    return any(line & (boards | drawn) == line and line & boards for line in lines)


def may_win(state: State, side: str, rules: Rules) -> bool:
    """Whether a side would have won if it owned every board in which a line is open to it."""
    mine, against, owned, theirs = state.own, state.others, state.owned, state.theirs
    if side != state.mover:
        mine, against, owned, theirs = against, mine, theirs, owned
    undecided = [board for board in _ALL if not state.decided >> board & 1]
    lost = [board for board in undecided if not _HAS_LINE[~cells_of(against, board) & _FULL]]
    hoped = sum(1 << board for board in undecided if board not in lost) | owned
    drawn = state.decided & ~owned & ~theirs | sum(1 << board for board in lost)
    if _has_won(hoped, drawn, rules):
        return True
    return rules.tiebreak is Tiebreak.MOST and hoped.bit_count() > theirs.bit_count()


class TooHardError(Exception):
    """More positions would have to be looked at than were allowed."""


class PlainSolver:
    """Asks whether `attacker` forces a win; remembers what it has seen.

    Attributes:
        left: How many positions it may still look at.
    """

    def __init__(self, rules: Rules, attacker: str, most: int) -> None:
        self.left = most
        self._rules = rules
        self._attacker = attacker
        self._known: dict[State, tuple[int, int]] = {}
        self._within: dict[tuple[State, int], bool] = {}

    def wins(self, state: State | str) -> bool:
        if isinstance(state, str):
            return state == self._attacker
        proof, _ = self._search(state, _NEVER, _NEVER)
        return proof == 0

    def wins_within(self, state: State | str, plies: int) -> bool:
        """Whether it wins within this many plies, by looking at every line."""
        if isinstance(state, str):
            return state == self._attacker
        if plies == 0:
            return False
        key = (state, plies)
        if key not in self._within:
            self._count()
            answers = (self.wins_within(after, plies - 1) for after in self._after(state))
            decide = any if state.mover == self._attacker else all
            self._within[key] = decide(answers)
        return self._within[key]

    def _after(self, state: State) -> list[State | str]:
        return [play(state, move, self._rules) for move in moves_of(state, self._rules)]

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooHardError

    def _numbers(self, state: State | str) -> tuple[int, int]:
        """Return how hard it looks to prove a win, and to disprove it."""
        if isinstance(state, str):
            return (0, _NEVER) if state == self._attacker else (_NEVER, 0)
        if state not in self._known:
            many = sum(1 for _ in moves_of(state, self._rules))
            if not may_win(state, self._attacker, self._rules):
                self._known[state] = _NEVER, 0
            else:
                self._known[state] = (1, many) if state.mover == self._attacker else (many, 1)
        return self._known[state]

    def _search(self, state: State, most_proof: int, most_disproof: int) -> tuple[int, int]:
        self._count()
        attacks, after = state.mover == self._attacker, self._after(state)
        while True:
            numbers = [self._numbers(each) for each in after]
            if attacks:
                proof = min(proof for proof, _ in numbers)
                disproof = min(sum(disproof for _, disproof in numbers), _NEVER)
            else:
                proof = min(sum(proof for proof, _ in numbers), _NEVER)
                disproof = min(disproof for _, disproof in numbers)
            if proof >= most_proof or disproof >= most_disproof:
                self._known[state] = proof, disproof
                return proof, disproof
            mine = 0 if attacks else 1
            order = sorted(range(len(after)), key=lambda place: numbers[place][mine])
            best = after[order[0]]
            assert isinstance(best, State)
            second = numbers[order[1]][mine] if len(order) > 1 else _NEVER
            own_proof, own_disproof = numbers[order[0]]
            if attacks:
                limits = min(most_proof, second + 1), most_disproof - disproof + own_disproof
            else:
                limits = most_proof - proof + own_proof, min(most_disproof, second + 1)
            self._search(best, *limits)
