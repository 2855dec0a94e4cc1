"""How work is run: never cut off once begun, the shortest first, and limited for each person."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import time
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from cachetools import TTLCache

from bot.model.errors import OverloadedError, RestartingError, SlowDownError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

T = TypeVar("T")

QUICK_S: Final = 0.2
"""Work expected to take at most this long is not held up by longer work."""

# The duration assumed for work never run before, and the weight of each new measurement.
_UNKNOWN_S: Final = 0.1
_NEWEST_COUNTS: Final = 0.3

MOST_REMEMBERED: Final = 20_000
"""The most people whose used allowance is remembered."""

CLICK: Final = 1.0
"""What a click or a command takes from an allowance."""

HEAVY: Final = 15.0
"""The same for a request that takes longer to compute or draw than a board."""

BURST_S: Final = 40.0
"""People may do at once what they may do in this many seconds."""

KEPT_FOR_CLICKS_S: Final = 10.0
"""Heavy requests leave this much of the burst: after ten replays you can still move."""

SERVER_SHARE: Final = 3.0
"""The members of a server together may make as many heavy requests as this many people alone."""

SERVER_BURST_S: Final = 60.0

ANSWER_WITHIN_S: Final = 1.0
"""An answer expected to take longer is not begun: two thirds of Discord's time are kept in reserve
for answers slower than most."""

ALWAYS_ADMITTED: Final = 8
"""Up to this many answers at once are never too many."""

FIRST_GUESS: Final = 32
"""How many answers are assumed to fit into `ANSWER_WITHIN_S` before that was ever measured."""

_NEWEST_ANSWER_COUNTS: Final = 0.05


class Operations:
    """Runs each operation as a task of its own, which goes on if its caller is cancelled.

    A caller that is cancelled between taking a lock and the end of a write would
    let the next one in too early; here only the waiting is cancelled.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._closing = False

    async def run(self, operation: Coroutine[Any, Any, T]) -> T:
        """Carry out `operation` and return what it returns; see `check_open`."""
        try:
            self.check_open()
        except RestartingError:
            operation.close()
            raise
        task = asyncio.create_task(operation)
        self._running.add(task)
        # What `asyncio.shield` does, in half as many steps of the event loop.
        waiting: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        task.add_done_callback(partial(self._finish, waiting))
        return await waiting

    def _finish(self, waiting: asyncio.Future[T], done: asyncio.Task[T]) -> None:
        self._running.discard(done)
        if waiting.done():
            look_at(done)
        elif done.cancelled():
            waiting.cancel()
        elif (error := done.exception()) is not None:
            waiting.set_exception(error)
        else:
            waiting.set_result(done.result())

    def check_open(self) -> None:
        """Raise `RestartingError` if `close` has been called."""
        if self._closing:
            raise RestartingError

    async def close(self) -> None:
        """Accept no more operations and wait for those in progress."""
        self._closing = True
        while self._running:
            await asyncio.wait(self._running)


def look_at(done: asyncio.Future[Any]) -> None:
    """Mark a result as seen, in case its caller is gone.

    Asyncio would log an error that was never looked at, though its caller was cancelled.
    """
    if not done.cancelled():
        done.exception()


@dataclass(slots=True, order=True)
class _Job:
    """Work that waits for a thread, or has one."""

    due: float
    number: int
    expected_s: float = field(compare=False)
    who: int | None = field(compare=False)
    turn: asyncio.Future[None] = field(compare=False)


