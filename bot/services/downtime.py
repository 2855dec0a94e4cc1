"""The bot's own absence: nobody loses time by it.

While the bot runs it writes down that it does, every minute. What lies between the
last of these notes and the next start is time in which nobody could move: everything
that was running then is moved by it. Note and shift are one transaction, so that a
crash in between neither loses the time nor gives it twice.

A host's clock that is set forward looks the same, and is treated the same: what it jumped
by is given back, at the next look or before the next click. Set back, it gives everybody that
time on top; so does the way forth again, as the note is from before it. Nobody loses a match
by either. A jump below `CREDITED_FROM` does count as time that has passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.storage import vacations

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from bot.storage import Database

log = structlog.get_logger(__name__)


async def come_back(database: Database, now: datetime) -> timedelta:
    """Note that the bot runs again, and give everybody the time that it was away.

    Returns:
        What was given: nothing after a short absence, or at the very first start.

    Raises:
        StorageFailedError: If it could not be stored; it can be done again then.
    """
    credited = await database.write(vacations.come_back, now)
    if credited:
        log.info("time given back for the bot's own absence", seconds=credited.total_seconds())
    return credited


async def note_running(database: Database, now: datetime) -> None:
    """Note that the bot runs.

    Raises:
        StorageFailedError: If it could not be stored.
    """
    await database.write(vacations.note_running, now)
