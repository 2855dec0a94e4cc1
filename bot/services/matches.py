"""Everything that can be done to a match, once it has begun (`starting.py`)."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Self
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache

from bot.clock import Clock, system_clock
from bot.model import starting
from bot.model.actions import Action, Reply, Request
from bot.model.clocks import is_absence
from bot.model.decide import Facts, decide
from bot.model.errors import (
    MatchNotFoundError,
    NoMatchError,
    NotAPlayerError,
    RestartingError,
    StaleBoardError,
    StorageFailedError,
    TimeOverError,
)
from bot.model.match import Match, check_turn
from bot.model.notices import Step
from bot.operations import Operations
from bot.services.computer import Thinking
from bot.storage import matches as rows
from bot.storage import vacations
from bot.storage.matches import BrokenRecordError, MatchRow, to_match
from bot.storage.outbox import OutboxKind, OutboxRow, outbox_writes
from bot.storage.writer import ConflictError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from bot.model.decide import Change
    from bot.model.hosting import Maintenance
    from bot.services.computer import ComputerPlayers
    from bot.services.notifications import NotificationQueue
    from bot.storage import Database
    from bot.storage.writer import Write
    from engine import Ply, SearchReport


RECENT: Final = 16_384
"""How many matches stay in memory: all ongoing ones at a busy time, at 2 to 4 KB each."""

ENDED: Final = 512
"""How many of them may be over: those are looked at again soon after their end, or hardly ever."""

log = structlog.get_logger(__name__)


class MatchCache:
    """Matches by number, in memory and on disk, and the lock of each."""

    def __init__(self, database: Database, limit: int = RECENT, ended: int = ENDED) -> None:
        self._database = database
        # Weak: a lock is dropped when nobody holds it or waits for it.
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        # Holds only what is on disk. The database reports changes by other processes, and refuses
        # a change that was decided from an older state.
        self._recent: LRUCache[int, Match] = LRUCache(limit)
        self._most_ended, self._ended = ended, deque[int]()
        database.watchers["match"].append(self._hear_of_change)
        self._changed: set[int] = set()  # elsewhere, while they are being read or stored here

    def lock(self, match_id: int) -> asyncio.Lock:
        """Return the lock to hold from `current` until the end of `store`."""
        return self._locks.setdefault(match_id, asyncio.Lock())

    def at_rest(self, match_id: int) -> Match | None:
        """Return a match from memory if nobody is working on it, for callers that only read it."""
        lock = self._locks.get(match_id)
        return None if lock is not None and lock.locked() else self._recent.get(match_id)

    async def current(self, match_id: int) -> Match:
        """Return a match as it is on disk; the caller holds its lock.

        Raises:
            MatchNotFoundError: If there is no such match.
        """
        recent = self._recent
        match = recent.get(match_id)
        if match is None:
            row = await self._database.read(rows.find_match, match_id)
            if row is None:
                raise MatchNotFoundError(match_id)
            match = to_match(row)
            self._remember(recent, match)
        return match

    async def store(self, change: Change, also: Sequence[Write] = ()) -> Match:
        """Store a change and return the match after it; the caller holds the lock.

        The writes in `also` are stored with it.

        Raises:
            ConflictError: If the match on disk is not the one that the change starts from.
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        match, recent = change.after, self._recent
        recent.pop(match.id, None)
        if change.ends:
            await self._database.write(rows.end, change, also)
        else:
            await self._database.store([*rows.writes_of(change), *also], ("match", match.id))
        self._remember(recent, match)
        return match

    async def place(self, before: Match, after: Match, writes: Sequence[Write]) -> None:
        """Store where the board of a match is shown after that; the caller holds the lock.

        Raises:
            ConflictError: If it is no longer shown as before, or has gone on.
            StorageFailedError: If it could not be stored.
        """
        recent = self._recent
        is_known = recent.pop(before.id, None) is before
        await self._database.store(writes, ("match", before.id))
        if is_known:
            self._remember(recent, after)

    async def find(self, query: Callable[..., MatchRow | None], *given: Any) -> Match | None:
        """Return the match that a function of `bot.storage.matches` finds."""
        row = await self._database.read(query, *given)
        return None if row is None else to_match(row)

    async def list(self, query: Callable[..., list[MatchRow]], *given: Any) -> list[Match]:
        """Return the matches that such a function finds, without any that cannot be replayed."""
        found = []
        for row in await self._database.read(query, *given):
            try:
                found.append(to_match(row))
            except BrokenRecordError:
                log.exception("match left out", match=row.id)
        return found

    def _remember(self, recent: LRUCache[int, Match], match: Match) -> None:
        """Keep a match in memory as it is on disk, unless it was changed elsewhere meanwhile."""
        if match.id in self._changed:
            self._changed.discard(match.id)
        else:
            recent[match.id] = match
            if match.is_over:
                self._ended.append(match.id)
                if len(self._ended) > self._most_ended:
                    recent.pop(self._ended.popleft(), None)

    def _hear_of_change(self, key: str | None) -> None:
        """Note that another process changed a match, or perhaps any match if None."""
        if key is None:
            self.forget_all()
            return
        match_id = int(key)
        self._recent.pop(match_id, None)
        lock = self._locks.get(match_id)
        if lock is not None and lock.locked():
            self._changed.add(match_id)

    def forget(self, match_ids: Iterable[int]) -> None:
        """Drop matches from memory that were changed on disk by anything but `store`."""
        for match_id in match_ids:
            self._recent.pop(match_id, None)

    def forget_all(self) -> None:
        """Drop every match from memory, including those being read or stored now."""
        self._recent = LRUCache(self._recent.maxsize)