class WorkQueue(ABC):
    """A queue of work, and a limit on how much of it runs at once.

    Work is ordered by arrival plus expected time: the shortest goes first, and none is overtaken
    for longer than it takes itself. Work that the same person already has in the queue is added:
    forty requests from one person run one after another, between those of everybody else.

    Args:
        threads: How many jobs run at once, not counting quick ones.
        most: The same, counting quick ones.
        quick_s: Work expected to take at most this long is quick.
        longest_wait_s: Work that has to wait longer is refused, at once if that can be foreseen.
    """

    def __init__(
        self, *, threads: int, most: int, quick_s: float, longest_wait_s: float = math.inf
    ) -> None:
        self._threads = threads
        self._most = most
        self._quick_s = quick_s
        self._longest_wait_s = longest_wait_s
        # By whether they are quick: the jobs that wait, as heaps, and those that run.
        self._waiting: dict[bool, list[_Job]] = {True: [], False: []}
        self._running: dict[bool, list[_Job]] = {True: [], False: []}
        self._numbers = itertools.count()
        # How long work without an estimate has taken so far, by the name of its function.
        self._took_s: dict[str, float] = {}
        self._closing = False
        self.refused = 0

    @property
    def running(self) -> int:
        """How many jobs are running."""
        return sum(map(len, self._running.values()))

    @property
    def waiting(self) -> int:
        """How many jobs wait for a thread."""
        return sum(map(len, self._waiting.values()))

    @property
    def crowding(self) -> float:
        """How many jobs that are not quick wait for each thread."""
        return len(self._waiting[False]) / self._threads

    @abstractmethod
    def _begin(self, work: Callable[[], T], expected_s: float) -> asyncio.Future[T]:
        """Start work whose turn has come."""

    async def run(
        self,
        work: Callable[..., T],
        *args: Any,
        expected_s: float | None = None,
        who: int | None = None,
        longest_wait_s: float | None = None,
    ) -> T:
        """Call `work` with `args` when its turn comes; return its result or raise its error.

        Once begun, it goes on even if the caller is cancelled, and keeps its thread until it ends.

        Args:
            work: A function; it speaks the caller's language.
            args: Its arguments.
            expected_s: How long it takes, in seconds of one core; by default what it took before.
            who: The id of the person who asked for it; None for nobody.
            longest_wait_s: How long it may wait for a thread; by default the limit of the queue.

        Raises:
            OverloadedError: If it would have to wait longer, or has done so.
            RestartingError: If `close` has been called before it began.
        """
        name = getattr(work, "__qualname__", "")
        seconds = self._took_s.get(name, _UNKNOWN_S) if expected_s is None else expected_s
        limit_s = self._longest_wait_s if longest_wait_s is None else longest_wait_s
        job = await self._take_turn(seconds, who, limit_s)
        began = time.monotonic()
        working = self._begin(partial(work, *args), seconds)
        working.add_done_callback(partial(self._end, job))
        result = await asyncio.shield(working)
        if expected_s is None:
            seconds += _NEWEST_COUNTS * (time.monotonic() - began - seconds)
            self._took_s[name] = seconds
        return result

    async def close(self) -> None:
        """Begin no more work; refuse all that waits for a thread."""
        self._closing = True
        for job in itertools.chain(*self._waiting.values()):
            if not job.turn.done():
                job.turn.set_exception(RestartingError())

    async def _take_turn(self, expected_s: float, who: int | None, limit_s: float) -> _Job:
        """Wait until there is a thread for work of this length."""
        if self._closing:
            raise RestartingError
        is_quick = expected_s <= self._quick_s
        due = time.monotonic() + expected_s
        if who is not None:
            lines = (*self._waiting.values(), *self._running.values())
            due += sum(job.expected_s for job in itertools.chain(*lines) if job.who == who)
        if limit_s < (wait_s := self._wait_s(due, is_quick=is_quick)):
            self.refused += 1
            raise OverloadedError(math.ceil(wait_s))
        turn = asyncio.get_running_loop().create_future()
        job = _Job(due, next(self._numbers), expected_s, who, turn)
        heapq.heappush(self._waiting[is_quick], job)
        self._give_turns()
        try:
            async with asyncio.timeout(None if limit_s == math.inf else limit_s):
                await turn
            if self._closing:
                raise RestartingError
        except BaseException as error:
            if job in self._waiting[is_quick]:
                self._waiting[is_quick].remove(job)
                heapq.heapify(self._waiting[is_quick])
            else:
                self._end(job)
            if not isinstance(error, TimeoutError):
                raise
            self.refused += 1
            raise OverloadedError(math.ceil(self._wait_s(due, is_quick=is_quick)) or 1) from None
        return job

    def _wait_s(self, due: float, *, is_quick: bool) -> float:
        """Return about how long work with this `due` time has to wait for a thread."""
        kinds = (True,) if is_quick else (True, False)
        before = [job for kind in kinds for job in self._waiting[kind] if job.due < due]
        before += self._running[is_quick]
        if len(before) < self._threads:
            return 0.0
        return sum(job.expected_s for job in before) / self._threads

    def _give_turns(self) -> None:
        """Give free threads to the jobs that are next."""
        quick, long = self._waiting[True], self._waiting[False]
        while self.running < self._most:
            may_be_long = bool(long) and len(self._running[False]) < self._threads
            if not quick and not may_be_long:
                return
            is_quick = bool(quick) and not (may_be_long and long[0] < quick[0])
            job = heapq.heappop(self._waiting[is_quick])
            self._running[is_quick].append(job)
            if not job.turn.done():  # else its caller is about to give it back
                job.turn.set_result(None)

    def _end(self, job: _Job, done: asyncio.Future[Any] | None = None) -> None:
        """Free the thread of a job, even if nobody waits for its result any more."""
        self._running[job.expected_s <= self._quick_s].remove(job)
        if done is not None:
            look_at(done)
        self._give_turns()


