"""Everything that can be asked of the bot about one's own data, and done to it."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog

from bot.model import changes
from bot.model.notices import Step
from bot.model.running_clocks import LATENCY
from bot.services.personal_data import document
from bot.storage import erasing, outdated, personal
from bot.storage import matches as match_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime

    from bot.model.changes import Change
    from bot.model.match import Match
    from bot.services.matches import MatchService
    from bot.storage.outdated import Outdated
    from bot.storage.personal import Holdings, PersonMatch, PersonRows

PORTION: Final = 100
"""So many matches are read at once: others wait no longer than that takes."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What the deletion of somebody's data has changed for others.

    Attributes:
        matches: The numbers of those that were going on, now given up.
        challenges: The numbers of those that were open, now closed.
    """

    matches: tuple[int, ...]
    challenges: tuple[int, ...]


class PrivacyService:
    """Hands people their data and deletes it.

    Args:
        matches: Where they play; its database, clock and locks are used here too.
        forget: Called with the number of each person who is gone: whoever keeps something of
            theirs in memory lets go of it.
        forget_guild: The same for a server.
    """

    def __init__(
        self,
        matches: MatchService,
        *,
        forget: Iterable[Callable[[int], None]] = (),
        forget_guild: Iterable[Callable[[int], None]] = (),
    ) -> None:
        self._context = matches.context
        self._forget = tuple(forget)
        self._forget_guild = tuple(forget_guild)

    async def holdings_of(self, user_id: int) -> Holdings:
        """Return how much is stored about a person."""
        return await self._context.database.read(personal.count_holdings, user_id)

    async def export(self, user_id: int) -> bytes:
        """Return everything that is stored about a person, as JSON in UTF-8."""
        database, now = self._context.database, self._context.clock()
        rows = await database.read(personal.load_person, user_id)
        match_ids = await database.read(erasing.list_match_ids, user_id)
        found: list[PersonMatch] = []
        for start in range(0, len(match_ids), PORTION):
            portion = match_ids[start : start + PORTION]
            found += await database.read(personal.load_matches, user_id, portion)
        names = await database.read(personal.names_of, _people_in(rows))
        return await asyncio.to_thread(
            lambda: json.dumps(
                document(user_id, rows, found, names, now), ensure_ascii=False, indent=1
            ).encode()
        )

    async def erase(self, user_id: int) -> Erased:
        """Delete a person's data, all of it or, if that fails, none.

        Their games stay, with a stand-in in their place. Those that are going on are given up
        first, and rated if they were to be; challenges are closed. What others hold stays:
        their own ratings and history, and their blocks.

        Raises:
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        return await self._context.operations.run(self._erase(user_id))

    async def forget_guild(self, guild_id: int) -> None:
        """Drop what is set for a server, and who was seen there: the bot is not there any more.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        await self._context.operations.run(
            self._context.database.write(erasing.forget_guild, guild_id)
        )
        for forget in self._forget_guild:
            forget(guild_id)
        await self._context.database.empty_log()

    async def note_guilds(self, application_id: int, guild_ids: Collection[int]) -> list[int]:
        """Note which servers the bot is in, drop those it has left since, and return them.

        Nobody tells a bot that was away. Servers that it was never in are none of these:
        people bring it along there.

        Args:
            application_id: On whose behalf: another one is in other servers.
            guild_ids: All that it is in now.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        store, key = self._context.database.settings, f"guilds:{application_id}"
        before = json.loads(await store.find(key) or "[]")
        left = sorted(set(before) - set(guild_ids))
        for guild_id in left:
            await self.forget_guild(guild_id)
        if set(before) != set(guild_ids):
            await store.put(key, json.dumps(sorted(guild_ids)))
        return left

    async def tidy_up(self) -> None:
        """Drop what there is no reason to keep any more; to be called once a day.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now = self._context.clock()
        await self._context.database.write(erasing.tidy_up, now)
        await self._context.database.empty_log()

    async def list_outdated(self) -> list[Outdated]:
        """Return the messages that still name somebody who has had their data deleted."""
        return await self._context.database.read(outdated.list_outdated)

    async def cross_out(self, message: Outdated) -> None:
        """Forget a message that names nobody any more, or that cannot be edited.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now = self._context.clock()
        await self._context.database.write(outdated.cross_out, message, now)

    async def _erase(self, user_id: int) -> Erased:
        while True:
            try:
                erased = await self._try_to_erase(user_id)
            except erasing.UnknownMatchError:
                continue  # somebody has begun a match with them meanwhile
            for forget in self._forget:
                forget(user_id)
            await self._context.database.empty_log()
            log.info("player erased", player=user_id, matches=len(erased.matches))
            return erased

    async def _try_to_erase(self, user_id: int) -> Erased:
        context = self._context
        match_ids = await context.database.read(erasing.list_match_ids, user_id)
        async with AsyncExitStack() as locks:
            # In order, as everybody takes them: nobody waits in a circle.
            for match_id in match_ids:
                await locks.enter_async_context(context.cache.lock(match_id))
            now = context.clock()
            endings = [
                (match, _ending(match, user_id, now))
                for match in await self._ongoing_of(user_id, set(match_ids))
            ]
            closed = await context.database.write(
                erasing.end_and_erase,
                user_id,
                endings=[change for _, change in endings],
                known=match_ids,
                now=now,
            )
            context.cache.forget(match_ids)
            context.away.note(user_id, None)
        for before, change in endings:
            context.thinking.stop(before.id)
            context.tell(Step(before=before, after=change.after, by=user_id))
        return Erased(matches=tuple(match.id for match, _ in endings), challenges=tuple(closed))

    async def _ongoing_of(self, user_id: int, known: set[int]) -> list[Match]:
        """Return those matches of a person that are known, locked and going on."""
        found = await self._context.cache.list(match_rows.list_ongoing, user_id)
        return [match for match in found if match.id in known]


def _ending(match: Match, user_id: int, now: datetime) -> Change:
    """Return what is left of a match of somebody who goes: lost, unless the other's time is up."""
    side = match.side_of(user_id)
    assert side is not None, "they were found by their seat"
    # The other's press may be on its way still.
    if side != match.side_to_move and match.is_overdue(now - LATENCY):
        return changes.forfeit(match, now)
    return changes.resignation(match, side, now)


def _people_in(rows: PersonRows) -> list[int]:
    found = {
        row[column]
        for row in rows.challenges
        for column in ("challenger_id", "opponent_id", "taker_id")
    }
    return sorted(found - {None})
