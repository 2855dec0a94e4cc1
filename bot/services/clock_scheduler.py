"""Ends matches whose time runs out, whether or not anybody looks at them.

Holds nothing that the database does not: what is next is asked there each time, and
at the start everything that came due meanwhile is found. Wakes at the earliest
deadline, when an earlier one appears, and once a minute in any case, to note that
the bot runs and to look for reminders and challenges that have run out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import structlog

from bot.model.errors import RestartingError
from bot.model.vacations import HEARTBEAT_EVERY

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.model.challenge import Challenge
    from bot.model.match import Match
    from bot.services.challenges import ChallengeService
    from bot.services.clocks import Reminder
    from bot.services.matches import MatchService

T = TypeVar("T")
Tell: TypeAlias = Callable[[T], Awaitable[None]]

_LONGEST_S: Final = HEARTBEAT_EVERY.total_seconds()

log = structlog.get_logger(__name__)


class ClockScheduler:
    """The task that keeps time. Run `run` while the bot runs.

    Args:
        matches: Whose matches are settled.
        challenges: Whose challenges run out.
        on_settled: Shows a match that was lost on time.
        on_reminder: Tells somebody that their time runs out.
        on_expired: Shows a challenge that nobody has answered.
        sleep: Waits for so many seconds; replaced in tests.
    """

    def __init__(
        self,
        matches: MatchService,
        challenges: ChallengeService,
        *,
        on_settled: Tell[Match],
        on_reminder: Tell[Reminder],
        on_expired: Tell[Challenge],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._matches = matches
        self._challenges = challenges
        self._on_settled = on_settled
        self._on_reminder = on_reminder
        self._on_expired = on_expired
        self._sleep = sleep
        self._sooner = asyncio.Event()
        self._next: datetime | None = None

    async def run(self) -> None:
        """Keep time until cancelled, or until the service is closed."""
        context = self._matches.context
        context.listeners.append(self._note)
        try:
            while True:
                # Before asking what is next, so that what comes meanwhile is noticed.
                self._sooner.clear()
                self._next = None
                await self._work_safely()
                await self._wait()
        except RestartingError:
            log.info("deadlines stop with the service")
        finally:
            context.listeners.remove(self._note)

    async def work(self) -> None:
        """Do everything that is due now, once.

        Raises:
            RestartingError: If the service is closed.
            StorageFailedError: If something could not be stored; it is due still.
        """
        times = self._matches.times
        began_at = self._matches.context.clock()
        # Gives time back too where this process stood still, with the machine asleep or
        # before it reached Discord.
        await times.come_back()
        await self._tell(self._on_settled, await times.settle_overdue())
        await self._tell(self._on_expired, await self._challenges.expire())
        reminders = await times.due_reminders(self._matches.context.clock())
        await self._tell(self._on_reminder, reminders)
        # Past ones would be of matches that cannot be read, and keep this awake for ever.
        self._next = await times.next_deadline(began_at)

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
            try:
                async with asyncio.timeout(_LONGEST_S):
                    await tell(value)
            except Exception:
                log.exception("could not show what the clock has done")
            # Else many that are slow would look like an absence of the bot.
            await self._matches.times.note_running()

    async def _wait(self) -> None:
        """Wait for the next deadline, an earlier one, or the next minute."""
        seconds = _LONGEST_S
        if self._next is not None:
            now = self._matches.context.clock()
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
        """Wake up if a match ends sooner than all that were known."""
        deadline = match.deadline
        if deadline is not None and (self._next is None or deadline < self._next):
            self._sooner.set()
