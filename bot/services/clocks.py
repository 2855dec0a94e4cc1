"""What clocks cause, whether or not anybody is looking: forfeits and reminders.

`ClockScheduler` holds nothing that the database does not: it asks there each time what is next,
and at the start finds everything that came due meanwhile. It wakes at the earliest deadline or
reminder, when an earlier one appears, and once a minute in any case, to note that the bot runs and
to look for challenges that have run out.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeVar

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
    from collections.abc import Awaitable, Callable, Iterable
    from datetime import datetime

    from bot.model.challenges import Challenge
    from bot.services.challenges import ChallengeService
    from bot.services.matches import MatchService

T = TypeVar("T")

log = structlog.get_logger(__name__)


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


async def remind_due(matches: MatchService, now: datetime) -> list[News]:
    """Remind players who have not moved for a while, or whose time runs out; return of what.

    The latter is when a quarter of the time for a move is left. Players who are notified
    when their turn begins are reminded only of the time; players who want no messages, at
    all or of that match, are not reminded. Everybody returned counts as reminded, even if
    the message cannot be sent: a missing message is better than one sent twice.

    Raises:
        StorageFailedError: If that could not be stored.
    """
    return await matches.operations.run(_remind_due(matches, now))


async def _remind_due(matches: MatchService, now: datetime) -> list[News]:
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
            news = None
            if is_last or row.way in (None, Notices.AUTO):
                news = News(
                    kind=NewsKind.REMINDER if is_last else NewsKind.WAITING,
                    match_id=match.id,
                    user_id=row.player_id,
                    revision=match.revision,
                )
            next_at = None if is_last else last
            matches.cache.forget([match.id])
            is_told = await matches.database.write(
                rows.note_reminded, match.id, news, next_at=next_at, now=now
            )
            if news is not None and is_told:
                reminders.append(news)
                # Between steps, as the lock is held: each strikes out what it ends.
                if matches.notifications is not None:
                    matches.notifications.remind(news)
    return reminders


_LONGEST_S: Final = HEARTBEAT_EVERY.total_seconds()
_LOOK_AGAIN_S: Final = 1.0
"""How soon it is noticed that people can play again."""


class ClockScheduler:
    """The task that keeps time. Run `run` while the bot runs.

    Args:
        on_settled: Has a match shown that was lost on time.
        on_expired: Has a challenge shown that nobody has answered.
        is_online: Whether people can play; while they cannot, no time is kept, and what passed is
            given back as after any absence of the bot.
        sleep: Waits for a number of seconds; replaced in tests.
    """

    def __init__(
        self,
        matches: MatchService,
        challenges: ChallengeService,
        *,
        on_settled: Callable[[Match], None],
        on_expired: Callable[[Challenge], None],
        is_online: Callable[[], bool] = lambda: True,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._matches = matches
        self._challenges = challenges
        self._on_settled = on_settled
        self._on_expired = on_expired
        self._is_online = is_online
        self._sleep = sleep
        self._sooner = asyncio.Event()
        self._next: datetime | None = None

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
        _show(self._on_settled, await settle_overdue(matches))
        _show(self._on_expired, await self._challenges.expire())
        await remind_due(matches, matches.clock())
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


def _show(show: Callable[[T], None], values: Iterable[T]) -> None:
    for value in values:
        try:
            show(value)
        except Exception:
            log.exception("could not show what the clock has done")
