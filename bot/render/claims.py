"""What has become of a board as far as a picture is concerned."""

from enum import Enum

from engine import BoardStatus, DrawnBoard, O, Position, X


class Claim(Enum):
    """Whose a board is."""

    OPEN = "nobody's yet"
    X = "won by X"
    O = "won by O"  # noqa: E741  # the mark is called so
    NOBODY = "drawn"
    BOTH = "drawn, which counts for X and for O"

    # Members are keys of every piece that is drawn: by identity is enough, and fast.
    __hash__ = object.__hash__

    @property
    def winner(self) -> int | None:
        """The side that has won the board, if any."""
        return {Claim.X: X, Claim.O: O}.get(self)

    @property
    def owners(self) -> tuple[int, ...]:
        """The sides for which it counts, in the order in which their marks are laid."""
        return _OWNERS[self]

    @property
    def is_drawn(self) -> bool:
        """Whether nobody has won it and nobody will."""
        return self in (Claim.NOBODY, Claim.BOTH)


_OWNERS: dict[Claim, tuple[int, ...]] = {
    Claim.OPEN: (),
    Claim.X: (X,),
    Claim.O: (O,),
    Claim.NOBODY: (),
    Claim.BOTH: (O, X),
}
_CLAIMS = {
    BoardStatus.ONGOING: Claim.OPEN,
    BoardStatus.X_WON: Claim.X,
    BoardStatus.O_WON: Claim.O,
    BoardStatus.DRAWN: Claim.NOBODY,
}


def claim_of(position: Position, board: int, *, depth: int | None = None) -> Claim:
    """Return whose a board is; it is named as in `Position.board_status`."""
    status = position.board_status(board, depth=depth)
    # The outermost board counts for nobody: there is no line above it.
    if status is BoardStatus.DRAWN and depth != 0 and position.rules.drawn_board is DrawnBoard.BOTH:
        return Claim.BOTH
    return _CLAIMS[status]
