"""What clocks cause, whether or not anybody is looking: forfeits and reminders.

`ClockScheduler` holds nothing that the database does not: it asks there each time what is next,
and at the start finds everything that came due meanwhile. It wakes at the earliest deadline or
reminder, when an earlier one appears, and once a minute in any case, to note that the bot runs and
to look for challenges that have run out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import structlog

from bot.model.actions import Forfeit, Request
from bot.model.clocks import HEARTBEAT_EVERY, LATENCY, ClockKind, last_reminder
from bot.model.errors import RestartingError
from bot.model.match import Match
from bot.model.notices import News, NewsKind
from bot.model.preferences import Notices
from bot.storage import clocks as rows
from bot.storage.matches import BrokenRecordError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.model.challenges import Challenge
    from bot.services.challenges import ChallengeService
    from bot.services.matches import MatchService


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """A player to be told that a match waits for them, or that their time runs out.

    Attributes:
        match: The match.
        user_id: Who.
        kind: Which of the two.
    """

    match: Match
    user_id: int
    kind: NewsKind


async def settle_overdue(matches: MatchService) -> list[Match]:
    """End the matches whose side to move has run out of time, and return them.

    Raises:
        StorageFailedError: If one could not be stored; those before it are.
    """
    return await matches.operations.run(_settle_overdue(matches))


async def _settle_overdue(matches: MatchService) -> list[Match]:
    since = matches.clock() - LATENCY
    settled = []
    for match_id in await matches.database.read(rows.list_overdue, since):
        try:
            match, change = await matches.try_to(match_id, Forfeit(), Request())
        except BrokenRecordError:
            log.exception("no time kept for a broken match", match=match_id)
            continue
        if change is not None:  # else somebody was faster
            settled.append(match)
    return settled


async def next_deadline(matches: MatchService, after: datetime) -> datetime | None:
    """Return when, after an instant, the next match can be settled, if there is one."""
    # A match is settled only once no press made in time can still be on its way.
    found = await matches.database.read(rows.find_next, after - LATENCY)
    return None if found is None else found + LATENCY


async def next_reminder(matches: MatchService, after: datetime) -> datetime | None:
    """Return when, after an instant, the next player is to be reminded, if there is one."""
    return await matches.database.read(rows.find_next_reminder, after)


async def due_reminders(matches: MatchService, now: datetime) -> list[Reminder]:
    """Return whom to remind: players who have not moved for a while, or whose time runs out.

    The latter is when a quarter of the time for a move is left. Players who are notified
    when their turn begins are reminded only of the time; players who want no messages, at
    all or of that match, are not reminded. Everybody returned counts as reminded, even if
    the message cannot be sent: a missing message is better than one sent twice.

    Raises:
        StorageFailedError: If that could not be stored.
    """
    return await matches.operations.run(_due_reminders(matches, now))


async def _due_reminders(matches: MatchService, now: datetime) -> list[Reminder]:
    reminders = []
    for row in await matches.database.read(rows.list_reminders, now):
        async with matches.cache.lock(row.match_id):
            try:
                match = await matches.cache.current(row.match_id)
            except BrokenRecordError:
                log.exception("no time kept for a broken match", match=row.match_id)
                continue
            seat, remind_at = match.seat_to_move, match.times.remind_at
            is_theirs = seat is not None and seat.player_id == row.player_id
            if not is_theirs or remind_at is None or remind_at > now:
                continue  # they have moved meanwhile, or been reminded
            if match.clock.kind is ClockKind.NONE and matches.away.get(row.player_id, now) > now:
                continue  # nothing is urgent there: it waits until they are back
            last = last_reminder(match.clock, match.times)
            is_last = last is not None and last <= now
            kind = NewsKind.REMINDER if is_last else NewsKind.WAITING
            told = None
            if is_last or row.way in (None, Notices.AUTO):
                told = News(
                    kind=kind, match_id=match.id, user_id=row.player_id, revision=match.revision
                )
            next_at = None if is_last else last
            matches.cache.forget([match.id])
            is_told = await matches.database.write(
                rows.note_reminded, match.id, told, next_at=next_at, now=now
            )
            match = await matches.cache.current(match.id)
            if is_told:
                reminders.append(Reminder(match=match, user_id=row.player_id, kind=kind))
    return reminders


T = TypeVar("T")
Tell: TypeAlias = Callable[[T], Awaitable[None]]

_LONGEST_S: Final = HEARTBEAT_EVERY.total_seconds()
_LOOK_AGAIN_S: Final = 1.0
"""How soon it is noticed that people can play again."""


class ClockScheduler:
    """The task that keeps time. Run `run` while the bot runs.

    Args:
        matches: Whose matches are settled.
        challenges: Whose challenges run out.
        on_settled: Shows a match that was lost on time.
        on_reminder: Tells somebody that a match waits for them.
        on_expired: Shows a challenge that nobody has answered.
        is_online: Whether people can play; while they cannot, no time is kept, and what passed is
            given back as after any absence of the bot.
        sleep: Waits for a number of seconds; replaced in tests.
    """

    def __init__(
        self,
        matches: MatchService,
        challenges: ChallengeService,
        *,
        on_settled: Tell[Match],
        on_reminder: Tell[Reminder],
        on_expired: Tell[Challenge],
        is_online: Callable[[], bool] = lambda: True,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._matches = matches
        self._challenges = challenges
        self._on_settled = on_settled
        self._on_reminder = on_reminder
        self._on_expired = on_expired
        self._is_online = is_online
        self._sleep = sleep
        self._sooner = asyncio.Event()
        self._next: datetime | None = None
        self._telling: set[asyncio.Future[None]] = set()

    async def run(self) -> None:
        """Keep time until cancelled, or until the service is closed."""
        listeners = self._matches.listeners
        listeners.append(self._note)
        try:
            while True:
                # Before asking what is next, so that what comes meanwhile is noticed.
                self._sooner.clear()
                self._next = None
                is_online = self._is_online()
                if is_online:
                    await self._work_safely()
                await self._wait(_LONGEST_S if is_online else _LOOK_AGAIN_S)
        except RestartingError:
            log.info("deadlines stop with the service")
        finally:
            listeners.remove(self._note)
            for telling in self._telling:
                telling.cancel()
            await asyncio.gather(*self._telling, return_exceptions=True)

    async def work(self) -> None:
        """Do everything that is due now, once.

        Raises:
            RestartingError: If the service is closed.
            StorageFailedError: If something could not be stored; it is still due.
        """
        matches = self._matches
        began_at = matches.clock()
        # Also gives back the time in which this process stood still, because the machine was
        # asleep, or before it reached Discord.
        await matches.come_back()
        await self._tell(self._on_settled, await settle_overdue(matches))
        await self._tell(self._on_expired, await self._challenges.expire())
        reminders = await due_reminders(matches, matches.clock())
        await self._tell(self._on_reminder, reminders)
        # Past ones belong to matches that cannot be read, and would keep this awake forever.
        found = await next_deadline(matches, began_at), await next_reminder(matches, began_at)
        self._next = min((each for each in found if each is not None), default=None)

    async def _work_safely(self) -> None:
        try:
            await self.work()
        except RestartingError:
            raise
        except Exception:
            # The next round finds the same work: one that fails must not be the last.
            log.exception("deadlines could not be kept")

    async def _tell(self, tell: Tell[T], values: Iterable[T]) -> None:
        for value in values:
            telling = asyncio.ensure_future(tell(value))
            self._telling.add(telling)
            telling.add_done_callback(self._told)
            # What takes longer goes on beside the rest and is not cancelled: cancelling a request
            # that waits for Discord's global limit would leave the library waiting forever.
            await asyncio.wait({telling}, timeout=_LONGEST_S)
            # Otherwise many slow ones would look like an absence of the bot; a real one, as when
            # the host's clock was set meanwhile, is given back.
            await self._matches.come_back()

    def _told(self, telling: asyncio.Future[None]) -> None:
        self._telling.discard(telling)
        error = None if telling.cancelled() else telling.exception()
        if error is not None:
            log.error("could not show what the clock has done", exc_info=error)

    async def _wait(self, seconds: float) -> None:
        """Wait for the next deadline, an earlier one, or a number of seconds."""
        if self._next is not None:
            now = self._matches.clock()
            seconds = min(seconds, max(0.0, (self._next - now).total_seconds()))
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        waking = asyncio.create_task(self._sooner.wait())
        try:
            await asyncio.wait({sleeping, waking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sleeping, waking):
                task.cancel()
            await asyncio.gather(sleeping, waking, return_exceptions=True)

    def _note(self, match: Match) -> None:
        """Wake up if a match is due before all that were known."""
        for due in (match.deadline, match.times.remind_at):
            if due is not None and (self._next is None or due < self._next):
                self._sooner.set()
