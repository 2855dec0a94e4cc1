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

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import structlog

from bot.storage import vacations
from bot.storage.settings import find_setting, save_setting

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from bot.storage import Database

HEARTBEAT_EVERY: Final = timedelta(minutes=1)
CREDITED_FROM: Final = timedelta(minutes=2)
"""A shorter absence cannot be told from a note that came late."""

_KEY: Final = "heartbeat"

log = structlog.get_logger(__name__)


def is_absence(noted_at: datetime, now: datetime) -> bool:
    """Tell whether so much time has passed since a note that the bot was away."""
    return now - noted_at > CREDITED_FROM


async def come_back(database: Database, now: datetime) -> timedelta:
    """Note that the bot runs again, and give everybody the time that it was away.

    Returns:
        What was given: nothing after a short absence, or at the very first start.

    Raises:
        StorageFailedError: If it could not be stored; it can be done again then.
    """

    def store(connection: Connection) -> timedelta:
        last = find_setting(connection, _KEY)
        save_setting(connection, _KEY, now.isoformat(), now=now)
        if last is None:
            return timedelta()
        began_at = datetime.fromisoformat(last)
        if not is_absence(began_at, now):
            return timedelta()
        vacations.save_downtime(connection, began_at=began_at, ended_at=now)
        return now - began_at

    credited = await database.write(store)
    if credited:
        log.info("time given back for the bot's own absence", seconds=credited.total_seconds())
    return credited


async def note_running(database: Database, now: datetime) -> None:
    """Note that the bot runs.

    Raises:
        StorageFailedError: If it could not be stored.
    """
    await database.write(lambda c: save_setting(c, _KEY, now.isoformat(), now=now))
