"""Stores what the host decides while the bot runs: bans and maintenance."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import TYPE_CHECKING, Final

from bot.model.actions import Annul
from bot.model.errors import MatchOverError
from bot.model.hosting import Ban, Maintenance
from bot.storage import preferences as rows

if TYPE_CHECKING:
    from bot.model.match import Match
    from bot.services.matches import MatchService

_MAINTENANCE: Final = "maintenance"


class Hosting:
    """The decisions of the host. What a method returns has been stored, else StorageFailedError.

    Attributes:
        bans: Who may not use the bot, by number; in memory, since every click checks it.
    """

    def __init__(self, matches: MatchService) -> None:
        self._matches = matches
        self._database = matches.database
        self._changing = asyncio.Lock()
        self.bans: dict[int, Ban] = {}

    async def open(self) -> None:
        """Read what was decided before, and read it again when another process decides."""
        await self._read()
        self._matches.database.keep_current("setting", self._read)

    async def _read(self, _key: str | None = None) -> None:
        found = await self._matches.database.read(rows.load_bans)
        self.bans = {ban.number: ban for ban in found}
        self._matches.maintenance = None
        if told := await self._database.find_setting(_MAINTENANCE):
            given = json.loads(told)
            until = datetime.fromisoformat(given["until"])
            self._matches.maintenance = Maintenance(until=until, words=given["words"])

    # Bans.

    async def ban(self, number: int, *, is_server: bool) -> list[Match]:
        """Ban somebody, or everybody in a server, from the bot.

        A user's games end without counting: their opponents would wait in vain.

        Returns:
            The games that were ended.

        Raises:
            StorageFailedError: If it could not be stored; some games may have been ended.
        """
        ban = Ban(number=number, is_server=is_server, since=self._matches.clock())
        async with self._changing:
            await self._save_bans({**self.bans, number: ban})
        ended = []
        for match in [] if is_server else await self._matches.ongoing_of(number):
            try:
                ended.append(await self._matches.perform(match.id, Annul(), user_id=number))
            except MatchOverError:
                continue
        return ended

    async def unban(self, number: int) -> bool:
        """Lift a ban; return whether there was one."""
        async with self._changing:
            left = {key: ban for key, ban in self.bans.items() if key != number}
            was_banned = len(left) < len(self.bans)
            await self._save_bans(left)
        return was_banned

    async def _save_bans(self, bans: dict[int, Ban]) -> None:
        now = self._matches.clock()
        await self._matches.database.write(rows.save_bans, list(bans.values()), now)
        self.bans = bans

    # Maintenance.

    @property
    def maintenance(self) -> Maintenance | None:
        """The maintenance that has been announced and is not over."""
        announced = self._matches.maintenance
        return announced if announced and announced.until > self._matches.clock() else None

    async def announce(self, maintenance: Maintenance | None) -> None:
        """Announce a time in which no games begin; None lets them begin at once."""
        text = ""
        if maintenance is not None:
            given = {"until": maintenance.until.isoformat(), "words": maintenance.words}
            text = json.dumps(given)
        await self._database.save_setting(_MAINTENANCE, text)
        self._matches.maintenance = maintenance
