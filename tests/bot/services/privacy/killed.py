"""A process that is killed while it deletes somebody's data."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from sqlalchemy import event

from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.privacy import PrivacyService
from bot.storage import open_storage
from tests.bot.services.conftest import ANNA


async def main(url: str, at: int) -> None:
    """Begin to delete, and die at the given statement."""
    count = 0

    def die(*_given: object) -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    async with (
        open_storage(url) as database,
        ComputerPlayers(threads=1, seconds=0.1) as computer,
        MatchService(database, computer) as matches,
    ):
        event.listen(database.writing.engine.sync_engine, "before_cursor_execute", die)
        await PrivacyService(matches).erase(ANNA.id)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
