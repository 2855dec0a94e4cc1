"""The rules again, slow and obvious, to check the kernels against.

Written from the text of engine/RULES.md, not from the kernels. A place is the
tuple of digits 1-9 that leads to it from outside: (5, 5) is the centre cell of
the centre board, (5,) the centre board, () the whole game.
"""

from __future__ import annotations

from itertools import product

from engine import DrawnBoard, Goal, Opening, Rules, Sending, Tiebreak, WonBoard, map_columns

Path = tuple[int, ...]

LINES = (
    {1, 2, 3},
    {4, 5, 6},
    {7, 8, 9},
    {1, 4, 7},
    {2, 5, 8},
    {3, 6, 9},
    {1, 5, 9},
    {3, 5, 7},
)


class NaiveGame:
    """A game that looks everything up from the marks on the board.

    Attributes:
        marks: The marked cells, "X" or "O" each.
        owners: The decided boards: "X", "O" or "drawn". The whole game is `()`.
        history: The moves so far.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.marks: dict[Path, str] = {}
        self.owners: dict[Path, str] = {}
        self.history: list[Path] = []

    # Looking at the board.

    @property
    def mover(self) -> str:
        return "XO"[len(self.history) % 2]

    @property
    def result(self) -> str | None:
        return self.owners.get(())

    def cells(self, board: Path = ()) -> list[Path]:
        digits = range(1, 10)
        return [board + rest for rest in product(digits, repeat=self.rules.depth - len(board))]

    def has_room(self, board: Path) -> bool:
        return any(cell not in self.marks for cell in self.cells(board))

    def is_ongoing(self, board: Path) -> bool:
        return board not in self.owners

    # Playing.

    def play(self, move: Path) -> None:
        mover, opponent = self.mover, "OX"[len(self.history) % 2]
        self.marks[move] = mover
        self.history.append(move)
        for length in range(self.rules.depth - 1, -1, -1):
            board = move[:length]
            if board in self.owners:
                continue  # a won board keeps its first owner
            places = [(*board, digit) for digit in range(1, 10)]
            if self.has_won(board, mover):
                self.owners[board] = mover
            elif self.has_won(board, opponent):
                self.owners[board] = opponent
            elif all(place in self.marks or place in self.owners for place in places):
                self.owners[board] = self.verdict() if board == () else "drawn"

    def has_won(self, board: Path, side: str) -> bool:
        if board == () and self.rules.goal is Goal.FIVE:
            return self.won_count(side) >= 5
        for line in LINES:
            places = [(*board, digit) for digit in line]
            if all(self.counts_for(place, side) for place in places) and any(
                self.is_really(place, side) for place in places
            ):
                return True
        return False

    def is_really(self, place: Path, side: str) -> bool:
        return self.marks.get(place) == side or self.owners.get(place) == side

    def counts_for(self, place: Path, side: str) -> bool:
        if self.rules.drawn_board is DrawnBoard.BOTH and self.owners.get(place) == "drawn":
            return True
        return self.is_really(place, side)

    def won_count(self, side: str) -> int:
        return sum(self.owners.get((digit,)) == side for digit in range(1, 10))

    def verdict(self) -> str:
        x_count, o_count = self.won_count("X"), self.won_count("O")
        if self.rules.tiebreak is Tiebreak.DRAW or x_count == o_count:
            return "drawn"
        return "X" if x_count > o_count else "O"

    # Where one may play.

    def named(self, move: Path) -> Path:
        """The local board that a move sends to."""
        if self.rules.depth == 1:
            return ()
        if self.rules.depth == 2:
            return (move[1],)
        strategic, tactical, operational = move
        row = 3 * ((tactical - 1) // 3) + (operational - 1) // 3
        column = 3 * ((tactical - 1) % 3) + (operational - 1) % 3
        if self.rules.sending is Sending.TACTICAL:
            return (tactical, operational)
        if self.rules.sending is Sending.HYPERMAP:
            return ((max(row, column) + strategic - 2) % 9 + 1, operational)
        return (self.map_column(strategic)[row], operational)

    def map_column(self, strategic: int) -> tuple[int, ...]:
        if self.rules.map_number == 34:
            columns = ("213654798", "321465879", "132546987")
            return tuple(int(digit) for digit in columns[(strategic - 1) % 3])
        return map_columns(self.rules.map_number)[(strategic - 1) % 3]

    def binds(self, board: Path) -> bool:
        if self.rules.won_board is WonBoard.FORCED:
            return self.has_room(board)
        return self.is_ongoing(board)

    def choices(self, board: Path) -> list[Path]:
        inside = [(*board, digit) for digit in range(1, 10)]
        if self.rules.won_board is WonBoard.CLOSED:
            return [one for one in inside if self.is_ongoing(one)]
        return [one for one in inside if self.has_room(one)]

    def boards(self) -> list[Path]:
        """The local boards that may be played in."""
        depth = self.rules.depth
        if depth == 1:
            return [()]
        free = self.choices(())
        if depth == 3:
            free = [local for strategic in free for local in self.choices(strategic)]
        if not self.history:
            return free
        target = self.named(self.history[-1])
        if depth == 3 and not self.binds(target[:1]):
            return free
        if self.binds(target):
            return [target]
        return free if depth == 2 else self.choices(target[:1])

    def legal_moves(self) -> set[Path]:
        if self.result is not None:
            return set()
        moves = {
            cell for board in self.boards() for cell in self.cells(board) if cell not in self.marks
        }
        if not self.history and self.rules.opening in (Opening.NO_CENTRE, Opening.PIE_NO_CENTRE):
            moves.discard((5,) * self.rules.depth)
        if self.rules.no_return and self.history:
            previous = self.history[-1][:-1]
            others = {move for move in moves if self.named(move) != previous}
            return others or moves
        return moves
