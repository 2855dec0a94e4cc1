"""Plain values of a game: cells, sides, the status of a board, how a game ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from engine.errors import Sentence, say

# What an int in a signature means.
Cell: TypeAlias = int  # row by row within each board, 0 to 80 at depth 2; a move is one
Side: TypeAlias = int  # X or O
Ply: TypeAlias = int  # how many moves have been played
LevelNumber: TypeAlias = int  # of a `Level`, 1 (the weakest) to 10

X: Final = 0
O: Final = 1  # noqa: E741  # the mark is called so

MARKS: Final = ("X", "O")  # in text, in every language

LINES: Final = (
    (0, 1, 2),
    (3, 4, 5),
    (6, 7, 8),
    (0, 3, 6),
    (1, 4, 7),
    (2, 5, 8),
    (0, 4, 8),
    (2, 4, 6),
)


def other(side: Side) -> Side:
    """Return the side that plays against `side`."""
    return O if side == X else X


class Ending(Enum):
    """Why a game is over."""

    LINE = "line"  # three in a row on the outermost board
    FIVE = "five"  # five boards won
    MAJORITY = "majority"  # all boards decided, one side has won more
    DRAW = "draw"  # all boards decided, nobody has won


class BoardStatus(Enum):
    """Whether a board is ongoing, won or drawn."""

    ONGOING = "ongoing"
    X_WON = "won by X"
    O_WON = "won by O"
    DRAWN = "drawn"

    @property
    def winner(self) -> Side | None:
        """The side that has won the board, if any."""
        return {BoardStatus.X_WON: X, BoardStatus.O_WON: O}.get(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of a game.

    Attributes:
        winner: `X`, `O`, or None for a draw.
        line: The boards of the outermost board that won the game, ascending:
            three for a line, those counted for the other endings; None for a draw.
            At depth 1 they are cells.
    """

    winner: Side | None
    ending: Ending
    line: tuple[int, ...] | None = None

    @property
    def sentence(self) -> Sentence:
        """How it ended, for any language."""
        if self.winner is None:
            return say("A draw")
        mark = "XO"[self.winner]
        match self.ending:
            case Ending.FIVE:
                return say("{mark} wins with five boards", mark=mark)
            case Ending.MAJORITY:
                return say("{mark} wins with more boards", mark=mark)
            case _:
                return say("{mark} wins with three in a row", mark=mark)

    def __str__(self) -> str:
        return str(self.sentence)
