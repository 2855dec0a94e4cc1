"""Matches in memory as they are on disk, and the lock of each."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache

from bot.model.errors import MatchNotFoundError, NotAPlayerError
from bot.model.match import Match
from bot.storage import matches as rows
from bot.storage.match_rows import BrokenRecordError, to_match
from bot.storage.outbox import OutboxRow, outbox_writes
from bot.storage.writer import ConflictError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from bot.model.decide import Change
    from bot.storage import Database
    from bot.storage.match_rows import MatchRow
    from bot.storage.writer import Write


RECENT: Final = 16_384
"""How many matches stay in memory: all that go on at a busy time, at 2 to 4 KB each."""

ENDED: Final = 512
"""How many of them may be over: they are looked at again soon after their end, or hardly ever."""

log = structlog.get_logger(__name__)


class MatchChangedError(Exception):
    """Somebody else has changed the match on disk.

    Attributes:
        match: The match as it is on disk.
    """

    def __init__(self, match: Match) -> None:
        self.match = match
        super().__init__(f"match {match.id} is at ply {match.ply} already")


class MatchCache:
    """Matches by number, in memory and on disk, and the lock of each.

    Args:
        database: Where they are kept.
        limit: How many are kept in memory between two clicks.
        ended: How many of them may be over.
    """

    def __init__(self, database: Database, limit: int = RECENT, ended: int = ENDED) -> None:
        self._database = database
        # Weak: a lock is dropped when nobody holds it or waits for it.
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        # Only what is on disk gets in. If another process changes that, the database tells; what
        # was decided by something older is refused there.
        self._recent: LRUCache[int, Match] = LRUCache(limit)
        self._most_ended, self._ended = ended, deque[int]()
        database.watchers["match"].append(self._hear_of_change)
        self._changed: set[int] = set()  # elsewhere, while they are being read or stored here

    def lock(self, match_id: int) -> asyncio.Lock:
        """Return the lock to hold from `current` until the end of `store`."""
        return self._locks.setdefault(match_id, asyncio.Lock())

    def at_rest(self, match_id: int, user_id: int | None = None) -> Match | None:
        """Return a match from memory if nobody works on it, for who only looks at it.

        Raises:
            NotAPlayerError: If the person has no seat in it.
        """
        lock, match = self._locks.get(match_id), self._recent.get(match_id)
        if match is None or (lock is not None and lock.locked()):
            return None
        if user_id is not None and not match.has_player(user_id):
            raise NotAPlayerError(match)
        return match

    async def current(self, match_id: int, user_id: int | None = None) -> Match:
        """Return a match as it is on disk; the caller holds its lock.

        Args:
            match_id: Which one.
            user_id: Who must have a seat in it, if anybody.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If that person has no seat in it.
        """
        recent = self._recent
        match = recent.get(match_id)
        if match is None:
            row = await self._database.read(rows.find_match, match_id)
            if row is None:
                raise MatchNotFoundError(match_id)
            match = to_match(row)
            self._remember(recent, match)
        if user_id is not None and not match.has_player(user_id):
            raise NotAPlayerError(match)
        return match

    async def store(self, change: Change, also: Sequence[Write] = ()) -> Match:
        """Make a change on disk and return what it results in; the caller holds the lock.

        What is `also` to be written is stored with it.

        Raises:
            MatchChangedError: If the match on disk is not what was changed.
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        match, recent = change.after, self._recent
        recent.pop(match.id, None)
        try:
            if change.ends:
                await self._database.write(rows.end, change, also)
            else:
                await self._database.store([*rows.writes_of(change), *also], ("match", match.id))
        except ConflictError as error:
            # Another process was faster.
            raise MatchChangedError(await self.current(match.id)) from error
        self._remember(recent, match)
        return match

    async def place(
        self,
        match: Match,
        channel_id: int,
        message_id: int,
        now: datetime,
        leaves: Iterable[OutboxRow] = (),
    ) -> Match:
        """Store where the board of a match is shown; the caller holds the lock.

        Raises:
            MatchChangedError: If by now it is shown elsewhere than in `match`, or has gone on.
            StorageFailedError: If it could not be stored.
        """
        recent = self._recent
        is_known = recent.pop(match.id, None) is match
        writes = rows.place_writes(
            match.id,
            match.message_id,
            match.revision,
            channel_id=channel_id,
            message_id=message_id,
            now=now,
        )
        for row in leaves:
            writes += outbox_writes(row)
        try:
            await self._database.store(writes, ("match", match.id))
        except ConflictError as error:
            raise MatchChangedError(await self.current(match.id)) from error
        match = replace(match, channel_id=channel_id, message_id=message_id, updated_at=now)
        if is_known:
            self._remember(recent, match)
        return match

    async def find(self, query: Callable[..., MatchRow | None], *given: Any) -> Match | None:
        """Return the match that a function of `bot.storage.matches` finds."""
        row = await self._database.read(query, *given)
        return None if row is None else to_match(row)

    async def list(self, query: Callable[..., list[MatchRow]], *given: Any) -> list[Match]:
        """Return the matches that such a function finds, without any that cannot be replayed."""
        found = []
        for row in await self._database.read(query, *given):
            try:
                found.append(to_match(row))
            except BrokenRecordError:
                log.exception("match left out", match=row.id)
        return found

    def _remember(self, recent: LRUCache[int, Match], match: Match) -> None:
        """Keep a match in memory as it is on disk, unless it was changed elsewhere meanwhile."""
        if match.id in self._changed:
            self._changed.discard(match.id)
        else:
            recent[match.id] = match
            if match.is_over:
                self._ended.append(match.id)
                if len(self._ended) > self._most_ended:
                    recent.pop(self._ended.popleft(), None)

    def _hear_of_change(self, key: str | None) -> None:
        """Take in that another process has changed a match; None: perhaps all of them."""
        if key is None:
            self.forget_all()
            return
        match_id = int(key)
        self._recent.pop(match_id, None)
        lock = self._locks.get(match_id)
        if lock is not None and lock.locked():
            self._changed.add(match_id)

    def forget(self, match_ids: Iterable[int]) -> None:
        """Drop matches from memory that were changed on disk otherwise than by `store`."""
        for match_id in match_ids:
            self._recent.pop(match_id, None)

    def forget_all(self) -> None:
        """Drop every match from memory, those as well that are being read or stored now."""
        self._recent = LRUCache(self._recent.maxsize)
