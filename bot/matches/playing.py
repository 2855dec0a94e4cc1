"""Moving, swapping, resigning: what is done on the board, step by step under the lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from bot.errors import MatchNotOverError, MatchOverError, RematchNeedsBothError
from bot.matches import changes, starting
from bot.matches.changes import Moment
from bot.matches.keeper import MatchChangedError
from bot.matches.model import EndReason
from bot.matches.news import Step
from bot.matches.turns import Press, check_turn, was_played, was_swapped
from bot.players import prefers_swap
from bot.storage import matches as rows

if TYPE_CHECKING:
    from bot.matches.desk import Desk
    from bot.matches.model import Match
    from bot.matches.starting import Start
    from engine import SearchReport

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Playing:
    """What `MatchService` says it does on the board, done. Runs as tasks of its own."""

    desk: Desk

    async def start(self, start: Start) -> Match:
        """Store a match that begins."""
        now = self.desk.clock()
        match_id = await self.desk.database.write(lambda c: starting.insert(c, start, now))
        return await self.begun(match_id)

    async def begun(self, match_id: int, by: int | None = None) -> Match:
        """Return a match that has just been stored, and tell of its deadline and beginning."""
        match = await self.load(match_id)
        self.desk.announce(match)
        self.desk.tell(Step(before=None, after=match, by=by))
        return match

    async def start_again(self, match_id: int, user_id: int, channel_id: int | None) -> Match:
        """Start a match against the computer again."""
        async with self.desk.keeper.lock(match_id):
            match = await self.desk.keeper.current(match_id, user_id)
            if not match.is_over:
                raise MatchNotOverError(match)
            following = await self.desk.keeper.find(lambda c: rows.find_next(c, match_id))
            if following is not None:
                return following
            if match.is_between_people:
                raise RematchNeedsBothError(match)
            return await self.start(starting.start_like(match, self.desk.dice, channel_id))

    async def load(self, match_id: int, user_id: int | None = None) -> Match:
        """Return a match as it is now."""
        async with self.desk.keeper.lock(match_id):
            return await self.desk.keeper.current(match_id, user_id)

    async def play(self, match_id: int, press: Press, move: int) -> Match:
        """Store a person's move."""
        async with self.desk.keeper.lock(match_id):
            match = await self.desk.keeper.current(match_id, press.user_id)
            if was_played(match, press.user_id, press.ply, move):
                return match
            when = await self._take(match, press)
            return await self.desk.store(match, changes.move(match, move, when), by=press.user_id)

    async def swap(self, match_id: int, press: Press) -> Match:
        """Store a person's swap."""
        async with self.desk.keeper.lock(match_id):
            match = await self.desk.keeper.current(match_id, press.user_id)
            if was_swapped(match, press.user_id, press.ply):
                return match
            when = await self._take(match, press)
            return await self.desk.store(match, changes.swap(match, when), by=press.user_id)

    async def _take(self, match: Match, press: Press) -> Moment:
        """Make sure that a press may end this turn, and return when it does."""
        now = self.desk.clock()
        pressed_at = self.desk.pressed_at(match, now, press.late_by)
        await self.desk.check_time(match, pressed_at, by=press.user_id)
        check_turn(match, press.user_id, press.ply, press.revision)
        away = self.desk.away_until(match, 1 - match.position.side, now)
        return Moment(now=now, pressed_at=pressed_at, away_until=away)

    async def answer(self, seen: Match, report: SearchReport) -> Match:
        """Store what the computer thinks of a match, unless that is too late."""
        async with self.desk.keeper.lock(seen.id):
            match = await self.desk.keeper.current(seen.id)
            if match.is_over or match.revision != seen.revision:
                log.debug("late reply dropped", match=seen.id, ply=seen.ply, now_at=match.ply)
                return match
            now = self.desk.clock()
            away = self.desk.away_until(match, 1 - match.position.side, now)
            when = Moment(now=now, away_until=away)
            if match.can_swap and prefers_swap(report, self.desk.dice):
                change = changes.swap(match, when)
            else:
                change = changes.move(match, report.move, when)
            try:
                match = await self.desk.keeper.store(change)
            except MatchChangedError as error:
                return error.match
            self.desk.announce(match)
            self.desk.tell(Step(before=seen, after=match, by=None))
            return match

    async def resign(self, match_id: int, user_id: int) -> Match:
        """Store that a person gives a match up."""
        async with self.desk.keeper.lock(match_id):
            match = await self.desk.keeper.current(match_id, user_id)
            side = match.side_of(user_id)
            assert side is not None, "just looked at"
            if match.end_reason is EndReason.RESIGNED and match.winner == 1 - side:
                return match
            if match.is_over:
                raise MatchOverError(match)
            now = self.desk.clock()
            await self.desk.check_time(match, now, by=user_id)
            change = changes.resignation(match, side, now)
            return await self.desk.store(match, change, by=user_id)

    async def place(self, match_id: int, channel_id: int, message_id: int) -> Match:
        """Store where the newest board of a match is shown."""
        async with self.desk.keeper.lock(match_id):
            match = await self.desk.keeper.current(match_id)
            if (match.channel_id, match.message_id) == (channel_id, message_id):
                return match
            change = changes.new_place(match, channel_id, message_id, self.desk.clock())
            return await self.desk.keeper.store(change)
