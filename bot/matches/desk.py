"""What everybody who works on matches shares: the keeper, the time, and how steps are stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from bot.clock import to_milliseconds
from bot.errors import StaleBoardError, TimeOverError
from bot.matches import changes
from bot.matches.away import Away
from bot.matches.clocks import ClockKind
from bot.matches.keeper import MatchChangedError
from bot.matches.news import Step
from bot.matches.timing import LATENCY

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from datetime import datetime

    from bot.clock import Clock
    from bot.matches.changes import Change
    from bot.matches.keeper import Keeper
    from bot.matches.model import Match
    from bot.matches.thinking import Thinking
    from bot.operations import Operations
    from bot.storage import Database

log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False, kw_only=True)
class Desk:
    """Where matches are worked on, one step at a time under the match's lock.

    Attributes:
        database: Where they are kept on disk.
        clock: Tells the time.
        dice: Decides what is left to chance.
        keeper: Lends matches out and takes their changes in.
        operations: Carries out what has been begun, whoever stops waiting.
        thinking: The computer's thoughts.
        away: Who is on vacation.
        listeners: Are told of every match whose deadline may be another one now.
        watchers: Are told of every step of a person or the clock, and of every beginning.
        noted_at: When it was last written down that the bot runs.
    """

    database: Database
    clock: Clock
    dice: random.Random
    keeper: Keeper
    operations: Operations
    thinking: Thinking
    away: Away = field(default_factory=Away)
    listeners: list[Callable[[Match], None]] = field(default_factory=list)
    watchers: list[Callable[[Step], None]] = field(default_factory=list)
    noted_at: datetime | None = None

    async def store(self, seen: Match, change: Change, *, by: int | None) -> Match:
        """Store what a person does in a match that was just seen; the caller holds its lock.

        Args:
            seen: The match as it was.
            change: What becomes of it.
            by: Whose doing it is; None for the clock's.

        Raises:
            StaleBoardError: If another process has changed the match meanwhile.
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        try:
            match = await self.keeper.store(change)
        except MatchChangedError as error:
            raise StaleBoardError(error.match, seen.ply) from error
        if match.is_over or match.ply <= seen.ply:
            # What the computer thinks about there is gone.
            self.thinking.stop(match.id)
        self.announce(match)
        self.tell(Step(before=seen, after=match, by=by))
        return match

    def pressed_at(self, match: Match, now: datetime, late_by: timedelta) -> datetime:
        """Return when a press was made that has been on its way for so long.

        Never before the match was last changed: nobody can have answered that earlier.
        """
        late_by = min(max(timedelta(), late_by), LATENCY)
        return max(to_milliseconds(now - late_by), min(match.updated_at, now))

    async def check_time(self, match: Match, pressed_at: datetime, *, by: int) -> None:
        """Make sure that the side to move has time left; if not, settle the match.

        The caller holds the match's lock. Whoever is to move says by their press when they
        pressed. Anybody else waits for a press that may be on its way.

        Raises:
            TimeOverError: If it has run out.
            StorageFailedError: If that could not be stored.
        """
        seat = match.seat_to_move
        in_turn = seat is not None and seat.player_id == by
        if match.is_overdue(pressed_at if in_turn else pressed_at - LATENCY):
            forfeit = changes.forfeit(match, self.clock())
            raise TimeOverError(await self.store(match, forfeit, by=by))

    def away_until(self, match: Match, side: int, now: datetime) -> datetime | None:
        """Return until when the player of a side is on vacation, where that matters."""
        player_id = match.seats[side].player_id
        if match.clock.kind is not ClockKind.CORRESPONDENCE or player_id is None:
            return None
        return self.away.until(player_id, now)

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
