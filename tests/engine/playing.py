"""Games for the engine's tests, from text and at random, and all that can become of them."""

from __future__ import annotations

import random

from engine import Game, Position, Proof, Rules, parse_move

VALUE = {Proof.WIN: 1, Proof.DRAW: 0, Proof.LOSS: -1}
Truth = tuple[int, int]


def play(key: str, moves: str, code: str | None = None) -> Game:
    """Return a game in which these moves were played."""
    game = Game(Rules.parse(key), code)
    for text in moves.split():
        game.push(parse_move(text, game.rules))
    return game


def play_on(game: Game, rng: random.Random, plies: int = 1000) -> Game:
    """Play random moves until the game has that many plies or is over."""
    while game.outcome is None and len(game.moves) < plies:
        game.push(rng.choice(game.position.legal_moves))
    return game


class TooLargeError(Exception):
    """The position is too large to search every line."""


class Exhaustive:
    """Searches every line to its end: who wins, and how soon with best play."""

    def __init__(self, most: int) -> None:
        self._most = most  # positions to look at
        self._known: dict[Position, Truth] = {}

    def look(self, position: Position) -> Truth:
        """Return 1, 0 or -1 for the side to move, and in how many plies a game is decided.

        The winner ends it as soon as possible, the loser as late.
        """
        if position.outcome is not None:
            winner = position.outcome.winner
            return (0 if winner is None else (1 if winner == position.side else -1)), 0
        if position not in self._known:
            if len(self._known) > self._most:
                raise TooLargeError
            answers = [self.look(position.after(move)) for move in position.legal_moves]
            best = max(-value for value, _ in answers)
            plies = [1 + distance for value, distance in answers if -value == best]
            self._known[position] = best, (min(plies) if best == 1 else max(plies))
        return self._known[position]
