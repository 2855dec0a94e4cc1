"""Brings boards that are behind up to date, and retries until they are shown.

The answer to a click shows what the click has changed. Where that fails, and for everything that
happens without a click, the publisher shows it: after a lost answer or edit, after a crash, after
an outage. What has to be sent besides boards stands in the outbox, and is retried in the same way.
The publisher knows nothing about Discord: its callers supply how something is drawn and sent, and
whether that can be tried again.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

import structlog
from cachetools import LRUCache, TTLCache

from bot.model.errors import PlayerError, RestartingError
from bot.storage.database import PROCESSES
from bot.storage.matches import ScreenRow, Shown, find_screen, list_behind, save_screens
from bot.storage.outbox import OutboxKind, OutboxRow, leave_writes, list_outbox, outbox_writes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from bot.model.match import Match
    from bot.model.notices import Step
    from bot.services.matches import MatchService

AT_ONCE: Final = 50
"""How many things are drawn and sent at the same time: as many as Discord takes in a second."""

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
"""How long to wait before a retry: at first, doubled each time, and at most."""

REPLY_WITHIN_S: Final = 5.0
"""How long a board that is behind waits for the computer's reply, to be drawn once with it."""

REMEMBERED: Final = 16_384
"""For how many matches it is kept in memory what is shown of them."""

_LOOK_AFTER_S: Final = 2.0
"""How long after a change by another process to check whether the match is shown as it is."""

WAYS_LAST_S: Final = 15 * 60.0
"""No way to a message works for longer. One takes ten times the memory of a row."""

WayT = TypeVar("WayT")

log = structlog.get_logger(__name__)


