"""What the bot's host decides while it runs: who may not use it, and when no games begin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

LONGEST_WORDS = 100
"""The limit of an announcement, in characters: it stands in the bot's presence, of 128 at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """A time in which no games begin; ongoing ones can be played.

    Attributes:
        until: When games may begin again.
        words: What the host tells everybody, in their own words; may be empty.
    """

    until: datetime
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """Somebody who may not use the bot, or a server in which nobody may.

    Attributes:
        number: The user's or the server's at Discord; no user has a server's number.
        is_server: Whether it is a server's.
        since: When the host decided it.
    """

    number: int
    is_server: bool
    since: datetime


@dataclass(frozen=True, slots=True)
class Shards:
    """Which of the bot's shards a process serves, where several processes share them.

    Attributes:
        numbers: Which ones.
        count: How many there are in all processes.
    """

    numbers: frozenset[int]
    count: int

    @classmethod
    def parse(cls, text: str) -> Shards:
        """Read "0-3/8", or "2/8" for one.

        Raises:
            ValueError: If it is neither, or names shards that do not exist.
        """
        found = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?/(\d{1,4})", text, re.ASCII)
        if found is None:
            raise ValueError("not a range of shards")
        first, last, count = int(found[1]), int(found[2] or found[1]), int(found[3])
        if not first <= last < count:
            raise ValueError("no such shards")
        return cls(frozenset(range(first, last + 1)), count)

    def serve(self, guild_id: int | None) -> bool:
        """Return whether a server's events come to this process; None: direct messages.

        Discord's formula (Gateway, "Sharding"); direct messages go to shard 0.
        """
        return ((guild_id or 0) >> 22) % self.count in self.numbers
