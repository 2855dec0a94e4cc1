"""All games of a person, of a server, or all public ones, as record files."""

from __future__ import annotations

import io
import tempfile
import zipfile
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from bot.model.errors import NoMatchError, PlayerError
from bot.model.exporting import record_of
from bot.model.preferences import NAMED_KEY
from bot.services.preferences import format_switch
from bot.storage import backup, erasing, history, open_storage
from bot.storage import matches as match_rows
from bot.storage.matches import BrokenRecordError, MatchRow, to_match
from bot.storage.preferences import list_player_settings
from engine.errors import say
from engine.records import MOST_GAMES, divide_files, format_record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Container, Mapping, Sequence

    from bot.operations import Workers
    from bot.storage.database import Database

PORTION: Final = 100
"""How many games are read at once, so that others do not wait long."""

log = structlog.get_logger(__name__)


class GamesTooLargeError(PlayerError):
    """The games that were asked for do not fit in a Discord file."""

    sentence = say(
        "All these games together don't fit in a Discord file: export them one at a time "
        "by their numbers, which `/history` lists."
    )


async def export_games(
    database: Database, workers: Workers, user_id: int, limit: int
) -> tuple[str, bytes]:
    """Return the name and content of a file of at most `limit` bytes with all of a person's games.

    Ongoing games are included; the oldest comes first. If they do not fit in one record file, it
    is an archive of several.

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
        PlayerError: If there are none.
        GamesTooLargeError: If they cannot be made that small.
    """
    match_ids = await database.read(history.list_finished_in, guild_id)
    if not match_ids:
        raise PlayerError(say("No game has been finished in this server yet."))
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


async def publish_games(url: str, folder: Path) -> AsyncIterator[tuple[Path, int]]:
    """Write all finished games of servers into `folder`; the bot may be running.

    Each month in which games ended has an archive of record files, which stays the same as long
    as its games do; those of months without games are left as they are. Only people who have agreed
    to it are named.

    Yields:
        Each archive, once it is written, and how many games are in it.

    Raises:
        OSError: If a file cannot be written.
        UnusableDatabaseError: If there is no database, or it cannot be read.
    """
    # From a copy: the database itself belongs to the bot that runs.
    with tempfile.TemporaryDirectory() as aside:
        copy = Path(aside) / "copy.sqlite3"
        backup(url, copy)
        async with open_storage(f"sqlite+aiosqlite:///{copy}") as database:
            agreed = await database.read(list_player_settings, NAMED_KEY)
            named = {who for who, value in agreed.items() if value == format_switch(True)}
            public = await database.read(history.list_public)
            for month, ended in groupby(public, key=lambda each: each[1].strftime("%Y-%m")):
                match_ids = [number for number, _ended_at in ended]
                yield await _publish(database, match_ids, folder / f"games-{month}.zip", named)


async def _publish(
    database: Database, match_ids: Sequence[int], path: Path, named: Container[int]
) -> tuple[Path, int]:
    """Write an archive of games, whole or not at all."""
    begun, count = path.with_suffix(".part"), 0
    with zipfile.ZipFile(begun, "w", zipfile.ZIP_DEFLATED) as archive:
        for start in range(0, len(match_ids), MOST_GAMES):
            rows = await database.read(
                match_rows.list_matches, sorted(match_ids[start : start + MOST_GAMES])
            )
            records = _written(rows, named)
            count += len(records)
            for text in divide_files(records):
                name = f"{path.stem}-{len(archive.namelist()) + 1:04}.uttt"
                # Without the time of writing: the same games are the same file.
                info = zipfile.ZipInfo(name)
                archive.writestr(info, text, zipfile.ZIP_DEFLATED)
    begun.replace(path)
    return path, count


def list_months(folder: Path | None) -> list[str]:
    """Return the months, such as 2026-11, with an archive by `publish_games` in a folder."""
    names = () if folder is None else (each.stem for each in folder.glob("games-????-??.zip"))
    return sorted(name.removeprefix("games-") for name in names)


def read_month(folder: Path | None, month: str, limit: int) -> tuple[str, bytes]:
    """Return the name and the content of an archive of at most `limit` bytes.

    Raises:
        GamesTooLargeError: If it is larger.
        PlayerError: If there is none.
    """
    months = list_months(folder)
    if folder is None or month not in months:
        words = say("This bot's host offers no files of everybody's games.")
        if months:
            words = say("There is no such month: choose one from {first} to {last}.")
            words = words.format(first=months[0], last=months[-1])
        raise PlayerError(words)
    path = folder / f"games-{month}.zip"
    if path.stat().st_size > limit:
        raise GamesTooLargeError
    return path.name, path.read_bytes()


def _written(rows: Sequence[MatchRow], named: Container[int] | None = None) -> list[str]:
    """Return the records of matches, without those that cannot be replayed."""
    found = []
    for row in rows:
        try:
            found.append(format_record(record_of(to_match(row), named)))
        except BrokenRecordError as error:
            log.warning("game not exported", match=row.id, reason=str(error))
    return found


def _packed(records: list[str], name: str, limit: int) -> tuple[str, bytes]:
    files = divide_files(records)
    named = {f"{name}-{at}.uttt": text.encode() for at, text in enumerate(files, start=1)}
    if len(files) == 1:
        named = {f"{name}.uttt": files[0].encode()}
    return pack(named, limit, archive=f"{name}.zip")


def pack(files: Mapping[str, bytes], limit: int, *, archive: str) -> tuple[str, bytes]:
    """Return a name and the content of one file that holds all of `files`.

    A single one stays as it is if it has at most `limit` bytes. An archive may be larger.
    """
    for name, content in files.items():
        if len(files) == 1 and len(content) <= limit:
            return name, content
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as writing:
        for name, content in files.items():
            writing.writestr(name, content)
    return archive, written.getvalue()
