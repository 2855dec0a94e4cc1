"""What everybody who works on matches shares: the keeper, the time, and how steps are stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errors import StaleBoardError, TimeOverError
from bot.matches import changes
from bot.matches.clocks import ClockKind
from bot.matches.keeper import MatchChangedError
from bot.storage import vacations

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
        listeners: Are told of every match whose deadline may be another one now.
    """

    database: Database
    clock: Clock
    dice: random.Random
    keeper: Keeper
    operations: Operations
    thinking: Thinking
    listeners: list[Callable[[Match], None]] = field(default_factory=list)

    async def store(self, seen: Match, change: Change) -> Match:
        """Store what a person does in a match that was just seen; the caller holds its lock.

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
        return match

    async def check_time(self, match: Match, now: datetime) -> None:
        """Make sure that the side to move has time left; if not, settle the match.

        The caller holds the match's lock.

        Raises:
            TimeOverError: If it has run out.
            StorageFailedError: If that could not be stored.
        """
        if match.is_overdue(now):
            raise TimeOverError(await self.store(match, changes.forfeit(match, now)))

    async def away_until(self, match: Match, side: int, now: datetime) -> datetime | None:
        """Return until when the player of a side is on vacation, where that matters."""
        player_id = match.seats[side].player_id
        if match.clock.kind is not ClockKind.CORRESPONDENCE or player_id is None:
            return None
        return await self.database.read(lambda c: vacations.find_until(c, player_id, now))

    def announce(self, match: Match) -> None:
        """Tell the listeners of a match that has a deadline."""
        if match.deadline is not None:
            for listener in self.listeners:
                listener(match)
