"""What everybody who works on matches shares: the cache, the time, and how steps are stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from bot.model.decide import Facts, decide
from bot.model.errors import StaleBoardError, TimeOverError
from bot.model.notices import Step
from bot.services.match_cache import MatchChangedError
from bot.services.vacations import AwayPlayers

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from datetime import datetime

    from bot.clock import Clock
    from bot.model.actions import Action, Request
    from bot.model.changes import Change
    from bot.model.match import Match
    from bot.operations import Operations
    from bot.services.match_cache import MatchCache
    from bot.services.replies import Thinking
    from bot.storage import Database

log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False, kw_only=True)
class MatchContext:
    """Where matches are worked on, one step at a time under the match's lock.

    Attributes:
        database: Where they are kept on disk.
        clock: Tells the time.
        rng: Decides what is left to chance.
        cache: Lends matches out and takes their changes in.
        operations: Carries out what has been begun, whoever stops waiting.
        thinking: The computer's thoughts.
        away: Who is on vacation.
        listeners: Are told of every match whose deadline may be another one now.
        watchers: Are told of every step of a person or the clock, and of every beginning.
        noted_at: When it was last written down that the bot runs.
    """

    database: Database
    clock: Clock
    rng: random.Random
    cache: MatchCache
    operations: Operations
    thinking: Thinking
    away: AwayPlayers = field(default_factory=AwayPlayers)
    listeners: list[Callable[[Match], None]] = field(default_factory=list)
    watchers: list[Callable[[Step], None]] = field(default_factory=list)
    noted_at: datetime | None = None

    async def perform(self, match_id: int, action: Action, request: Request) -> Match:
        """Decide what an action makes of a match, store that, and tell of it.

        Raises:
            MatchNotFoundError: If there is no such match.
            MatchError: If it may not be done; TimeOverError if the clock has ended the match
                instead, StaleBoardError if another process has changed it meanwhile.
            IllegalMoveError: If the rules of the game forbid it.
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        match, change = await self.try_to(match_id, action, request)
        if change is not None and change.instead:
            raise TimeOverError(match)
        return match

    async def try_to(
        self, match_id: int, action: Action, request: Request
    ) -> tuple[Match, Change | None]:
        """Do what `perform` does; return the match as it is then, and what has been stored."""
        async with self.cache.lock(match_id):
            match = await self.cache.current(match_id)
            change = decide(match, action, request, self.facts())
            return (match if change is None else await self._store(change, request)), change

    def facts(self) -> Facts:
        """Return what decisions go by at this moment."""
        return Facts(now=self.clock(), away=self.away.until)

    async def _store(self, change: Change, request: Request) -> Match:
        """Store a change and tell of it; the caller holds the match's lock."""
        before = change.before
        try:
            match = await self.cache.store(change)
        except MatchChangedError as error:
            raise StaleBoardError(error.match, before.ply) from error
        if match.is_over or match.ply <= before.ply:
            # What the computer thinks about there is gone.
            self.thinking.stop(match.id)
        self.announce(match)
        self.tell(Step(before=before, after=match, by=request.user_id))
        return match

    def announce(self, match: Match) -> None:
        """Tell the listeners of a match that has a deadline."""
        if match.deadline is not None:
            for listener in self.listeners:
                listener(match)

    def tell(self, step: Step) -> None:
        """Tell the watchers of a step; what is stored is stored, whatever becomes of that."""
        for watcher in self.watchers:
            try:
                watcher(step)
            except Exception:
                log.exception("a step was not told", match=step.after.id)
