"""What can go wrong in a match and is not the referee's fault."""

from __future__ import annotations

from engine.errors import EngineError


class ForfeitError(EngineError):
    """A player cannot go on: it crashed, hung, or answered what is no move.

    The message is a sentence that says what happened.
    """
