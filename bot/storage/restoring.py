"""A backup takes the place of the database, without undoing what must stay done.

People whose data was deleted since are deleted in it again. And no number of a match, a challenge
or a run of puzzles is given out a second time: what had that number is gone, but its message is
still to be seen, and its buttons would act in what has the number now.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy.exc import DatabaseError

from bot.storage import copying, files, postgresql
from bot.storage.erasing import erase_noted
from bot.storage.erasures import load_noted
from bot.storage.migrate import upgrade_locked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection

LEFT_OUT: Final = 10_000
"""How many numbers are left out after those of a backup if the newer ones cannot be read."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A backup that was restored.

    Attributes:
        aside: Where the replaced database is now; None if there was none.
        erased: How many people were deleted from it again; None if that could not be read
            from the replaced database.
    """

    aside: Path | None
    erased: int | None


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a replaced database hands on: its deletions with their key, and its last numbers."""

    key: str
    noted: Mapping[str, datetime]
    last_numbers: Mapping[str, int]


def restore_backup(copy: Path, url: str) -> Restored:
    """Replace the database of `url` with a copy, upgraded if it is an older one.

    Raises:
        DatabaseInUseError: If a bot is using the database.
        NotOurDatabaseError: If the copy is not a sound database of ours.
        NewerDatabaseError: If a later version of the program has made it.
        UnusableDatabaseError: If there is no copy, or it could not be stored.
    """
    files.check_is_copy(copy)
    restore = _restore_to_server if postgresql.is_meant_by(url) else _restore_to_file
    done = restore(copy, url)
    log.info("database restored", copy=str(copy), replaced=str(done.aside))
    return done


def _restore_to_file(copy: Path, url: str) -> Restored:
    path = files.database_path(url)
    kept = _read(path) if files.has_content(path) else None
    # Prepared beside the database first: a crash in between leaves the database as it was.
    with files.folder_beside(path) as folder:
        prepared, count = _prepare(copy, folder, kept)
        aside = files.restore(prepared, url)
    return Restored(aside=aside, erased=None if kept is None and aside is not None else count)


def _restore_to_server(copy: Path, url: str) -> Restored:
    """Restore to PostgreSQL in one transaction; what was there goes into a file beside the copy."""
    with copying.whole(url) as there, tempfile.TemporaryDirectory(prefix="restoring-") as folder:
        is_empty = copying.is_empty(there)
        prepared, count = _prepare(copy, Path(folder), None if is_empty else _kept_of(there))
        aside = None if is_empty else files.aside_of(copy)
        if aside is not None:
            copying.backup(url, aside)
        copying.replace_content(there, prepared)
    return Restored(aside=aside, erased=count)


def _prepare(copy: Path, folder: Path, kept: _Kept | None) -> tuple[Path, int]:
    """Copy and upgrade the copy; return the result and how many were deleted in it again."""
    prepared = folder / "copy.sqlite3"
    files.copy_database(copy, prepared)
    upgrade_locked(prepared)
    with files.changing(prepared) as connection:
        for table in copying.NUMBERED:
            last = copying.last_number(connection, table)
            later = last + LEFT_OUT if kept is None else kept.last_numbers[table.name]
            copying.set_last_number(connection, table, max(last, later))
        if kept is None or not kept.noted:
            return prepared, 0
        return prepared, erase_noted(connection, kept.key, kept.noted)


def _read(path: Path) -> _Kept | None:
    """Return what a database hands on; None if that cannot be read."""
    try:
        with files.reading(path) as connection:
            return _kept_of(connection)
    except DatabaseError as error:
        log.warning("deletions and numbers not read", file=str(path), reason=str(error.orig))
        return None


def _kept_of(connection: Connection) -> _Kept:
    numbers = {each.name: copying.last_number(connection, each) for each in copying.NUMBERED}
    return _Kept(*load_noted(connection), numbers)
