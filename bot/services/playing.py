"""Starting, replying, placing: what the service does beside what it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from bot.model import starting
from bot.model.actions import Reply, Request
from bot.model.errors import MatchNotOverError, RematchNeedsBothError, StaleBoardError
from bot.model.notices import Step
from bot.model.starting import prefers_swap
from bot.storage import matches as rows

if TYPE_CHECKING:
    from bot.model.match import Match
    from bot.model.starting import Start
    from bot.services.match_context import MatchContext
    from engine import SearchReport

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Playing:
    """What `MatchService` says it does on the board, done. Runs as tasks of its own."""

    context: MatchContext

    async def start(self, start: Start) -> Match:
        """Store a match that begins."""
        now = self.context.clock()
        match_id = await self.context.database.write(rows.begin, start, now)
        return await self.begun(match_id)

    async def begun(self, match_id: int, by: int | None = None) -> Match:
        """Return a match that has just been stored, and tell of its deadline and beginning."""
        match = await self.load(match_id)
        self.context.announce(match)
        self.context.tell(Step(before=None, after=match, by=by))
        return match

    async def start_again(self, match_id: int, user_id: int, channel_id: int | None) -> Match:
        """Start a match against the computer again."""
        async with self.context.cache.lock(match_id):
            match = await self.context.cache.current(match_id, user_id)
            if not match.is_over:
                raise MatchNotOverError(match)
            following = await self.context.cache.find(rows.find_next, match_id)
            if following is not None:
                return following
            if match.is_between_people:
                raise RematchNeedsBothError(match)
            return await self.start(starting.start_like(match, self.context.rng, channel_id))

    async def load(self, match_id: int, user_id: int | None = None) -> Match:
        """Return a match as it is now."""
        async with self.context.cache.lock(match_id):
            return await self.context.cache.current(match_id, user_id)

    async def answer(self, seen: Match, report: SearchReport) -> Match:
        """Store what the computer thinks of a match, unless that is too late."""
        reply = Reply(
            cell=report.move, swaps=seen.can_swap and prefers_swap(report, self.context.rng)
        )
        try:
            match, change = await self.context.try_to(
                seen.id, reply, Request(revision=seen.revision)
            )
        except StaleBoardError as error:
            return error.match
        if change is None:
            log.info("late reply dropped", match=seen.id, ply=seen.ply, now_at=match.ply)
        return match

    async def place(self, match_id: int, channel_id: int, message_id: int) -> Match:
        """Store where the newest board of a match is shown."""
        async with self.context.cache.lock(match_id):
            match = await self.context.cache.current(match_id)
            if (match.channel_id, match.message_id) == (channel_id, message_id):
                return match
            now = self.context.clock()
            return await self.context.cache.place(match, channel_id, message_id, now)
