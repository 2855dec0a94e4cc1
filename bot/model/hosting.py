"""What the bot's host decides while it runs: who may not use it, and when no games begin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

LONGEST_WORDS = 100
"""Of an announcement, in characters: it stands in the bot's presence, where Discord has 128."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """A time in which no games begin; those that go on can be played.

    Attributes:
        until: When games may begin again.
        words: What the host tells everybody, in words of their own; may be empty.
    """

    until: datetime
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """Somebody who may not use the bot, or a server in which nobody may.

    Attributes:
        number: The user's or the server's at Discord; no user has a server's number.
        is_server: Which of both it is.
        since: When the host decided it.
    """

    number: int
    is_server: bool
    since: datetime
