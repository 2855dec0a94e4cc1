"""What one picture shows: a position, who owns each board, what is already selected."""

from dataclasses import KW_ONLY, dataclass, replace
from enum import Enum

from bot.render.theme import DARK, Theme
from engine import BoardStatus, Cell, DrawnBoard, O, Position, Side, X


class Claim(Enum):
    """Who owns a board."""

    OPEN = "nobody's yet"
    X = "won by X"
    O = "won by O"  # noqa: E741  # the mark is called so
    NOBODY = "drawn"
    BOTH = "drawn, which counts for X and for O"

    # Members are keys of every piece that is drawn: a hash by identity is enough, and fast.
    __hash__ = object.__hash__

    @property
    def winner(self) -> Side | None:
        """The side that has won the board, if any."""
        return {Claim.X: X, Claim.O: O}.get(self)

    @property
    def owners(self) -> tuple[Side, ...]:
        """The sides for which it counts, in the order in which their marks are laid."""
        return _OWNERS.get(self, ())

    @property
    def is_drawn(self) -> bool:
        """Whether nobody has won it and nobody will."""
        return self in (Claim.NOBODY, Claim.BOTH)


_OWNERS: dict[Claim, tuple[Side, ...]] = {Claim.X: (X,), Claim.O: (O,), Claim.BOTH: (O, X)}
_CLAIMS = {
    BoardStatus.ONGOING: Claim.OPEN,
    BoardStatus.X_WON: Claim.X,
    BoardStatus.O_WON: Claim.O,
    BoardStatus.DRAWN: Claim.NOBODY,
}


def claim_of(position: Position, board: int, *, depth: int | None = None) -> Claim:
    """Return who owns a board, identified as in `Position.board_status`."""
    status = position.board_status(board, depth=depth)
    # The outermost board counts for nobody: there is no line above it.
    if status is BoardStatus.DRAWN and depth != 0 and position.rules.drawn_board is DrawnBoard.BOTH:
        return Claim.BOTH
    return _CLAIMS[status]


class Advice(Enum):
    """What a note says about a move to its cell."""

    BEST = "nothing is better"
    GOOD = "worth playing"
    PLAYED = "it was played"


@dataclass(frozen=True, slots=True)
class CellNote:
    """A mark on a cell, to learn from.

    Attributes:
        advice: An empty cell is filled or outlined by it; one that was played in keeps its mark.
        label: Lines in an empty cell, such as a rank and a chance; else a sign in the corner.
        mark: What stands in an empty cell without a label.
    """

    cell: Cell
    advice: Advice
    _: KW_ONLY
    label: tuple[str, ...] = ()
    mark: Side | None = None


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """Everything that one picture of a game shows.

    Attributes:
        names: Those of X and O; any text, made writable when drawn.
        status: The line below the names; by default what the position says.
        selected: The places already picked by a side that is free to choose, from the
            outermost board inwards: `()`, `(board,)`, at depth 3 also `(strategic, tactical)`.
            What may not be played in is ignored.
        is_over: Whether the game ended off the board, by resignation or on time;
            no board may be played in then. An outcome on the board needs no flag.
        winner: Who won a game that ended off the board.
        clocks: What the clocks of X and O show, in a few letters; None without one. That of
            the side to move runs, so this is what it showed when the picture was drawn.
        notes: Marks on cells. The first one decides which of 729 cells are shown large.
    """

    position: Position
    _: KW_ONLY
    names: tuple[str, str] = ("X", "O")
    status: str | None = None
    selected: tuple[int, ...] = ()
    is_over: bool = False
    winner: Side | None = None
    clocks: tuple[str | None, str | None] = (None, None)
    notes: tuple[CellNote, ...] = ()
    theme: Theme = DARK

    @property
    def is_decided(self) -> bool:
        """Whether the game is over, on the board or off it."""
        return self.is_over or self.position.outcome is not None

    @property
    def victor(self) -> Side | None:
        """Who has won, if anybody."""
        return victor_of(self.position, self.winner)

    def notes_from(self, first: Cell) -> tuple[CellNote, ...]:
        """Return the notes on the 81 cells from `first` on, their cells counted from there."""
        inside = (each for each in self.notes if 0 <= each.cell - first < 81)
        return tuple(replace(each, cell=each.cell - first) for each in inside)


def victor_of(position: Position, winner: Side | None) -> Side | None:
    """Return who won on the board, or `winner` if the game ended off it."""
    return winner if position.outcome is None else position.outcome.winner


def path_in_play(position: Position, selected: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the places that are settled, because there is no other or they are selected.

    The path leads from the outermost board inwards and ends where a side still has to
    choose; it is as long as a path to a local board when only a cell is left to pick.
    """
    path: tuple[int, ...] = ()
    board = 0
    for depth in range(1, position.rules.depth):
        inside = [child - 9 * board for child in position.playable_at(depth) if child // 9 == board]
        chosen = selected[depth - 1 : depth]
        if len(inside) == 1:
            path += (inside[0],)
        elif chosen and selected[: depth - 1] == path and chosen[0] in inside:
            path += chosen
        else:
            break
        board = 9 * board + path[-1]
    return path
