"""What the host does for somebody who asks by other ways than `/privacy`."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.privacy import PrivacyService
from bot.storage import backup, open_storage

if TYPE_CHECKING:
    from bot.services.privacy import Erased


async def export_for(url: str, user_id: int) -> bytes:
    """Return what the database of `url` holds about a person; the bot may be running.

    Raises:
        StorageFileError: If there is no database, or it cannot be read.
    """
    # From a copy: the database itself belongs to the bot that runs.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite3"
        backup(url, copy)
        async with _privacy(f"sqlite+aiosqlite:///{copy}") as privacy:
            return await privacy.export(user_id)


async def erase_for(url: str, user_id: int) -> Erased:
    """Delete a person's data from the database of `url`; the bot may not be running.

    Raises:
        FileInUseError: If it is.
        StorageFileError: If the database cannot be used.
    """
    async with _privacy(url) as privacy:
        return await privacy.erase(user_id)


@asynccontextmanager
async def _privacy(url: str) -> AsyncIterator[PrivacyService]:
    async with (
        open_storage(url) as storage,
        ComputerPlayers(threads=1, seconds=0.1) as computer,
        MatchService(storage, computer) as matches,
    ):
        yield PrivacyService(matches)
