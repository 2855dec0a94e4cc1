"""Everything the engine refuses, as one small tree.

    EngineError(ValueError)
    ├── InvalidRulesError      options that contradict each other, unknown keys
    ├── InvalidNotationError   text that cannot be read
    ├── IllegalMoveError       a move the rules forbid in this position
    └── GameOverError          a move after the end

The messages are whole sentences and fit to be shown to a player.
"""

from __future__ import annotations


class EngineError(ValueError):
    """The engine was asked for something the game does not allow."""


class InvalidRulesError(EngineError):
    """Options that contradict each other, or a key that names no rules."""


class InvalidNotationError(EngineError):
    """Text that is not a move, an opening code or another written form.

    Attributes:
        text: What was to be read.
    """

    def __init__(self, message: str, *, text: str) -> None:
        super().__init__(message)
        self.text = text


class IllegalMoveError(EngineError):
    """A move that the rules forbid in this position; the message names the rule.

    Attributes:
        move: The refused cell.
    """

    def __init__(self, message: str, *, move: int) -> None:
        super().__init__(message)
        self.move = move


class GameOverError(EngineError):
    """A move after the game has ended."""
