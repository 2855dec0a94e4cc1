"""Matches in memory and on disk, kept the same; one change to a match at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache

from bot.model.errors import MatchNotFoundError, NotAPlayerError
from bot.storage import matches as rows
from bot.storage.match_rows import BrokenRecordError, to_match
from bot.storage.writes import ConflictError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.model.changes import Change
    from bot.model.match import Match
    from bot.storage import Database
    from bot.storage.match_rows import MatchRow

RECENT: Final = 16_384
"""So many matches stay in memory: all that go on at a busy time, at two to four kilobytes each."""

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
    """Lends matches out and takes their changes in.

    Args:
        database: Where they are kept.
        limit: How many are kept in memory between two clicks.
    """

    def __init__(self, database: Database, limit: int = RECENT) -> None:
        self._database = database
        # Weak: a lock is dropped when nobody holds it or waits for it.
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        # Right because nobody else writes, and only what is on disk gets in.
        self._recent: LRUCache[int, Match] = LRUCache(limit)

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
        match = self._recent.get(match_id)
        if match is None:
            row = await self._database.read(rows.find_match, match_id)
            if row is None:
                raise MatchNotFoundError(match_id)
            match = self._recent[match_id] = to_match(row)
        if user_id is not None and not match.has_player(user_id):
            raise NotAPlayerError(match)
        return match

    async def store(self, change: Change) -> Match:
        """Make a change on disk and return what it results in; the caller holds the lock.

        Raises:
            MatchChangedError: If the match on disk is not what was changed.
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        match = change.after
        self._recent.pop(match.id, None)
        try:
            if change.ends:
                await self._database.write(rows.end, change)
            else:
                await self._database.store(rows.writes_of(change), ("match", match.id))
        except ConflictError as error:
            # Not with one process; the database keeps the promise if there are ever two.
            raise MatchChangedError(await self.current(match.id)) from error
        self._recent[match.id] = match
        return match

    async def place(self, match: Match, channel_id: int, message_id: int, now: datetime) -> Match:
        """Store where the board of a match is shown; the caller holds the lock."""
        self._recent.pop(match.id, None)
        writes = rows.place_writes(match.id, channel_id=channel_id, message_id=message_id, now=now)
        await self._database.store(writes, ("match", match.id))
        match = replace(match, channel_id=channel_id, message_id=message_id, updated_at=now)
        self._recent[match.id] = match
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

    def forget(self, match_ids: Iterable[int]) -> None:
        """Drop matches from memory that were changed on disk otherwise than by `store`."""
        for match_id in match_ids:
            self._recent.pop(match_id, None)

    def forget_all(self) -> None:
        """Drop every match from memory."""
        self._recent.clear()
