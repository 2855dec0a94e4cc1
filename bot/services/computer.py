"""The computer player: the engine's search in worker threads, within a budget."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, Self

import structlog

from bot.model.errors import ComputerFailedError, RestartingError, StorageFailedError
from bot.model.starting import find_level
from bot.operations import QUICK_S, Workers, look_at
from bot.storage.database import PROCESSES
from engine import LevelNumber, Searcher, choose_move, levels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.cluster import Cluster
    from bot.model.match import Match
    from bot.model.notices import Step
    from bot.services.matches import MatchService
    from engine import Level, Position, SearchReport


if TYPE_CHECKING:
    Search = Callable[[Position, Level, threading.Event, float], SearchReport]

# What a search gets that has spent its whole time in the queue: enough for a glance.
_LEAST_SECONDS: Final = 0.02

# How much of its time is kept for a thread here, in case a worker elsewhere does not answer.
_KEPT_SECONDS: Final = 0.15

# How long an iteration takes at most on one core of an ordinary machine.
_SECONDS_AN_ITERATION: Final = 1.2e-5

# The one tree that waits for the next move of its game: 28 MB when it is full. With it and one net
# the bot holds 270 MB, 300 while others search, 45 more with another net. Smaller trees forget so
# much that they gain nothing.
_TREE_NODES: Final = 1_200_000

log = structlog.get_logger(__name__)


class SearchStoppedError(Exception):
    """The search was told to stop because nobody needs its result any more."""


class KeptTree:
    """The tree of the game that the highest level moved in last.

    It is found again by the position, which is the same or a move or two later. So takebacks
    need no handling, and games that begin alike may share a tree.
    """

    def __init__(self, nodes: int = _TREE_NODES) -> None:
        self._nodes = nodes
        self._lock = threading.Lock()
        self._searcher: Searcher | None = None

    @contextmanager
    def lend(self, position: Position) -> Iterator[Searcher]:
        """Lend one thread the searcher if it can go on with its tree, or else a new one."""
        with self._lock:
            searcher, self._searcher = self._searcher, None
        if searcher is None or not searcher.follows(position):
            searcher = None  # it goes before there is a new one
            searcher = Searcher(position.rules, max_nodes=self._nodes)
        yield searcher  # not put back if the search fails: its tree cannot be trusted
        with self._lock:
            self._searcher = searcher

    def search(
        self, position: Position, level: Level, stop: threading.Event, max_seconds: float
    ) -> SearchReport:
        """Choose a move, with a tree that is kept if the level goes on with one."""
        if not level.goes_on or position.rules.depth == 1:  # which is soon searched to its end
            return choose_move(position, level, stop=stop, max_seconds=max_seconds)
        with self.lend(position) as searcher:
            return choose_move(
                position, level, stop=stop, max_seconds=max_seconds, searcher=searcher
            )


class ComputerPlayers:
    """Threads that think about positions. Use it as a context manager.

    The shortest search goes first (`Workers`): a reply that takes a millisecond, as nearly all do,
    does not wait for one that takes a second. Long searches get less time the more of them wait;
    none is refused.

    Args:
        threads: How many positions are thought about at once, quick searches aside.
        seconds: The time from a request to its answer, waiting for a thread included.
        search: Finds a move; replaced in tests.
        cluster: Workers elsewhere, for the level that thinks as long as it may.

    Attributes:
        timed: Called with the level and the seconds that each answer took, waiting included.
    """

    def __init__(
        self,
        *,
        threads: int,
        seconds: float,
        search: Search | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        self.workers = Workers("computer", threads=threads)
        self.cluster = cluster
        self._seconds = seconds
        self._search = search or KeptTree().search
        self._stops: set[threading.Event] = set()
        self._closing = False
        self.timed: Callable[[LevelNumber, float], None] | None = None

    @property
    def thinking(self) -> int:
        """How many positions are being searched, here or elsewhere, or wait for that."""
        return len(self._stops)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def think(
        self, position: Position, level: LevelNumber, *, stop: threading.Event | None = None
    ) -> SearchReport:
        """Think about `position` and return the move to make and what it is worth.

        Args:
            position: Must not be over.
            level: The number of a playing strength.
            stop: Set it to end the search early; it is set if the caller is cancelled.

        Raises:
            UnknownLevelError: If there is no such level.
            SearchStoppedError: If `stop` was set.
            RestartingError: If the pool is closing.
            ComputerFailedError: If the search failed; what it raised has been logged.
        """
        if self._closing:
            raise RestartingError
        strength = levels_of(position.rules)[find_level(level).number - 1]
        stop = threading.Event() if stop is None else stop
        deadline = time.monotonic() + self._seconds
        expected = min(strength.seconds, strength.iterations * _SECONDS_AN_ITERATION)
        self._stops.add(stop)
        try:
            report = await self._ask(position, strength)
            if report is None:
                report = await self.workers.run(
                    self._look, position, strength, stop, deadline, expected, expected_s=expected
                )
            if stop.is_set():  # broken off half way: the move was not thought through
                raise SearchStoppedError
            if self.timed is not None:
                self.timed(level, time.monotonic() - (deadline - self._seconds))
            return report
        except asyncio.CancelledError:
            stop.set()
            raise
        except SearchStoppedError:
            if self._closing:
                raise RestartingError from None
            raise
        except RestartingError:
            raise
        except Exception as error:
            log.exception("search failed", level=level, ply=position.ply)
            raise ComputerFailedError from error
        finally:
            self._stops.discard(stop)

    async def _ask(self, position: Position, strength: Level) -> SearchReport | None:
        """Let a worker elsewhere think, if one is free and its result will be here in time."""
        if self.cluster is None or not strength.goes_on:
            return None
        within = self.cluster.seconds_within(self._seconds - _KEPT_SECONDS)
        seconds = min(strength.seconds, within)
        if seconds <= QUICK_S:
            return None
        work = partial(choose_move, position, strength, max_seconds=seconds)
        return await self.cluster.ask(work, expected_s=seconds, longest_wait_s=0.0)

    def _look(
        self,
        position: Position,
        strength: Level,
        stop: threading.Event,
        deadline: float,
        expected: float,
    ) -> SearchReport:
        """Search for the rest of the time, now that there is a thread."""
        if stop.is_set():
            raise SearchStoppedError
        left = deadline - time.monotonic()
        if expected > QUICK_S:
            left /= 1 + self.workers.crowding
        return self._search(position, strength, stop, max(_LEAST_SECONDS, left))

    async def close(self) -> None:
        """Stop every search and wait for the threads to end."""
        self._closing = True
        for stop in self._stops:
            stop.set()
        await self.workers.close()


FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
"""How long the computer waits after a failed reply: at first, doubled each time, and at most."""


@dataclass(slots=True, eq=False)
class _Thought:
    """A search under way and how many callers wait for it."""

    task: asyncio.Task[SearchReport]
    stop: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0


class Thinking:
    """Asks the computer player, at most once for each revision of a match."""

    def __init__(self, computer: ComputerPlayers) -> None:
        self._computer = computer
        self._thoughts: dict[tuple[int, int], _Thought] = {}
        self._closing = False

    async def think(self, match: Match) -> SearchReport | None:
        """Return what the computer thinks of `match`; None if it is no longer wanted.

        The search ends when the last caller that waits for it is cancelled.

        Raises:
            ComputerFailedError: If the search failed.
            RestartingError: If `close` has been called.
        """
        if self._closing:
            raise RestartingError
        key = (match.id, match.revision)
        thought = self._thoughts.get(key) or self._begin(key, match)
        thought.waiting += 1
        try:
            return await asyncio.shield(thought.task)
        except SearchStoppedError:
            if self._closing:
                raise RestartingError from None
            return None
        finally:
            thought.waiting -= 1
            if thought.waiting == 0 and not thought.task.done():
                # A later caller must start again instead of sharing this one's end.
                self._forget(key, thought)
                thought.stop.set()

    def stop(self, match_id: int) -> None:
        """End every search for a match, because it is over or has been changed."""
        for (thought_match, _revision), thought in self._thoughts.items():
            if thought_match == match_id:
                thought.stop.set()

    async def close(self) -> None:
        """End every search and wait until all have ended."""
        self._closing = True
        thoughts = list(self._thoughts.values())
        for thought in thoughts:
            thought.stop.set()
        if thoughts:
            await asyncio.wait([thought.task for thought in thoughts])

    def _begin(self, key: tuple[int, int], match: Match) -> _Thought:
        level = match.level_to_move
        assert level is not None, "asked for when the computer is to move only"
        stop = threading.Event()
        task = asyncio.create_task(self._computer.think(match.position, level, stop=stop))
        thought = _Thought(task, stop)
        self._thoughts[key] = thought
        task.add_done_callback(look_at)
        task.add_done_callback(lambda _task: self._forget(key, thought))
        return thought

    def _forget(self, key: tuple[int, int], thought: _Thought) -> None:
        if self._thoughts.get(key) is thought:
            del self._thoughts[key]


class Replies:
    """Makes the computer reply in every match where it is its turn.

    Use it as a context manager: on entry it replies in all matches that wait, and from then
    on in each that starts to wait or that another process leaves behind.
    """

    def __init__(self, matches: MatchService) -> None:
        self._matches = matches
        matches.database.keep_current(PROCESSES, self._resume)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._resuming: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._matches.watchers.append(self.watch)
        self._resuming = asyncio.create_task(self._resume(), name="replies")
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._matches.watchers.remove(self.watch)
        tasks = list(self._tasks.values())
        if self._resuming is not None:
            tasks.append(self._resuming)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def watch(self, step: Step) -> None:
        """Note that a match has gone on."""
        if step.after.level_to_move is not None:
            self._begin(step.after.id)

    async def settled(self) -> None:
        """Wait until no match waits for the computer any more."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    async def _resume(self, _key: str | None = None) -> None:
        try:
            waiting = await self._matches.awaiting_computer()
        except Exception:
            log.exception("nothing is known of matches that wait for the computer")
            return
        if waiting:
            log.info("matches wait for the computer", count=len(waiting))
        # This process may not have heard yet of the last moves that another one stored.
        self._matches.cache.forget(match.id for match in waiting)
        for match in waiting:
            self._begin(match.id)

    def _begin(self, match_id: int) -> None:
        if match_id not in self._tasks:
            task = asyncio.create_task(self._reply(match_id), name=f"reply in {match_id}")
            self._tasks[match_id] = task

    async def _reply(self, match_id: int) -> None:
        """Reply until it is not the computer's turn any more."""
        failures = 0
        try:
            while (await self._matches.load(match_id)).level_to_move is not None:
                try:
                    await self._matches.reply(match_id)
                except (ComputerFailedError, StorageFailedError) as error:
                    # Both have been logged where they came from.
                    pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**failures)
                    failures += 1
                    log.warning("no reply yet", match=match_id, again_in=pause_s, why=str(error))
                    await asyncio.sleep(pause_s)
        except RestartingError:
            log.debug("replies stop with the service", match=match_id)
        except Exception:
            log.exception("no reply", match=match_id)
        finally:
            del self._tasks[match_id]
