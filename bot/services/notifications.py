"""When players are notified: nobody who is at the board is disturbed, and nothing is told twice.

A notification is stored in the transaction of the step that it is about, and deleted once it was
sent: after a restart, the rest is still there.

Players who have just acted in a match have it in front of them. Their news waits for the same
time (`PRESENT_FOR`) and is told if it still holds; an end that they have just seen coming is not.

Players who have chosen nothing are not told when their turn begins. `match.remind_at` says when
they have not answered for a while, so that a move stores nothing more, and `bot.services.clocks`
reminds them then. Offers to them (a draw, a takeback) wait for half a minute too.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from cachetools import LRUCache

from bot.model.notices import News, NewsKind, Step, done_with, news_of
from bot.model.preferences import Notices
from bot.storage import notices as rows

if TYPE_CHECKING:
    from bot.clock import Clock
    from bot.model.match import Match
    from bot.storage import Database
    from bot.storage.notices import NoticeRow, OpenNotices
    from bot.storage.writer import Write


PRESENT_FOR: Final = timedelta(seconds=30)
"""How long after their last action in a match players are assumed to be at the board."""

SAW_END_FOR: Final = timedelta(hours=1)
"""How long after their last action in a match players who have chosen nothing need not be told
that it has ended: they see that when they look again."""

MOST_REMEMBERED: Final = 20_000
"""For how many players the last action in a match, and in a channel, is remembered: more than play
at one time."""

FIRST_PAUSE: Final = timedelta(seconds=1)
LONGEST_PAUSE: Final = timedelta(minutes=5)
"""How long to wait before a notification is retried: at first, doubled each time, and at most."""

SAID_ONCE_FOR: Final = timedelta(minutes=2)
"""How long Discord surely recognises a message that it already has. After that, nothing that may
have arrived is sent again: a missing message is better than one sent twice."""

ENDS_TOLD_FOR: Final = timedelta(days=1)
"""How long after the end of a game players can still be told of it."""

Key: TypeAlias = tuple[int, int]
"""A match, or a channel, and a person."""

ErrandKey: TypeAlias = tuple[int, int, int]
"""A match, a person, and the message to be deleted; 0 if there is something to tell them."""


class SentNotifications:
    """Remembers which messages were sent to whom, and who cannot be reached.

    What could not be stored raises a StorageFailedError.

    Attributes:
        unreached: Players whom a direct message did not reach and who have not been told so.
        muted: Matches, each with a player who has muted it.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._standing: dict[Key, NoticeRow] = {}
        self.unreached: set[int] = set()
        self.muted: set[Key] = set()

    async def open(self) -> OpenNotices:
        """Read which messages stand, and return them with what still has to be told."""
        found = await self._database.read(rows.open_notices, self._database.home)
        self._standing = {(row.match_id, row.player_id): row for row in found.standing}
        self.unreached = set(found.unreached)
        self.muted = found.muted
        return found

    async def hear(self, key: str | None) -> None:
        """Read again what another process has told a player, and whether they muted the match."""
        if key is None:
            await self.open()
            return
        match_id, user_id = map(int, key.split())
        known = self.find(match_id, user_id)
        said, is_muted = await self._database.read(rows.find_notice, match_id, user_id)
        if self.find(match_id, user_id) != known:  # it was read before something was told here
            await self.hear(key)
            return
        if said is not None:
            self._standing[match_id, user_id] = said
        else:
            self._standing.pop((match_id, user_id), None)
        (self.muted.add if is_muted else self.muted.discard)((match_id, user_id))

    async def hear_unreached(self, _key: str | None) -> None:
        """Read again who was not reached, after a change by another process."""
        self.unreached = set(await self._database.read(rows.list_unreached))

    def find(self, match_id: int, user_id: int) -> NoticeRow | None:
        """Return the message that calls a player to a match, if there is one."""
        return self._standing.get((match_id, user_id))

    async def note_tried(self, news: News) -> bool:
        """Remember that something is being sent: from now on it may have arrived.

        Returns:
            Whether to send it: another process may have done so.

        Raises:
            StorageFailedError: If it could not be stored; it is not to be sent then.
        """
        return await self._database.write(rows.note_tried, news, self._clock())

    async def finish(self, news: News, sent: NoticeRow | None = None) -> NoticeRow | None:
        """Remember that something was told, or need not be.

        Returns:
            The older message, to be deleted, if another process has called them as well.
        """
        too_many = await self._database.write(rows.finish_news, news, sent, self._clock())
        if sent is not None and too_many != sent:
            self._standing[sent.match_id, sent.player_id] = sent
        return too_many

    async def drop(self, said: NoticeRow) -> None:
        """Forget a message that calls a player to a match."""
        await self._database.write(rows.remove_notice, said)
        key = said.match_id, said.player_id
        if self.find(*key) == said:
            del self._standing[key]

    async def mute(self, match_id: int, user_id: int) -> None:
        """Remember that a player has muted a match."""
        await self._database.write(rows.save_mute, match_id, user_id, self._clock())
        self.muted.add((match_id, user_id))

    async def unmute(self, match_id: int, user_id: int) -> None:
        """Forget that a player has muted a match."""
        await self._database.write(rows.remove_mute, match_id, user_id)
        self.muted.discard((match_id, user_id))

    async def note_unreached(self, user_id: int) -> None:
        """Remember that a direct message did not reach a player."""
        if user_id not in self.unreached:
            self.unreached.add(user_id)
            await self._database.write(rows.save_unreached, user_id, self._clock())

    async def forget_unreached(self, user_id: int) -> None:
        """Forget that a player was not reached: they know by now, or a message has reached them."""
        if user_id in self.unreached:
            self.unreached.discard(user_id)
            await self._database.write(rows.remove_unreached, user_id)


