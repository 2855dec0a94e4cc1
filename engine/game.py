"""A game: a start, its moves, and who swapped. The only thing here that changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Self

from engine.errors import GameOverError, IllegalMoveError, say
from engine.openings import opening_code_of, opening_moves
from engine.position import Position
from engine.rules import Rules
from engine.types import Cell, Outcome


class Game:
    """A game as far as it has been played; it can be played on.

    Examples:
        >>> game = Game(Rules())
        >>> game.push(40)
        >>> game.moves, game.position.side
        ((40,), 1)
        >>> game.pop()
        40
    """

    def __init__(self, rules: Rules, opening_code: str | None = None) -> None:
        """Begin a game, with an opening code for rules that need one.

        See `draw_opening_code`; the moves that a code plays are moves of the game.

        Raises:
            InvalidNotationError: If the code is missing, invalid or not wanted.
        """
        self._positions = [Position.initial(rules, opening_code)]
        self.opening_code = opening_code
        self.opening_moves = opening_moves(rules, opening_code)  # they cannot be taken back
        self._moves = list(self.opening_moves)
        self._swapped = False

    @classmethod
    def replay(
        cls,
        rules: Rules,
        moves: Iterable[Cell],
        *,
        opening_code: str | None = None,
        swapped: bool = False,
    ) -> Self:
        """Play recorded moves from the start, those of a random opening included.

        The code of a random opening may be left out. `swapped` says that the second player
        swapped seats after the first move.

        Raises:
            EngineError: If the code or a move is refused.
        """
        recorded = tuple(moves)
        if opening_code is None:
            opening_code = opening_code_of(rules, recorded)
        game = cls(rules, opening_code)
        given = len(game.moves)
        if recorded[:given] != game.moves:
            pairs = zip(recorded, game.moves, strict=False)
            raise IllegalMoveError(
                say("The moves do not begin with the opening {code}", code=opening_code),
                move=next((move for move, meant in pairs if move != meant), None),
            )
        for move in recorded[given:]:
            game.push(move)
            if swapped and len(game.moves) == 1:
                game.swap()
        return game

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Rules, list[Cell]]]:
        again = partial(Game.replay, opening_code=self.opening_code, swapped=self._swapped)
        return again, (self.rules, self._moves)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.position.rules

    @property
    def start(self) -> Position:
        """The position before the first free move."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """The position now."""
        return self._positions[-1]

    @property
    def moves(self) -> tuple[Cell, ...]:
        """All moves so far, those of a random opening first."""
        return tuple(self._moves)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self.position.outcome

    @property
    def swapped(self) -> bool:
        """Whether the second player has swapped seats (pie rule)."""
        return self._swapped

    @property
    def can_swap(self) -> bool:
        """Whether the side to move may swap seats instead of moving."""
        return self.rules.has_swap and self.position.ply == 1 and not self._swapped

    def push(self, move: Cell) -> None:
        """Play a move.

        Raises:
            GameOverError: If the game has ended.
            IllegalMoveError: If the rules forbid the move.
        """
        self._positions.append(self.position.after(move))
        self._moves.append(move)

    def pop(self) -> Cell:
        """Take the last move back and return it; a swap after it goes too.

        Raises:
            GameOverError: If there is no move to take back.
        """
        if len(self._positions) == 1:
            raise GameOverError(say("There is no move to take back."))
        self._positions.pop()
        if not self._moves[1:]:
            self._swapped = False
        return self._moves.pop()

    def swap(self) -> None:
        """Let the second player take the first player's seat; marks and turn stay.

        Raises:
            IllegalMoveError: If the rules have no swap or its moment has passed.
        """
        if not self.can_swap:
            raise IllegalMoveError(
                say("Seats can be swapped only once, right after the first move.")
                if self.rules.has_swap
                else say("These rules have no swap of seats.")
            )
        self._swapped = True
