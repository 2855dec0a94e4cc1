"""Sets vacations: 30 days a year on which correspondence clocks are paused."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from bot.storage import vacations as rows

if TYPE_CHECKING:
    from datetime import datetime

    from bot.model.vacations import Vacation
    from bot.services.matches import MatchService


async def vacation_of(matches: MatchService, user_id: int) -> Vacation:
    """Return until when a person is away, and how much vacation they have left this year."""
    return await matches.database.read(rows.find_vacation, user_id, matches.clock())


async def set_vacation(matches: MatchService, user_id: int, until: datetime | None) -> Vacation:
    """Pause a person's correspondence clocks until an instant.

    An earlier or later instant changes a vacation that has begun; None ends it.

    Raises:
        VacationError: If the instant has passed, the vacation is more than is left of the
            year, or it begins during a match with a live clock.
        StorageFailedError: If it could not be stored.
    """
    return await matches.operations.run(_set_vacation(matches, user_id, until))


async def _set_vacation(matches: MatchService, user_id: int, until: datetime | None) -> Vacation:
    now, cache, database = matches.clock(), matches.cache, matches.database
    async with AsyncExitStack() as locks:
        # In order, and everybody else holds one at a time, so there is no deadlock.
        for match_id in await database.read(rows.list_correspondence_turns, user_id, now):
            await locks.enter_async_context(cache.lock(match_id))
        vacation, shifted = await database.write(rows.set_vacation, user_id, until, now)
        if vacation.until is None:
            matches.away.pop(user_id, None)
        else:
            matches.away[user_id] = vacation.until
        cache.forget(shifted)
    for match_id in shifted:
        async with cache.lock(match_id):
            matches.announce(await cache.current(match_id))
    return vacation