class Outcome(Enum):
    """What became of an attempt to show or send something."""

    SHOWN = "shown"
    LATER = "later"  # nothing is wrong with it: the network, a limit, an outage
    GONE = "gone"  # it will never be accepted there


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of an attempt to show a board, and the message that shows it now.

    Attributes:
        outcome: Whether it is shown.
        message_id: In which message; a new one if it was posted again.
        way: How to reach that message, if there is a better way than its number.
    """

    outcome: Outcome
    message_id: int | None = None
    way: Any = None


@dataclass(slots=True, eq=False)
class _Claim:
    """A match whose board some answers to clicks are about to show.

    Attributes:
        latest: The match as it was stored meanwhile; None if it was not.
        shown: What has been shown meanwhile; if more than one, nobody knows which is visible.
        is_asked: Whether to check afterwards if the board is behind.
    """

    holders: int = 0
    latest: Match | None = None
    shown: set[tuple[int | None, Shown]] = field(default_factory=set)
    is_asked: bool = False


@dataclass(slots=True, eq=False)
class _Work:
    """Something being brought up to date."""

    task: asyncio.Task[None] | None = None
    has_news: bool = False


class Publisher(Generic[WayT]):
    """Keeps every board up to date with its match. Use it as a context manager.

    What could not be stored raises a StorageFailedError.

    Args:
        pause: Waits for a number of seconds; replaced in tests.

    Attributes:
        senders: The function that sends each kind of outbox row; to be filled before `run`.
        has_begun: Set once it is known what was behind at the start.
    """

    def __init__(
        self, matches: MatchService, *, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._matches = matches
        self._database = matches.database
        self._pause = pause
        self._show: Callable[[Match, WayT | None], Awaitable[Attempt]] | None = None
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._screens: LRUCache[int, ScreenRow] = LRUCache(REMEMBERED)
        self._ways: TTLCache[int, WayT] = TTLCache(REMEMBERED, WAYS_LAST_S)
        self._claims: dict[int, _Claim] = {}
        self._works: dict[int | OutboxRow, _Work] = {}
        self._early: set[int | OutboxRow] = set()
        self.senders: dict[OutboxKind, Callable[[OutboxRow], Awaitable[Outcome]]] = {}
        self._unsaved: dict[int, ScreenRow] = {}
        self._saving: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._looks_again = False
        self.has_begun = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._matches.watchers.append(self.watch)
        self._matches.left.append(self.check)
        self._matches.returns.append(self._look_again)
        self._database.watchers["match"].append(self._hear_of_change)
        self._database.keep_current(PROCESSES, self._take_over)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._matches.watchers.remove(self.watch)
        self._matches.left.remove(self.check)
        self._matches.returns.remove(self._look_again)
        if self._saving is not None:
            await asyncio.wait({self._saving})

    async def run(self, show: Callable[[Match, WayT | None], Awaitable[Attempt]]) -> None:
        """Bring everything up to date until cancelled, first what was behind before.

        `show` draws a match and sends it, by the given way if there is one.
        """
        self._show = show
        try:
            await self._take_over()
            for key in self._early:
                self.check(key)
            self.has_begun.set()
            await asyncio.Event().wait()
        finally:
            self._show = None
            tasks = [work.task for work in self._works.values() if work.task is not None]
            tasks += [] if self._looking is None else [self._looking]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _take_over(self, _key: str | None = None) -> None:
        """Take over what another process has left, including one that ran before.

        A running one may be about to show some of it. That does no harm: a board is edited twice,
        and if something is sent twice, Discord keeps the first, by its nonce.
        """
        home = self._database.home
        behind = await self._database.read(list_behind, home)
        outbox = await self._database.read(list_outbox, home=home)
        if behind or outbox:
            log.info("boards behind", count=len(behind), outbox=len(outbox))
        left: list[int | OutboxRow] = [*behind, *outbox]
        for key in left:
            self.check(key)

    def _hear_of_change(self, key: str | None) -> None:
        """Note that another process has changed a match and will show it."""
        for match_id in [*self._screens, *self._claims] if key is None else [int(key)]:
            # What is being shown right now may arrive after something newer.
            if (work := self._works.get(match_id)) is not None:
                work.has_news = True
            elif (claim := self._claims.get(match_id)) is not None:
                claim.is_asked = True
            elif self._screens.pop(match_id, None) is not None:
                # An older state may have been shown here a moment after the new one there.
                asyncio.get_running_loop().call_later(_LOOK_AFTER_S, self.check, match_id)

    def _look_again(self) -> None:
        """Show the deadlines that were moved after an absence of the bot."""
        self._looks_again = True
        if self._show is not None and self._looking is None:
            self._looking = asyncio.create_task(self._redraw_behind(), name="what is behind")

    async def _redraw_behind(self) -> None:
        try:
            while self._looks_again:
                self._looks_again = False
                for match_id in await self._database.read(list_behind):
                    self.redraw(match_id)
        except Exception as error:
            log.warning("not known what is behind", reason=str(error))
        finally:
            self._looking = None

    def watch(self, step: Step) -> None:
        """Note that a match has gone on."""
        match, is_new = step.after, step.before is None
        if match.guild_id is not None and match.is_between_people and (is_new or match.is_over):
            # Whether its server follows it is stored with the step.
            kind = OutboxKind.RESULT if match.is_over else OutboxKind.BEGUN
            self.check(OutboxRow(kind, match.id, 0, match.id))
        if is_new:
            return  # the answer to the click that began it shows it
        claim = self._claims.get(match.id)
        if claim is not None:
            claim.latest = match
        elif self._is_behind(match):
            self.check(match.id)

    @contextmanager
    def claim(self, match_id: int) -> Iterator[None]:
        """Leave the board of a match to the answer to a click, until the block ends."""
        claim = self._claims.setdefault(match_id, _Claim())
        claim.holders += 1
        try:
            yield
        finally:
            claim.holders -= 1
            if not claim.holders:
                del self._claims[match_id]
                if len(claim.shown) > 1:
                    self.redraw(match_id)
                elif claim.is_asked or (claim.latest is not None and self._is_behind(claim.latest)):
                    self.check(match_id)

    @property
    def pending(self) -> int:
        """How many boards and other things are being brought up to date, or will be tried again."""
        return len(self._works)

    def is_behind(self, match: Match) -> bool:
        """Whether something has been stored that is not shown, as far as is known."""
        claim = self._claims.get(match.id)
        if claim is not None and claim.latest is not None:
            return self._is_behind(claim.latest)
        return match.id in self._screens and self._is_behind(match)

    def note(
        self,
        match: Match,
        message_id: int,
        *,
        way: WayT | None = None,
        player_id: int | None = None,
    ) -> None:
        """Remember that Discord shows a match, in the message that is its board. Never waits.

        `player_id` is the only one who sees it; None if others do too, or to keep who it was.
        """
        before = self._screens.get(match.id)
        if player_id is None and before is not None and before.message_id == message_id:
            player_id = before.player_id
        row = ScreenRow(
            match_id=match.id,
            message_id=message_id,
            shown_revision=match.revision,
            shown_as=_shown_as(match),
            player_id=player_id,
            deadline=match.times.deadline,
        )
        claim = self._claims.get(match.id)
        if claim is not None:
            claim.shown.add((row.shown_revision, row.shown_as))
        if way is not None:
            self._ways[match.id] = way
        if row != before:
            self._save(row)

    def redraw(self, match_id: int) -> None:
        """Draw the board of a match again, even if nothing has changed."""
        self._distrust(match_id)
        self.check(match_id)

    def owe(self, match: Match) -> None:
        """Post the first board of a match, because the answer that shows it was lost."""
        self._save(ScreenRow(match_id=match.id))
        self.check(match.id)

    def check(self, key: int | OutboxRow) -> None:
        """Bring the board of a match up to date if it is behind, or send an outbox row."""
        claim = self._claims.get(key) if isinstance(key, int) else None
        if claim is not None:
            claim.is_asked = True
        elif self._show is None:
            self._early.add(key)
        elif (work := self._works.get(key)) is not None:
            work.has_news = True
        else:
            work = self._works[key] = _Work()
            work.task = asyncio.create_task(self._work(key, work), name=f"publish {key}")

    async def send(self, row: OutboxRow) -> None:
        """Put something into the outbox, and send it soon."""
        await self._database.store(outbox_writes(row))
        self.check(row)

    async def sent(self, row: OutboxRow, by: _Work | None = None) -> None:
        """Remove an outbox row after a click or some work has sent it."""
        await self._database.store(leave_writes(row))
        work = self._works.get(row)
        if work is not None and (work is not by or work.has_news):
            await self.send(row)  # it was entered again meanwhile

    async def answering(self, match: Match, token: str) -> None:
        """Store the token of the answer that is about to show a match for the first time."""
        row = ScreenRow(match_id=match.id, shown_as=Shown.BEGUN, token=token)
        self._screens[match.id] = row
        await self._database.write(save_screens, [row])

    def token_of(self, match_id: int) -> str | None:
        """Return the token of the answer that may have shown a match; None if surely none has."""
        screen = self._screens.get(match_id)
        return None if screen is None else screen.token

    def forget_player(self, player_id: int) -> None:
        """Forget which boards only this person saw: they have had their data deleted."""
        for kept in (self._screens, self._unsaved):
            for match_id, row in kept.items():
                if row.player_id == player_id:
                    kept[match_id] = replace(row, player_id=None)

    async def reader_of(self, match_id: int) -> int | None:
        """Return the only person who sees the board of a match; None if others do too."""
        screen = await self._screen_of(match_id)
        return None if screen is None else screen.player_id

    async def settled(self) -> None:
        """Wait until nothing is behind any more, and until what is shown has been stored."""
        while True:
            tasks = [work.task for work in self._works.values() if work.task is not None]
            tasks += [each for each in (self._saving, self._looking) if each is not None]
            if not tasks:
                return
            await asyncio.wait(tasks)

    # Bringing up to date.

    async def _work(self, key: int | OutboxRow, work: _Work) -> None:
        """Try until something is up to date, or never will be."""
        failures = 0
        try:
            while True:
                work.has_news = False
                if isinstance(key, int):
                    await self._wait_for_reply(key)
                async with self._slots:
                    outcome = await (
                        self._attempt(key) if isinstance(key, int) else self._send(key, work)
                    )
                if outcome is Outcome.LATER:
                    failures += 1
                    await self._pause(_pause_s(failures))
                elif work.has_news:
                    failures = 0
                else:
                    return
        except RestartingError:
            log.debug("boards stop with the service", what=key)
        except Exception:
            log.exception("given up", what=key)
        finally:
            self._works.pop(key, None)

    async def _send(self, row: OutboxRow, work: _Work) -> Outcome:
        """Try once to send something from the outbox, if it is still there."""
        stored = await self._database.read(list_outbox, row)
        if not stored:
            return Outcome.SHOWN
        outcome = await self.senders[row.kind](stored[0])
        if outcome is not Outcome.LATER and not work.has_news:  # else it was entered again
            await self.sent(stored[0], work)
        return outcome

    async def _wait_for_reply(self, match_id: int) -> None:
        """Wait a moment for the computer, so that the board is drawn once and not twice."""
        if (await self._matches.load(match_id)).level_to_move is None:
            return
        with suppress(TimeoutError, PlayerError):
            async with asyncio.timeout(REPLY_WITHIN_S):
                await self._matches.reply(match_id)

    async def _attempt(self, match_id: int) -> Outcome:
        """Try once to show a match, unless it is shown already."""
        match = await self._matches.load(match_id)
        before = await self._screen_of(match_id)
        claim = self._claims.get(match_id)
        if claim is not None:
            claim.is_asked = True  # its answer may show nothing, if the press is refused
            return Outcome.SHOWN
        if self._show is None or not _differs(match, before):
            return Outcome.SHOWN
        attempt = await self._show(match, self._ways.get(match_id))
        claim = self._claims.get(match_id)
        if attempt.outcome is Outcome.GONE:
            self.give_up(match)
        elif self._screens.get(match_id) is not before or claim is not None:
            # A click was answered meanwhile: nobody knows which of the two is visible, not even if
            # this attempt has failed, as it may have arrived all the same.
            if claim is not None:
                claim.shown.add((match.revision, Shown.STALE))
            self._distrust(match_id)
            self.check(match_id)
        elif attempt.outcome is Outcome.SHOWN and attempt.message_id is not None:
            self.note(match, attempt.message_id, way=attempt.way)
            if self._is_behind(await self._matches.load(match_id)):
                self.check(match_id)
        return attempt.outcome

    def give_up(self, match: Match) -> None:
        """Remember that a board cannot be shown, until a click is answered with it."""
        log.info("board gone", match=match.id, channel=match.channel_id)
        self._ways.pop(match.id, None)
        row = ScreenRow(match_id=match.id, message_id=match.message_id, shown_as=Shown.GONE)
        self._save(row)

    # What is shown.

    def _is_behind(self, match: Match) -> bool:
        """Whether the board of a match is out of date; True for an unknown board."""
        screen = self._screens.get(match.id)
        if screen is None or screen.shown_as is Shown.BEGUN:
            return match.message_id is not None
        return _differs(match, screen)

    async def _screen_of(self, match_id: int) -> ScreenRow | None:
        known = self._screens.get(match_id) or self._unsaved.get(match_id)
        if known is None:
            known = await self._database.read(find_screen, match_id)
            known = self._screens.get(match_id, known)  # somebody may have been faster
            if known is not None:
                self._screens[match_id] = known
        return known

    def _distrust(self, match_id: int) -> None:
        known = self._screens.get(match_id)
        row = (
            ScreenRow(match_id=match_id, message_id=0)
            if known is None
            else replace(known, shown_revision=None, shown_as=Shown.STALE)
        )
        self._save(row)

    def _save(self, row: ScreenRow) -> None:
        """Remember what is shown, and store it with everything else that is unsaved by then."""
        self._screens[row.match_id] = row
        self._unsaved[row.match_id] = row
        if self._saving is None:
            self._saving = asyncio.create_task(self._save_all(), name="what is shown")

    async def _save_all(self) -> None:
        try:
            while self._unsaved:
                unsaved, self._unsaved = list(self._unsaved.values()), {}
                for match_id in await self._database.write(partial(save_screens, rows=unsaved)):
                    self.redraw(match_id)  # its clock was moved while it was drawn
        except Exception as error:
            # At worst a board that is right is drawn once more.
            log.warning("what is shown was not stored", reason=str(error))
        finally:
            self._saving = None


def _differs(match: Match, screen: ScreenRow | None) -> bool:
    """Whether the board of a match is out of date; False if it cannot be shown any more."""
    if screen is None:
        return match.message_id is not None
    if screen.shown_as is Shown.GONE:
        return screen.message_id != match.message_id
    return (
        screen.shown_as is Shown.STALE
        or screen.message_id != match.message_id
        or screen.shown_revision != match.revision
        or (screen.shown_as is Shown.OVER) != match.is_over
    )


def _shown_as(match: Match) -> Shown:
    if match.is_over:
        return Shown.OVER
    return Shown.BOARD if match.level_to_move is None else Shown.THINKING


def _pause_s(failures: int) -> float:
    """Return how long to wait after a number of failures, at random so that not all try at once."""
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (failures - 1))
    return longest * random.uniform(0.5, 1.0)