class Workers(WorkQueue):
    """Threads with a queue of work. Use it as a context manager.

    There is one thread more than asked for, which serves only quick work. The threads are called
    `name`; all else is as for `WorkQueue`.
    """

    def __init__(
        self, name: str, *, threads: int, quick_s: float = QUICK_S, longest_wait_s: float = math.inf
    ) -> None:
        super().__init__(
            threads=threads, most=threads + 1, quick_s=quick_s, longest_wait_s=longest_wait_s
        )
        self._pool = ThreadPoolExecutor(max_workers=threads + 1, thread_name_prefix=name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    def _begin(self, work: Callable[[], T], expected_s: float) -> asyncio.Future[T]:
        """Run it in a thread; it speaks the caller's language."""
        del expected_s
        return asyncio.wrap_future(self._pool.submit(copy_context().run, work))

    async def close(self) -> None:
        """Begin no more work and wait for the jobs that run."""
        await super().close()
        await asyncio.to_thread(self._pool.shutdown, wait=True)


class Allowance:
    """How much each may ask for: a burst at once, and a steady rate after that.

    A leaky bucket for each (GCRA): it remembers when everything that somebody has used will have
    been given back. Those who have used nothing for `burst_s` are forgotten.

    Args:
        a_second: How much is given back in a second.
        burst_s: The burst is what is given back in this many seconds.
    """

    def __init__(
        self, *, a_second: float, burst_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._a_second = a_second
        self._burst_s = burst_s
        self._clock = clock
        self._full_at: TTLCache[int, float] = TTLCache(MOST_REMEMBERED, burst_s, timer=clock)

    def __len__(self) -> int:
        return len(self._full_at)

    def wait_s(self, who: int, cost: float, *, keep_s: float = 0.0) -> float:
        """Take `cost` for `who` and return 0, or in how many seconds they can afford it.

        `keep_s` of the burst has to be left, for more urgent requests.
        """
        now = self._clock()
        full_at = max(now, self._full_at.get(who, now)) + cost / self._a_second
        wait_s = full_at - now - (self._burst_s - keep_s)
        if wait_s > 0:
            return wait_s
        self._full_at[who] = full_at
        return 0.0


class Limits:
    """How much a person may ask for, and how much heavy work all of a server together.

    A click counts for its person alone: any number of people may play in a server. With 0
    clicks per second there are no limits.
    """

    def __init__(self, clicks_per_second: float) -> None:
        self._is_off = not clicks_per_second
        server_clicks = SERVER_SHARE * clicks_per_second
        self.people = Allowance(a_second=clicks_per_second, burst_s=BURST_S)
        self.servers = Allowance(a_second=server_clicks, burst_s=SERVER_BURST_S)
        self.refused = 0

    def take(self, cost: float, user_id: int, guild_id: int | None) -> SlowDownError | None:
        """Take `cost` from the allowances; return what to say if they are used up."""
        if self._is_off:
            return None
        is_heavy, in_server = cost > CLICK, False
        keep_s = KEPT_FOR_CLICKS_S if is_heavy else 0.0
        wait_s = self.people.wait_s(user_id, cost, keep_s=keep_s)
        if not wait_s and is_heavy and guild_id is not None:
            wait_s, in_server = self.servers.wait_s(guild_id, cost), True
        if not wait_s:
            return None
        self.refused += 1
        return SlowDownError(math.ceil(wait_s), in_server=in_server)


class Concurrency:
    """Limits the answers in progress to as many as will be done in time.

    By Little's law each takes as long as those in progress together need: their number times
    what one adds, which is measured whenever an answer ends. If more came in than can be done,
    all would be late without a limit. The speed depends on the machine and what else it does,
    so it is measured; a few answers are always let in, to measure with.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # By the id of an interaction: when it began, and how many were in progress then.
        self._running: dict[int, tuple[float, int]] = {}
        self._each_s = ANSWER_WITHIN_S / FIRST_GUESS

    @contextmanager
    def working(self, number: int) -> Iterator[None]:
        """Count an answer as in progress, until the block ends or `end` is called."""
        self._running[number] = (self._clock(), len(self._running) + 1)
        try:
            yield
        finally:
            self.end(number)

    @contextmanager
    def paused(self, number: int) -> Iterator[None]:
        """Do not count an answer while it only waits for something else."""
        job, since = self._running.pop(number, None), self._clock()
        try:
            yield
        finally:
            if job is not None:
                self._running[number] = (job[0] + self._clock() - since, job[1])

    def end(self, number: int) -> None:
        """Note that an answer was given."""
        job = self._running.pop(number, None)
        if job is None:
            return
        began, count = job
        each_s = (self._clock() - began) / count
        # Few answers do not show what many would need, unless each took less than expected.
        if count >= ALWAYS_ADMITTED / 2 or each_s < self._each_s:
            self._each_s += _NEWEST_ANSWER_COUNTS * (each_s - self._each_s)

    @property
    def expected_s(self) -> float:
        """How long an answer takes that begins now, or goes on after a pause."""
        return len(self._running) * self._each_s

    def check(self, age_s: float) -> OverloadedError | None:
        """Return the refusal of an interaction of this age if its answer would come too late."""
        if len(self._running) < ALWAYS_ADMITTED:
            return None
        # If nearly all are stuck, none ends and is measured.
        began, _count = next(itertools.islice(self._running.values(), ALWAYS_ADMITTED - 1, None))
        wait_s = max(self.expected_s, self._clock() - began)
        return None if age_s + wait_s <= ANSWER_WITHIN_S else OverloadedError(math.ceil(wait_s))