@dataclass(frozen=True, slots=True)
class PendingNotification:
    """What to do for a person in a match: tell them something, or delete a message.

    Attributes:
        news: What to tell; None to delete the message that no longer holds.
        said: The message to be deleted.
        failures: How often it has failed.
        doubted_at: When it may have been done, unconfirmed, for the first time.
    """

    match_id: int
    user_id: int
    news: News | None
    said: NoticeRow | None = None
    failures: int = field(default=0, compare=False)
    doubted_at: datetime | None = field(default=None, compare=False)

    def is_about(self, news: News) -> bool:
        """Return whether this tells them `news`, or something newer about the same match."""
        theirs, own = (news.match_id, news.user_id), (self.match_id, self.user_id)
        return theirs == own and self.news is not None and self.news.revision >= news.revision

    @property
    def key(self) -> ErrandKey:
        """What it is about; telling something and deleting a message have different keys."""
        return self.match_id, self.user_id, 0 if self.said is None else self.said.message_id

    @property
    def nonce(self) -> str:
        """The message's nonce: sent twice, it appears once, even after a restart."""
        assert self.news is not None, "nothing is sent to take something back"
        named = f"{self.news.kind} {self.match_id} {self.news.revision} {self.user_id}"
        return hashlib.blake2s(named.encode(), digest_size=12).hexdigest()


