"""What one picture shows, and how far the choice of a move has come in it."""

from dataclasses import KW_ONLY, dataclass

from bot.render.theme import DARK, Theme
from engine import Position


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """Everything that one picture of a game shows.

    Attributes:
        position: What stands on the board.
        names: Whoever plays X and O; any text, made writable when drawn.
        status: The line below the names; by default what the position says.
        selected: The places already picked by a side that is free to choose, from the
            outermost board inwards: `()`, `(board,)`, at depth 3 also `(strategic, tactical)`.
            What may not be played in is ignored.
        is_over: Whether the game ended off the board, by resignation or on time;
            no board may be played in then. An outcome on the board needs no flag.
        winner: Who won a game that ended off the board.
        theme: Colours and shapes.
    """

    position: Position
    _: KW_ONLY
    names: tuple[str, str] = ("X", "O")
    status: str | None = None
    selected: tuple[int, ...] = ()
    is_over: bool = False
    winner: int | None = None
    theme: Theme = DARK

    @property
    def is_decided(self) -> bool:
        """Whether the game is over, on the board or off it."""
        return self.is_over or self.position.outcome is not None

    @property
    def victor(self) -> int | None:
        """Who has won, if anybody."""
        outcome = self.position.outcome
        return self.winner if outcome is None else outcome.winner


def path_in_play(position: Position, selected: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the places that are settled: there is no other, or it is selected.

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
