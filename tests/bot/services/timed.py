"""Matches with a clock, to be played by the tests."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.clock import steady_clock
from bot.model.clocks import ClockRules
from bot.model.match import Match
from bot.model.preferences import Notices
from bot.services.notifications import NotificationQueue

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.model.notices import News
    from tests.bot.services.conftest import Server

HOUR, MINUTE, DAY = timedelta(hours=1), timedelta(minutes=1), timedelta(days=1)
SECOND = timedelta(seconds=1)
LINE = (40, 36, 0, 4)


async def begin(server: Server, clock: str, moves: int = 0, **options: object) -> Match:
    match = await server.begin_between(clock=ClockRules.parse(clock), **options)
    return await server.play(match, *LINE[:moves])


def deadline_of(match: Match) -> datetime:
    assert match.deadline is not None
    return match.deadline


def silent_queue(remind: Callable[[News], None]) -> NotificationQueue:
    """Return a queue that tells nobody anything, and passes reminders on."""
    queue = NotificationQueue(steady_clock, lambda *_key: None, lambda *_key: Notices.NONE)
    queue.remind = remind  # type: ignore[assignment, method-assign]
    return queue