class NotificationQueue:
    """Plans what to tell whom and when. Give it every step; take what is due from it.

    What is to be told is stored with the step (`writes_of`), and kept in memory from then on.

    Args:
        clock: A clock that nobody sets.
        standing: Returns the message that calls a person to a match now.
        way_of: Returns how a person wants to be notified of a match.
    """

    def __init__(
        self,
        clock: Clock,
        standing: Callable[[int, int], NoticeRow | None],
        way_of: Callable[[int, int], Notices],
    ) -> None:
        self._clock = clock
        self._standing = standing
        self._way_of = way_of
        self._acted: LRUCache[Key, datetime] = LRUCache(MOST_REMEMBERED)
        self._errands: dict[ErrandKey, PendingNotification] = {}
        self._order: list[tuple[datetime, int, PendingNotification]] = []
        self._numbers = itertools.count()
        self._changed = asyncio.Event()
        self._taken: PendingNotification | None = None  # the last one, done or not
        self._plans: dict[int, tuple[Step, list[tuple[News, datetime]]]] = {}

    def writes_of(self, step: Step) -> list[Write]:
        """Return what to store with a step: its news, and the removal of what is out of date."""
        if not self._concerns(step):
            return []
        match = step.after
        planned = list(self._planned(step, self._clock()))
        self._plans[match.id] = step, planned
        # Everything older, even if it is not in memory: some may be on its way right now.
        over = (
            News(kind=NewsKind.TURN, match_id=match.id, user_id=each, revision=match.revision)
            for each in done_with(step)
        )
        return rows.news_writes((news for news, _due in planned), over, match.updated_at)

    def watch(self, step: Step) -> None:
        """Note that a match has gone on."""
        match, now = step.after, self._clock()
        if step.by is not None:
            self._acted[match.id, step.by] = now
            if match.channel_id is not None:
                self._acted[match.channel_id, step.by] = now
        # What was stored with it is told, even if they have muted the match meanwhile.
        planned_of, planned = self._plans.pop(match.id, (None, []))
        if planned_of is not step and not self._concerns(step):
            return
        for user_id in done_with(step):
            self._errands.pop((match.id, user_id, 0), None)
            self.take_back(self._standing(match.id, user_id))
        for news, due in planned if planned_of is step else self._planned(step, now):
            self._put(PendingNotification(match.id, news.user_id, news), due)

    def note_present(self, channel_id: int, user_id: int) -> None:
        """Note that a person has just done something in a channel."""
        self._acted[channel_id, user_id] = self._clock()

    def is_called(self, match_id: int, user_id: int) -> bool:
        """Whether a message calls a person to a match, and is not about to be deleted."""
        said = self._standing(match_id, user_id)
        return said is not None and (match_id, user_id, said.message_id) not in self._errands

    def take_back(self, said: NoticeRow | None) -> None:
        """Have a message deleted that calls a person to a match, if there is one."""
        if said is not None:
            errand = PendingNotification(said.match_id, said.player_id, None, said)
            self._put(errand, self._clock())

    def remind(self, news: News) -> None:
        """Plan to tell a person that a match waits or their time runs out; it is stored already."""
        planned = self._errands.get((news.match_id, news.user_id, 0))
        if planned is not None and planned.news and planned.news.revision > news.revision:
            return  # they have moved since, and are called to their next turn
        self._put(PendingNotification(news.match_id, news.user_id, news), self._clock())

    def restore(self, found: OpenNotices, now: datetime) -> list[News]:
        """Plan what another process has left to tell, and return what is not told any more.

        That is what may have arrived already, and games that ended long ago. Players who were
        present when that process ended may still be, and are not disturbed for a while. What is
        in memory stays as it is. `now` is by the clock that the stored times come from.
        """
        started, too_late = self._clock(), []
        for row in found.outdated:
            self.take_back(row)
        for each in found.untold:
            news, doubted_at = each.news, None
            if each.tried_at is not None:
                doubted_at = started - (now - each.tried_at)
            errand = PendingNotification(news.match_id, news.user_id, news, doubted_at=doubted_at)
            known = self._errands.get(errand.key), self._taken
            if any(each is not None and each.is_about(news) for each in known):
                continue
            is_old = news.kind is NewsKind.OVER and now - each.noted_at > ENDS_TOLD_FOR
            if is_old or self._is_doubtful(errand, started):
                too_late.append(news)
            else:
                self._put(errand, started if doubted_at else started + PRESENT_FOR)
        return too_late

    def try_again(self, errand: PendingNotification, *, may_be_done: bool) -> bool:
        """Plan a failed errand again; return whether that is of any use.

        It may have been done, with only the confirmation lost, if `may_be_done`.
        """
        now = self._clock()
        if errand.doubted_at is None and may_be_done:
            errand = replace(errand, doubted_at=now)
        planned = self._errands.get(errand.key)
        is_older = planned is not None and errand.news and not planned.is_about(errand.news)
        if (planned is not None and not is_older) or self._is_doubtful(errand, now):
            return False
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**errand.failures)
        self._put(replace(errand, failures=errand.failures + 1), now + pause)
        return True

    @property
    def is_waiting(self) -> bool:
        """Whether there is something to tell, now or later."""
        return bool(self._errands)

    async def next(self) -> PendingNotification:
        """Wait until something is due and return it, the earliest first."""
        while True:
            self._changed.clear()
            now = self._clock()
            while self._order and self._order[0][0] <= now:
                _due, _number, errand = heapq.heappop(self._order)
                if self._errands.get(errand.key) is errand:  # else another has taken its place
                    del self._errands[errand.key]
                    self._taken = errand
                    return errand
            wait_s = (self._order[0][0] - now).total_seconds() if self._order else None
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), wait_s)

    def _concerns(self, step: Step) -> bool:
        """Whether somebody may want to be told of a step, or was told of an earlier one."""
        before, match = step.before, step.after
        is_mere_move = (
            before is not None and not match.is_over and len(match.events) == len(before.events)
        )
        silent = (Notices.NONE, Notices.AUTO) if is_mere_move else (Notices.NONE,)
        taken = None if self._taken is None else self._taken.key
        keys = [(match.id, seat.player_id) for seat in match.seats if seat.player_id is not None]
        return any(
            self._way_of(*key) not in silent
            or (*key, 0) in self._errands
            or (*key, 0) == taken
            or self._standing(*key)
            for key in keys
        )

    def _planned(self, step: Step, now: datetime) -> Iterator[tuple[News, datetime]]:
        match = step.after
        for news in news_of(step):
            way = self._way_of(match.id, news.user_id)
            begins = news.kind is NewsKind.ACCEPTED and match.channel_id is not None
            place = match.channel_id if begins else match.id
            acted_at = self._acted.get((place or 0, news.user_id))
            idle_for = timedelta.max if acted_at is None else now - acted_at
            if acted_at is None and way is Notices.AUTO and step.before is not None:
                # Not known after a restart: they were there when the match last went on.
                idle_for = match.updated_at - step.before.updated_at
            if way is not Notices.NONE and _is_told(news, match, way, idle_for):
                asked = news.kind in (NewsKind.DRAW_OFFERED, NewsKind.TAKEBACK_ASKED)
                waits = idle_for < PRESENT_FOR or (asked and way is Notices.AUTO)
                # Nobody expects the host to end a game.
                yield news, now + PRESENT_FOR if waits and not match.is_annulled else now

    def _is_doubtful(self, errand: PendingNotification, now: datetime) -> bool:
        """Whether it may have arrived so long ago that Discord no longer recognises it."""
        return errand.doubted_at is not None and now - errand.doubted_at > SAID_ONCE_FOR

    def _put(self, errand: PendingNotification, due: datetime) -> None:
        self._errands[errand.key] = errand
        heapq.heappush(self._order, (due, next(self._numbers), errand))
        self._changed.set()


def _is_told(news: News, match: Match, way: Notices, idle_for: timedelta) -> bool:
    """Whether to tell somebody something, now or later if it still holds."""
    match news.kind:
        case NewsKind.TURN:
            return way is not Notices.AUTO
        case NewsKind.OVER:
            return match.is_annulled or idle_for >= (
                SAW_END_FOR if way is Notices.AUTO else PRESENT_FOR
            )
        case NewsKind.ACCEPTED if idle_for < PRESENT_FOR:
            return match.side_to_move == match.side_of(news.user_id)
    return True
