"""What is wrong with a record, and where."""

from __future__ import annotations

from engine.errors import InvalidNotationError, Sentence


class InvalidRecordError(InvalidNotationError):
    """A record that cannot be read or contradicts itself; the message begins with the place.

    Attributes:
        text: The piece of the record at fault, shortened.
        line: Its line, counted from 1; None for a record that was never text.
        column: Where in the line it begins, counted from 1; None likewise.
        move: The move at fault as it was written; None if it is not about a move.
    """

    def __init__(
        self,
        message: Sentence | str,
        *,
        text: str = "",
        line: int | None = None,
        column: int | None = None,
        move: str | None = None,
    ) -> None:
        super().__init__(message, text=text)
        self.line = line
        self.column = column
        self.move = move
