"""Who is on vacation, in memory: every move by correspondence asks for it.

Read from the disk at the start, and told of every change since; nobody else writes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.storage import vacations as rows

if TYPE_CHECKING:
    from datetime import datetime

    from bot.storage import Database


@dataclass(slots=True, eq=False)
class AwayPlayers:
    """Until when whoever is on vacation will be; some of it may be over.

    Attributes:
        until: That, by the player's number.
    """

    until: dict[int, datetime] = field(default_factory=dict)

    async def load(self, database: Database, now: datetime) -> None:
        """Read who is on vacation."""
        self.until = await database.read(rows.list_away, now)

    def note(self, player_id: int, until: datetime | None) -> None:
        """Take over what has been stored of a player."""
        if until is None:
            self.until.pop(player_id, None)
        else:
            self.until[player_id] = until
