"""Every board is shown until it is seen: what is behind is brought up to date, by whoever may.

What a click has changed is shown by the answer to the click. Wherever that fails, and for
whatever happens without a click, the publisher shows it: after a lost answer or edit, after a
crash, after an outage. It knows nothing of Discord: how a board is drawn and sent, and whether
that can be tried again, is told to it.
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
from cachetools import LRUCache

from bot.model.errors import PlayerError, RestartingError
from bot.storage import screens as rows
from bot.storage.screens import ScreenRow, Shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from types import TracebackType

    from bot.model.match import Match
    from bot.model.notices import Step
    from bot.services.matches import MatchService

AT_ONCE: Final = 50
"""So many boards are drawn and sent at the same time: as many as Discord takes in a second."""

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
"""How long to wait before what failed is tried again: at first, doubled each time, and at most."""

REPLY_WITHIN_S: Final = 5.0
"""How long a board that is behind waits for the computer's reply, to be drawn once with it."""

REMEMBERED: Final = 16_384
"""Of so many matches is known without the database what is shown of them."""

WayT = TypeVar("WayT")

log = structlog.get_logger(__name__)


class Outcome(Enum):
    """What became of an attempt to show a board."""

    SHOWN = "shown"
    LATER = "later"  # nothing is wrong with it: the network, a limit, an outage
    GONE = "gone"  # it will never be taken there


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of showing a board, and the message that shows it now.

    Attributes:
        outcome: Whether it is shown.
        message_id: In which message; another one than before where it was posted afresh.
        way: How that message can be reached, where there is a better way than its number.
    """

    outcome: Outcome
    message_id: int | None = None
    way: Any = None


@dataclass(slots=True, eq=False)
class _Claim:
    """A match whose board is being answered with, by so many at once.

    Attributes:
        latest: The match as it was stored meanwhile; None if it was not.
        shown: What has been shown meanwhile; of more than one nobody knows which is seen.
        is_asked: Whether it is to be looked whether the board is behind.
    """

    holders: int = 0
    latest: Match | None = None
    shown: set[tuple[int | None, Shown]] = field(default_factory=set)
    is_asked: bool = False


@dataclass(slots=True, eq=False)
class _Work:
    """A board being brought up to date."""

    task: asyncio.Task[None] | None = None
    has_news: bool = False


class Publisher(Generic[WayT]):
    """Sees to it that every board shows its match. Use it as a context manager.

    Args:
        matches: Whose boards.
        pause: Waits for so many seconds; replaced in tests.

    Attributes:
        has_begun: Set once it is known which boards were behind at the start.
    """

    def __init__(
        self, matches: MatchService, *, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._matches = matches
        self._database = matches.context.database
        self._pause = pause
        self._show: Callable[[Match, WayT | None], Awaitable[Attempt]] | None = None
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._screens: LRUCache[int, ScreenRow] = LRUCache(REMEMBERED)
        self._ways: LRUCache[int, WayT] = LRUCache(REMEMBERED)
        self._claims: dict[int, _Claim] = {}
        self._works: dict[int, _Work] = {}
        self._early: set[int] = set()
        self._unsaved: dict[int, ScreenRow] = {}
        self._saving: asyncio.Task[None] | None = None
        self.has_begun = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._matches.context.watchers.append(self.watch)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._matches.context.watchers.remove(self.watch)
        if self._saving is not None:
            await self._saving

    async def run(self, show: Callable[[Match, WayT | None], Awaitable[Attempt]]) -> None:
        """Bring boards up to date until cancelled, those first that were behind before.

        Args:
            show: Draws a match and sends it, in the way that is given if there is one.
        """
        self._show = show
        try:
            behind = await self._database.read(rows.list_behind)
            if behind:
                log.info("boards behind", count=len(behind))
            for match_id in {*behind, *self._early}:
                self.check(match_id)
            self.has_begun.set()
            await asyncio.Event().wait()
        finally:
            self._show = None
            tasks = [work.task for work in self._works.values() if work.task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def watch(self, step: Step) -> None:
        """Take in that a match has gone on."""
        match = step.after
        claim = self._claims.get(match.id)
        if claim is not None:
            claim.latest = match
        elif self._is_behind(match):
            self.check(match.id)

    @contextmanager
    def claim(self, match_id: int) -> Iterator[None]:
        """Leave the board of a match to whoever answers a click, until the block ends."""
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

    def is_behind(self, match: Match) -> bool:
        """Tell whether something has been stored that is not shown, as far as is known."""
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

        Args:
            match: As it is shown.
            message_id: Where.
            way: How that message can be reached, where there is a better way than its number.
            player_id: Who alone sees it; None if others do too, or if it is as it was.
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
        )
        claim = self._claims.get(match.id)
        if claim is not None:
            claim.shown.add((row.shown_revision, row.shown_as))
        if way is not None:
            self._ways[match.id] = way
        if row != before:
            self._save(row)

    def redraw(self, match_id: int) -> None:
        """Draw the board of a match anew, although its match may be the same."""
        self._distrust(match_id)
        self.check(match_id)

    def owe(self, match: Match) -> None:
        """Post the first board of a match, whose answer was lost."""
        row = ScreenRow(
            match_id=match.id, message_id=None, shown_revision=None, shown_as=Shown.STALE
        )
        self._save(row)
        self.check(match.id)

    def check(self, match_id: int) -> None:
        """Look whether the board of a match is behind, and bring it up to date if so."""
        claim = self._claims.get(match_id)
        if claim is not None:
            claim.is_asked = True
            return
        if self._show is None:
            self._early.add(match_id)
            return
        work = self._works.get(match_id)
        if work is not None:
            work.has_news = True
            return
        work = self._works[match_id] = _Work()
        work.task = asyncio.create_task(self._work(match_id, work), name=f"board of {match_id}")

    def forget_player(self, player_id: int) -> None:
        """Forget whose boards were somebody's own: they have had their data deleted."""
        for kept in (self._screens, self._unsaved):
            for match_id, row in kept.items():
                if row.player_id == player_id:
                    kept[match_id] = replace(row, player_id=None)

    async def reader_of(self, match_id: int) -> int | None:
        """Return who alone sees the board of a match; None if others do too."""
        screen = await self._screen_of(match_id)
        return None if screen is None else screen.player_id

    async def settled(self) -> None:
        """Wait until nothing is behind any more, and what is known of that is stored."""
        while True:
            tasks = [work.task for work in self._works.values() if work.task is not None]
            if self._saving is not None:
                tasks.append(self._saving)
            if not tasks:
                return
            await asyncio.wait(tasks)

    # Bringing up to date.

    async def _work(self, match_id: int, work: _Work) -> None:
        """Try until the board of a match is as it should be, or never will be."""
        failures = 0
        try:
            while True:
                work.has_news = False
                await self._wait_for_reply(match_id)
                async with self._slots:
                    outcome = await self._attempt(match_id)
                if outcome is Outcome.LATER:
                    failures += 1
                    await self._pause(_pause_s(failures))
                elif work.has_news:
                    failures = 0
                else:
                    return
        except RestartingError:
            log.debug("boards stop with the service", match=match_id)
        except Exception:
            log.exception("board given up", match=match_id)
        finally:
            self._works.pop(match_id, None)

    async def _wait_for_reply(self, match_id: int) -> None:
        """Wait a moment for the computer, so that the board is drawn once and not twice."""
        if (await self._matches.load(match_id)).level_to_move is None:
            return
        with suppress(TimeoutError, PlayerError):
            async with asyncio.timeout(REPLY_WITHIN_S):
                await self._matches.reply(match_id)

    async def _attempt(self, match_id: int) -> Outcome:
        """Show a match once, unless it is shown already."""
        match = await self._matches.load(match_id)
        before = await self._screen_of(match_id)
        if self._show is None or match_id in self._claims or not _differs(match, before):
            return Outcome.SHOWN
        attempt = await self._show(match, self._ways.get(match_id))
        if attempt.outcome is Outcome.GONE:
            self._give_up(match)
        elif attempt.outcome is Outcome.SHOWN and attempt.message_id is not None:
            if self._screens.get(match_id) is not before or match_id in self._claims:
                # A click was answered meanwhile: nobody knows which of both is seen.
                self._distrust(match_id)
                self.check(match_id)
            else:
                self.note(match, attempt.message_id, way=attempt.way)
                if self._is_behind(await self._matches.load(match_id)):
                    self.check(match_id)
        return attempt.outcome

    def _give_up(self, match: Match) -> None:
        """Remember that a board can be shown no more, until a click is answered with it."""
        log.info("board gone", match=match.id, channel=match.channel_id)
        self._ways.pop(match.id, None)
        row = ScreenRow(
            match_id=match.id,
            message_id=match.message_id,
            shown_revision=None,
            shown_as=Shown.GONE,
        )
        self._save(row)

    # What is shown.

    def _is_behind(self, match: Match) -> bool:
        """Tell whether a match is shown otherwise than it is; of an unknown board as well."""
        screen = self._screens.get(match.id)
        if screen is None:
            return match.message_id is not None
        return _differs(match, screen)

    async def _screen_of(self, match_id: int) -> ScreenRow | None:
        known = self._screens.get(match_id) or self._unsaved.get(match_id)
        if known is None:
            known = await self._database.read(rows.find_screen, match_id)
            known = self._screens.get(match_id, known)  # somebody may have been faster
            if known is not None:
                self._screens[match_id] = known
        return known

    def _distrust(self, match_id: int) -> None:
        known = self._screens.get(match_id)
        row = (
            ScreenRow(match_id=match_id, message_id=0, shown_revision=None, shown_as=Shown.STALE)
            if known is None
            else replace(known, shown_revision=None, shown_as=Shown.STALE)
        )
        self._save(row)

    def _save(self, row: ScreenRow) -> None:
        """Remember what is shown, and store it beside whatever else is stored by then."""
        self._screens[row.match_id] = row
        self._unsaved[row.match_id] = row
        if self._saving is None:
            self._saving = asyncio.create_task(self._save_all(), name="what is shown")

    async def _save_all(self) -> None:
        try:
            while self._unsaved:
                unsaved, self._unsaved = list(self._unsaved.values()), {}
                await self._database.write(partial(rows.save_screens, rows=unsaved))
        except Exception as error:
            # At worst a board that is right is drawn once more.
            log.warning("what is shown was not stored", reason=str(error))
        finally:
            self._saving = None


def _differs(match: Match, screen: ScreenRow | None) -> bool:
    """Tell whether a match is shown otherwise than it is; not where it can be shown no more."""
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
    """Return how long to wait after so many failures; not all at the same moment."""
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (failures - 1))
    return longest * random.uniform(0.5, 1.0)
