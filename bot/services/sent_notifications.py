"""Which messages call players to their matches now: one at most for a match and a player.

Kept in memory as well: a move asks about it, and this process is the only writer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.storage import notices as rows
from bot.storage.notices import NoticeRow

if TYPE_CHECKING:
    from bot.clock import Clock
    from bot.storage import Database


class SentNotifications:
    """Remembers what has been said to whom, and who cannot be reached.

    Args:
        database: Where it is kept.
        clock: Tells the time.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._standing: dict[tuple[int, int], NoticeRow] = {}
        self._unreached: set[int] = set()

    async def open(self) -> None:
        """Read what stands, and forget what matches that are over have left.

        Raises:
            StorageFailedError: If that could not be stored.
        """
        standing, unreached = await self._database.write(rows.open_notices)
        self._standing = {(row.match_id, row.player_id): row for row in standing}
        self._unreached = set(unreached)

    def find(self, match_id: int, user_id: int) -> NoticeRow | None:
        """Return the message that calls a player to a match, if there is one."""
        return self._standing.get((match_id, user_id))

    async def note(self, notice: NoticeRow) -> None:
        """Remember a message; it takes the place of the one before.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        self._standing[notice.match_id, notice.player_id] = notice
        now = self._clock()
        await self._database.write(rows.save_notice, notice, now)

    async def drop(self, match_id: int, user_id: int) -> NoticeRow | None:
        """Forget the message that calls a player to a match, and return it.

        Raises:
            StorageFailedError: If that could not be stored.
        """
        notice = self._standing.pop((match_id, user_id), None)
        if notice is not None:
            await self._database.write(rows.remove_notice, match_id, user_id)
        return notice

    def is_unreached(self, user_id: int) -> bool:
        """Tell whether a direct message did not reach a player, who does not know yet."""
        return user_id in self._unreached

    async def note_unreached(self, user_id: int) -> None:
        """Remember that a direct message did not reach a player.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        if user_id not in self._unreached:
            self._unreached.add(user_id)
            now = self._clock()
            await self._database.write(rows.save_unreached, user_id, now)

    async def forget_unreached(self, user_id: int) -> None:
        """Forget that again: they have been told, or a message has reached them.

        Raises:
            StorageFailedError: If that could not be stored.
        """
        if user_id in self._unreached:
            self._unreached.discard(user_id)
            await self._database.write(rows.remove_unreached, user_id)
