"""When news are told: who sits at the board is left in peace, and nothing is told twice.

Whoever has acted in a match a moment ago has it in front of them. What is new for them waits
as long again and is told if it is still so; in a match with a live clock it is not told at
all, and neither is an end that they have just seen coming.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from cachetools import LRUCache

from bot.model.clock_rules import ClockKind
from bot.model.notices import News, NewsKind, Step, done_with, news_of

if TYPE_CHECKING:
    from bot.clock import Clock
    from bot.model.match import Match

PRESENT_FOR: Final = timedelta(seconds=30)
"""So long after their last action in a match somebody is thought to sit at it."""

MOST_REMEMBERED: Final = 10_000
"""Of so many is known when they acted last; more than play at one time."""

FIRST_PAUSE: Final = timedelta(seconds=1)
LONGEST_PAUSE: Final = timedelta(minutes=5)
"""When it is tried again to tell something: at first, the pause doubled each time, and at most."""

SAID_ONCE_FOR: Final = timedelta(minutes=2)
"""So long Discord surely knows that it has a message already. Later nothing is sent again that
may have arrived: a message missing is better than one sent twice."""

Key: TypeAlias = tuple[int, int]
"""A match and a person."""


@dataclass(frozen=True, slots=True)
class PendingNotification:
    """What is to be done about a match and a person.

    Attributes:
        match_id: Which match.
        user_id: Which person.
        news: What to tell; None: take back what was said, for it is so no more.
        nonce: Names it, so that what is sent again after its receipt was lost is said once.
        failures: How often it could not be done.
        doubted_at: When it may have been done without a receipt, for the first time.
    """

    match_id: int
    user_id: int
    news: News | None
    nonce: str = field(default_factory=lambda: secrets.token_hex(12), compare=False)
    failures: int = field(default=0, compare=False)
    doubted_at: datetime | None = field(default=None, compare=False)


class NotificationQueue:
    """Knows what is to be told to whom and when. Give it every step; take errands from it.

    Args:
        clock: Tells the time.
        is_called: Tells whether a message calls a person to a match now.
    """

    def __init__(self, clock: Clock, is_called: Callable[[int, int], object]) -> None:
        self._clock = clock
        self._is_called = is_called
        self._acted: LRUCache[Key, datetime] = LRUCache(MOST_REMEMBERED)
        self._errands: dict[Key, tuple[int, PendingNotification]] = {}
        self._order: list[tuple[datetime, int, Key]] = []
        self._numbers = itertools.count()
        self._changed = asyncio.Event()

    def watch(self, step: Step) -> None:
        """Take in that a match has gone on."""
        match = step.after
        if not match.is_between_people:
            return
        now = self._clock()
        if step.by is not None:
            self._acted[match.id, step.by] = now
        for user_id in done_with(step):
            self._errands.pop((match.id, user_id), None)
            if self._is_called(match.id, user_id):
                self._put(PendingNotification(match.id, user_id, None), now)
        for news in news_of(step):
            self._plan(news, match, now)

    def remind(self, match_id: int, user_id: int) -> None:
        """Take in that a person's time runs out."""
        news = News(kind=NewsKind.REMINDER, match_id=match_id, user_id=user_id)
        self._put(PendingNotification(match_id, user_id, news), self._clock())

    def try_again(self, errand: PendingNotification, *, may_be_done: bool) -> bool:
        """Plan an errand once more that could not be done; tell whether it will be.

        Args:
            errand: Which.
            may_be_done: Whether it may have been done, its receipt being lost.
        """
        now = self._clock()
        doubted_at = errand.doubted_at or (now if may_be_done else None)
        if doubted_at is not None and now - doubted_at > SAID_ONCE_FOR:
            return False
        if (errand.match_id, errand.user_id) not in self._errands:  # else there is newer news
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**errand.failures)
            failures = errand.failures + 1
            self._put(replace(errand, failures=failures, doubted_at=doubted_at), now + pause)
        return True

    @property
    def is_waiting(self) -> bool:
        """Whether there is something to tell, now or later."""
        return bool(self._errands)

    async def next(self) -> PendingNotification:
        """Wait until something is due and return it, the earliest first."""
        while True:
            self._changed.clear()
            now = self._clock()
            while self._order and self._order[0][0] <= now:
                _due, number, key = heapq.heappop(self._order)
                planned = self._errands.get(key)
                if planned is not None and planned[0] == number:
                    del self._errands[key]
                    return planned[1]
            wait_s = (self._order[0][0] - now).total_seconds() if self._order else None
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), wait_s)

    def _plan(self, news: News, match: Match, now: datetime) -> None:
        acted_at = self._acted.get((match.id, news.user_id))
        due = now
        if acted_at is not None and now - acted_at < PRESENT_FOR:
            if news.kind is NewsKind.OVER or match.clock.kind is ClockKind.LIVE:
                return
            due = now + PRESENT_FOR
        self._put(PendingNotification(match.id, news.user_id, news), due)

    def _put(self, errand: PendingNotification, due: datetime) -> None:
        """Plan an errand instead of any other about the same match and person."""
        key, number = (errand.match_id, errand.user_id), next(self._numbers)
        self._errands[key] = number, errand
        heapq.heappush(self._order, (due, number, key))
        self._changed.set()