class MatchService:
    """Plays in matches and ends them. Use it as a context manager.

    What a method returns has been stored. What could not be raises a StorageFailedError; nothing
    has changed then, and it can be tried again. Each method works on one match at a time under
    that match's lock, and runs to its end even if its caller is cancelled.

    Args:
        database: Where matches are kept; must outlive the service.
        computer: Thinks for the computer's seats; must outlive the service too.
        rng: Decides who starts, draws openings, and decides swaps for levels that do not search.
        watches_clock: Whether each step first checks if the clock was set; tests that let hours
            pass in one step turn this off.

    Attributes:
        operations: Finishes what has begun, even if its caller is cancelled.
        away: When each player on vacation will be back, by their number; as on disk.
        listeners: Called with every match whose deadline may have changed.
        returns: Called when deadlines were moved after an absence of the bot.
        left: Called with the outbox row of each old board that gets a pointer to the new one.
        maintenance: What the host has announced, if anything: no matches begin until its end.
        watchers: Called with every step of a match, its beginning included.
        notifications: Notifies people of news in their matches; None if nothing does.
    """

    def __init__(
        self,
        database: Database,
        computer: ComputerPlayers,
        *,
        clock: Clock = system_clock,
        rng: random.Random | None = None,
        watches_clock: bool = True,
    ) -> None:
        self.watches_clock = watches_clock
        self.database = database
        self.clock = clock
        self.rng = random.SystemRandom() if rng is None else rng
        self.cache = MatchCache(database)
        self.operations = Operations()
        self.away: dict[int, datetime] = {}
        self.listeners: list[Callable[[Match], None]] = []
        self.returns: list[Callable[[], None]] = []
        self.left: list[Callable[[OutboxRow], None]] = []
        self.watchers: list[Callable[[Step], None]] = []
        self.notifications: NotificationQueue | None = None
        self.computer = computer
        self.maintenance: Maintenance | None = None
        self._thinking = Thinking(computer)
        self._noted_at: datetime | None = None
        self._returning = asyncio.Lock()
        self._absences = 0

    async def __aenter__(self) -> Self:
        # Before anybody can be too late through the bot's fault.
        await self.come_back()
        self.database.keep_current("vacation", self._read_away)
        return self

    async def _read_away(self, _key: str | None = None) -> None:
        self.away = await self.database.read(vacations.list_away, self.clock())

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop all searches, finish what has begun, and accept nothing more."""
        await self._thinking.close()
        await self.operations.close()
        with contextlib.suppress(StorageFailedError, RestartingError):
            if self.watches_clock:
                await self.catch_up()  # for an outage that is not over
            await self.note_running()

    # The bot's own absence, which costs nobody any time. While the bot runs, it notes every minute
    # that it does. The time between the last note and the next start is given back to every clock
    # that was running, in the transaction of the new note: it is neither lost in a crash nor given
    # twice. Setting the host's clock forward looks the same and is treated the same. Setting it
    # back gives everybody that time on top, and setting it forward again does so once more. Nobody
    # loses a match by either. A jump below `CREDITED_FROM` counts as time that has passed.

    async def come_back(self) -> timedelta:
        """Note that the bot runs, and give back the time since the last note if that is old.

        Returns:
            The time given back: none after a short absence, or at the very first start.
        """
        async with self._returning:
            return await self._come_back()

    async def _come_back(self) -> timedelta:
        now = self.clock()
        if self._was_away(now):
            self._absences += 1  # before anything decided by the old times can be stored
        given = await self.database.write(vacations.come_back, now)
        if given:
            log.info("time given back for the bot's own absence", seconds=given.total_seconds())
            self.cache.forget_all()
            for listener in self.returns:
                listener()
        await self._read_away()
        self._noted_at = now
        return given

    async def catch_up(self) -> None:
        """Give back any such time at once, before a clock decides anything.

        After the host's clock was set or the machine was asleep, a player who clicks before
        `ClockScheduler` looks again would otherwise lose their match.
        """
        while self._was_away(self.clock()):
            async with self._returning:
                if self._was_away(self.clock()):  # else somebody else has noted it
                    await self._come_back()

    def _was_away(self, now: datetime) -> bool:
        return self._noted_at is not None and is_absence(self._noted_at, now)

    async def note_running(self) -> None:
        """Note that the bot runs: the time since the last note is not given back."""
        now = self.clock()
        await self.database.write(vacations.note_running, now)
        self._noted_at = now

    # Looking.

    async def load(self, match_id: int, *, user_id: int | None = None) -> Match:
        """Return a match as it is now, for anybody or for a person who must have a seat in it.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If the person has no seat in it.
        """
        self.operations.check_open()
        match = self.cache.at_rest(match_id)
        if match is None:
            match = await self.operations.run(self._load(match_id))
        if user_id is not None and not match.has_player(user_id):
            raise NotAPlayerError(match)
        return match

    async def _load(self, match_id: int) -> Match:
        async with self.cache.lock(match_id):
            return await self.cache.current(match_id)

    async def reload(self, match_id: int) -> Match:
        """Return a match as it is now, even if another process has changed it this moment.

        Raises:
            MatchNotFoundError: If there is no such match.
        """
        if self.database.shards is not None:
            self.cache.forget([match_id])
        return await self.load(match_id)

    async def check_turn(
        self, match_id: int, *, user_id: int, ply: Ply, revision: int | None = None
    ) -> Match:
        """Return a match if a person may move in it at `ply`, by the same check as `play`.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If the person has no seat in it.
            MatchOverError: If it has ended.
            StaleBoardError: If it is no longer at `ply`.
            NotYourTurnError: If the other seat is to move.
        """
        match = await self.load(match_id, user_id=user_id)
        check_turn(match, Request(user_id=user_id, ply=ply, revision=revision))
        return match

    async def latest_of(self, user_id: int, channel_id: int | None = None) -> Match | None:
        """Return a person's newest match, in a channel or anywhere; an ongoing one goes first."""
        return await self.cache.find(rows.find_latest, user_id, channel_id)

    async def latest_for(self, user_id: int, channel_id: int | None = None) -> Match:
        """Return the match that a person means if they name none.

        That is their newest in the channel, failing that their newest anywhere; an
        ongoing one goes before any that has ended.

        Raises:
            NoMatchError: If they have none.
        """
        match = await self.latest_of(user_id, channel_id) or await self.latest_of(user_id)
        if match is None:
            raise NoMatchError
        return match

    async def ongoing_of(self, user_id: int) -> list[Match]:
        """Return a person's ongoing matches, the newest first."""
        return await self.cache.list(rows.list_ongoing, user_id)

    async def awaiting_computer(self) -> list[Match]:
        """Return the matches that wait for the computer, to reply in them after a restart."""
        return await self.cache.list(rows.list_awaiting_computer, self.database.home)

    # Playing.

    async def perform(
        self,
        match_id: int,
        action: Action,
        *,
        user_id: int,
        ply: Ply | None = None,
        revision: int | None = None,
        late_by: timedelta = timedelta(),
    ) -> Match:
        """Carry out an action of a person and return the match after it; see `Request`.

        The match returned has been stored. The same click delivered twice is not an error.

        Raises:
            MatchNotFoundError: If there is no such match.
            MatchError: If it is not allowed, with the match as it is: NotAPlayerError,
                MatchOverError, TimeOverError if the clock has ended it now, StaleBoardError,
                NotYourTurnError, OfferError, NothingToTakeBackError or ClockRunningError.
            IllegalMoveError: If the rules of the game forbid it.
        """
        request = Request(user_id=user_id, ply=ply, revision=revision, late_by=late_by)
        match, change = await self.operations.run(self.try_to(match_id, action, request))
        if change is not None and change.instead:
            raise TimeOverError(match)
        return match

    async def try_to(
        self, match_id: int, action: Action, request: Request
    ) -> tuple[Match, Change | None]:
        """Do what `perform` does, for callers that are an operation; return the change too.

        Raises:
            MatchError: As for `perform`; if another process has changed the match, its state now
                decides.
        """
        async with self.cache.lock(match_id):
            while True:
                if self.watches_clock:
                    await self.catch_up()
                now, absences = self.clock(), self._absences
                match = await self.cache.current(match_id)
                if _is_ahead(request, match):  # by a board that another process has shown
                    self.cache.forget([match_id])
                    match = await self.cache.current(match_id)
                change = decide(match, action, request, Facts(now=now, away=self.away))
                if absences != self._absences:
                    continue  # the times that decided it were moved meanwhile
                if change is None:
                    return match, None
                try:
                    return await self._store(change, request), change
                except ConflictError as error:  # another process was faster
                    if await self.cache.current(match_id) == match:  # or not: this would not end
                        raise StaleBoardError(match, match.ply) from error

    async def _store(self, change: Change, request: Request) -> Match:
        """Store a change and announce it; the caller holds the match's lock."""
        step = Step(before=change.before, after=change.after, by=request.user_id)
        match = await self.cache.store(change, self.news_writes(step))
        self.announce(match)
        self.tell(step)
        return match

    def news_writes(self, step: Step) -> Sequence[Write]:
        """Return the writes that store a step's notifications with it."""
        if self.notifications is None or not step.after.is_between_people:
            return ()
        return self.notifications.writes_of(step)

    def announce(self, match: Match) -> None:
        """Call the listeners with a match, if it has a deadline."""
        if match.deadline is not None:
            for listener in self.listeners:
                listener(match)

    def tell(self, step: Step) -> None:
        """Call the watchers with a step; it stays stored even if one of them fails."""
        before, match = step.before, step.after
        if before is not None and (match.is_over or match.ply <= before.ply):
            self._thinking.stop(match.id)  # the position it is thinking about is gone
        watchers = list(self.watchers)
        if self.notifications is not None and match.is_between_people:
            watchers.append(self.notifications.watch)
        for watcher in watchers:
            try:
                watcher(step)
            except Exception:
                log.exception("a step was not told", match=match.id)

    async def begun(self, match_id: int, by: int | None = None) -> Match:
        """Return a match that has just been stored, and announce its deadline and beginning."""
        match = await self._load(match_id)
        self.announce(match)
        self.tell(Step(before=None, after=match, by=by))
        return match

    async def reply(self, match_id: int) -> Match:
        """Let the computer move, or swap seats, if it is its turn; return the match.

        Safe to call at any time and any number of times: each position is searched once,
        and a result that comes too late is dropped.

        Raises:
            MatchNotFoundError: If there is no such match.
            ComputerFailedError: If the search failed; the match still waits for the computer.
            RestartingError: If the service is closing.
        """
        match = await self.load(match_id)
        if match.level_to_move is None:
            return match
        report = await self._thinking.think(match)
        if report is None:
            return await self.load(match_id)
        return await self.operations.run(self._answer(match, report))

    async def _answer(self, seen: Match, report: SearchReport) -> Match:
        swaps = seen.can_swap and starting.prefers_swap(report, self.rng)
        reply, request = Reply(report.move, swaps=swaps), Request(revision=seen.revision)
        try:
            match, change = await self.try_to(seen.id, reply, request)
        except StaleBoardError as error:
            return error.match
        if change is None:
            log.info("late reply dropped", match=seen.id, ply=seen.ply, now_at=match.ply)
        return match

    async def place(
        self,
        match_id: int,
        *,
        channel_id: int,
        message_id: int,
        leaves: OutboxRow | None = None,
        points: bool = False,
    ) -> Match:
        """Store where the newest board of a match is shown, and what else that `leaves` to send.

        With `points`, the board before, as it is stored by now, gets a pointer to this one.

        Raises:
            MatchNotFoundError: If there is no such match.
        """
        try:
            placed = self._place(match_id, channel_id, message_id, leaves, points)
            return await self.operations.run(placed)
        except ConflictError:  # with another process: the board that it shows gets a pointer
            return await self.place(
                match_id, channel_id=channel_id, message_id=message_id, leaves=leaves, points=True
            )

    async def _place(
        self,
        match_id: int,
        channel_id: int,
        message_id: int,
        leaves: OutboxRow | None,
        points: bool,
    ) -> Match:
        left = [] if leaves is None else [leaves]
        pointer: OutboxRow | None = None
        async with self.cache.lock(match_id):
            match = await self.cache.current(match_id)
            old_channel, old_id = match.channel_id, match.message_id
            if (old_channel, old_id) == (channel_id, message_id):
                return match
            points = points and (leaves is None or leaves.message_id != old_id)
            if points and old_channel is not None and old_id is not None:
                pointer = OutboxRow(OutboxKind.POINTER, match_id, old_channel, old_id)
                left.append(pointer)
            now, revision = self.clock(), match.revision
            writes = rows.place_writes(
                match_id, old_id, revision, channel_id=channel_id, message_id=message_id, now=now
            )
            for row in left:
                writes += outbox_writes(row)
            placed = replace(match, channel_id=channel_id, message_id=message_id, updated_at=now)
            await self.cache.place(match, placed, writes)
        if pointer is not None:
            for listener in self.left:
                listener(pointer)
        return placed


def _is_ahead(request: Request, match: Match) -> bool:
    """Return whether somebody saw a later state of a match than is known here."""
    if request.revision is not None:
        return request.revision > match.revision
    return request.ply is not None and request.ply > match.ply
