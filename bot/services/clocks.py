"""What follows from clocks: claims, forfeits, reminders, vacations, the bot's own absence."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from bot.model.actions import Forfeit, Request
from bot.model.match import Match
from bot.model.preferences import NOTICES_KEY, Notices
from bot.model.running_clocks import LATENCY
from bot.model.vacations import is_absence
from bot.services import downtime
from bot.storage import deadlines as rows
from bot.storage import vacations
from bot.storage.match_rows import BrokenRecordError

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from bot.model.vacations import Vacation
    from bot.services.match_context import MatchContext

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """Somebody who is to be told that their time runs out.

    Attributes:
        match: The match that waits for them.
        user_id: Who.
        notices: In which way they want to be told.
    """

    match: Match
    user_id: int
    notices: Notices


@dataclass(frozen=True, slots=True)
class Clocks:
    """Keeps the clocks of all matches; `MatchService.times`."""

    context: MatchContext

    async def settle_overdue(self) -> list[Match]:
        """End the matches whose side to move has run out of time, and return them.

        Raises:
            StorageFailedError: If one could not be stored; those before it are.
        """
        return await self.context.operations.run(self._settle_overdue())

    async def next_deadline(self, after: datetime) -> datetime | None:
        """Return when, after an instant, the next match can be settled, if there is one."""
        # What has run out is settled when no press made in time can be on its way any more.
        found = await self.context.database.read(rows.find_next, after - LATENCY)
        return None if found is None else found + LATENCY

    async def due_reminders(self, now: datetime) -> list[Reminder]:
        """Return whom to remind, each once a turn, when a quarter of their time is left.

        Only those who have asked for notices, in games by correspondence. Who is
        returned counts as reminded, even if the message cannot be sent: a message
        missing is better than one sent twice.

        Raises:
            StorageFailedError: If that could not be stored.
        """
        return await self.context.operations.run(self._due_reminders(now))

    async def set_vacation(self, user_id: int, until: datetime | None) -> Vacation:
        """Let a person's correspondence clocks stand still until an instant.

        An earlier or later one changes a vacation that has begun, None ends it.

        Raises:
            VacationError: If that has passed, is more than is left of the year, or
                begins during a match with a live clock.
            StorageFailedError: If it could not be stored.
        """
        return await self.context.operations.run(self._set_vacation(user_id, until))

    async def vacation_of(self, user_id: int) -> Vacation:
        """Return until when a person is away, and what they have left of this year."""
        now = self.context.clock()
        return await self.context.database.read(vacations.find_vacation, user_id, now)

    async def come_back(self) -> timedelta:
        """Note that the bot runs, and give everybody the time since the last note if it is old.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now = self.context.clock()
        given = await downtime.come_back(self.context.database, now)
        if given:
            self.context.cache.forget_all()
        await self.context.away.load(self.context.database, now)
        self.context.noted_at = now
        return given

    async def catch_up(self) -> None:
        """Give that time back at once where it is missing; before anybody is judged by a clock.

        A host's clock that is set, or a machine that was asleep, would else cost whoever clicks
        before `ClockScheduler` looks again their match.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        noted_at = self.context.noted_at
        if noted_at is not None and is_absence(noted_at, self.context.clock()):
            await self.come_back()

    async def note_running(self) -> None:
        """Note that the bot runs: what passed since the last note is nobody's to get back.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now = self.context.clock()
        await downtime.note_running(self.context.database, now)
        self.context.noted_at = now

    # The same, carried out as tasks of their own.

    async def _settle_overdue(self) -> list[Match]:
        since = self.context.clock() - LATENCY
        settled = []
        for match_id in await self.context.database.read(rows.list_overdue, since):
            try:
                match, change = await self.context.try_to(match_id, Forfeit(), Request())
            except BrokenRecordError:
                log.exception("no time kept for a broken match", match=match_id)
                continue
            if change is not None:  # else somebody was faster
                settled.append(match)
        return settled

    async def _due_reminders(self, now: datetime) -> list[Reminder]:
        found = await self.context.database.read(
            rows.list_reminders, now=now, key=NOTICES_KEY, off=Notices.NONE
        )
        reminders = []
        for row in found:
            async with self.context.cache.lock(row.match_id):
                match = await self._readable(row.match_id)
                due = None if match is None else match.times.remind_at
                if due is None or due > now:
                    continue  # they have moved meanwhile, or been reminded
                await self._note_reminded(row.match_id)
                match = await self.context.cache.current(row.match_id)
                reminders.append(
                    Reminder(match=match, user_id=row.player_id, notices=Notices(row.way))
                )
        return reminders

    async def _note_reminded(self, match_id: int) -> None:
        self.context.cache.forget([match_id])
        await self.context.database.write(rows.note_reminded, match_id)

    async def _readable(self, match_id: int) -> Match | None:
        """Return a match, or None if what is stored cannot be replayed."""
        try:
            return await self.context.cache.current(match_id)
        except BrokenRecordError:
            log.exception("no time kept for a broken match", match=match_id)
            return None

    async def _set_vacation(self, user_id: int, until: datetime | None) -> Vacation:
        now = self.context.clock()

        async with AsyncExitStack() as locks:
            # In order, and everybody else holds one at a time: nobody waits in a circle.
            for match_id in await self.context.database.read(
                vacations.list_correspondence_turns, user_id, now
            ):
                await locks.enter_async_context(self.context.cache.lock(match_id))
            vacation, shifted = await self.context.database.write(
                vacations.set_vacation, user_id, until, now
            )
            self.context.away.note(user_id, vacation.until)
            self.context.cache.forget(shifted)
        for match_id in shifted:
            async with self.context.cache.lock(match_id):
                self.context.announce(await self.context.cache.current(match_id))
        return vacation
