"""All of somebody's games, or of a server's, as record files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog

from bot.model.errors import NoMatchError, PlayerError
from bot.model.exporting import record_of
from bot.services.packing import pack
from bot.storage import erasing, history
from bot.storage import matches as match_rows
from bot.storage.match_rows import BrokenRecordError, to_match
from engine.errors import say
from engine.records import divide_files, format_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.operations import Workers
    from bot.storage.database import Database
    from bot.storage.match_rows import MatchRow

PORTION: Final = 100
"""How many games are read at once, so that others do not wait long."""

log = structlog.get_logger(__name__)


class GamesTooLargeError(PlayerError):
    """All games that were asked for are more than Discord takes in a file."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "All these games together don't fit in a Discord file: export them one at a time "
                "by their numbers, which `/history` lists."
            )
        )


class NoServerGameError(PlayerError):
    """No game has been finished in a server."""

    def __init__(self) -> None:
        super().__init__(say("No game has been finished in this server yet."))


async def export_games(
    database: Database, workers: Workers, user_id: int, limit: int
) -> tuple[str, bytes]:
    """Return a name and the content for a file of at most `limit` bytes with all of one's games.

    Those that go on are among them; the oldest is the first. If they are more than one record
    file holds, it is an archive of several.

    Raises:
        NoMatchError: If there are none.
        GamesTooLargeError: If they cannot be made that small.
    """
    match_ids = await database.read(erasing.list_match_ids, user_id)
    return await _export(database, workers, match_ids, "my-games", limit)


async def export_server(
    database: Database, workers: Workers, guild_id: int, limit: int
) -> tuple[str, bytes]:
    """Do what `export_games` does for all finished games of a server.

    Raises:
        NoServerGameError: If there are none.
        GamesTooLargeError: If they cannot be made that small.
    """
    match_ids = await database.read(history.list_finished_in, guild_id)
    if not match_ids:
        raise NoServerGameError
    return await _export(database, workers, match_ids, "server-games", limit)


async def _export(
    database: Database, workers: Workers, match_ids: Sequence[int], file_name: str, limit: int
) -> tuple[str, bytes]:
    records: list[str] = []
    for start in range(0, len(match_ids), PORTION):
        portion = match_ids[start : start + PORTION]
        rows = await database.read(match_rows.list_matches, portion)
        records += await workers.run(_written, rows)
    if not records:
        raise NoMatchError
    name, content = await workers.run(_packed, records, file_name, limit)
    if len(content) > limit:
        raise GamesTooLargeError
    return name, content


def _written(rows: Sequence[MatchRow]) -> list[str]:
    """Return the records of matches, less those that cannot be replayed."""
    found = []
    for row in rows:
        try:
            found.append(format_record(record_of(to_match(row))))
        except BrokenRecordError as error:
            log.warning("game not exported", match=row.id, reason=str(error))
    return found


def _packed(records: list[str], name: str, limit: int) -> tuple[str, bytes]:
    files = divide_files(records)
    if len(files) == 1:
        named = {f"{name}.uttt": files[0].encode()}
    else:
        named = {f"{name}-{at}.uttt": text.encode() for at, text in enumerate(files, start=1)}
    return pack(named, limit, archive=f"{name}.zip")
