"""Putting a backup back without bringing back those who have had their data deleted since."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import URL, NullPool, create_engine
from sqlalchemy.exc import DatabaseError

from bot.storage import files
from bot.storage.backup import copy_database, restore
from bot.storage.erasing import erase_noted
from bot.storage.erasures import load_noted
from bot.storage.migrate import upgrade_locked

if TYPE_CHECKING:
    from datetime import datetime

log = structlog.get_logger(__name__)

_COPY = "copy.sqlite3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A backup that is in place.

    Attributes:
        aside: Where the database that was there is now; None if there was none.
        erased: How many people were deleted in it again; None if that could not be told from
            the database that was there.
    """

    aside: Path | None
    erased: int | None


def restore_without_erased(copy: Path, url: str) -> Restored:
    """Put a copy in the place of the database of `url`, and delete again who was deleted since.

    Raises:
        FileInUseError: If a bot is using the database.
        NotOurFileError: If the copy is not a sound database of ours.
        NewerFileError: If a later version of the program has made it.
        StorageFileError: If there is no copy, or the disk does not take it.
    """
    path = files.database_path(url)
    if not files.has_content(path):
        return Restored(aside=restore(copy, url), erased=0)
    noted = _load_noted(path)
    if noted is None or not noted[1] or not files.has_content(copy):
        return Restored(aside=restore(copy, url), erased=None if noted is None else 0)
    # Prepared beside the database first: a crash in between leaves that as it was.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="restoring-") as folder:
        prepared = Path(folder) / _COPY
        files.check_is_ours(copy)
        copy_database(copy, prepared)
        upgrade_locked(prepared)
        count = _erase(prepared, *noted)
        return Restored(aside=restore(prepared, url), erased=count)


def _load_noted(path: Path) -> tuple[str, dict[str, datetime]] | None:
    """Return the deletions that a database remembers; None if they cannot be read."""
    engine = create_engine(
        "sqlite://", creator=lambda: files.connect_read_only(path), poolclass=NullPool
    )
    try:
        with engine.connect() as connection:
            return load_noted(connection)
    except DatabaseError as error:
        log.warning("deletions not read", file=str(path), reason=str(error.orig))
        return None
    finally:
        engine.dispose()


def _erase(path: Path, key: str, noted: dict[str, datetime]) -> int:
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
    try:
        with engine.begin() as connection:
            return erase_noted(connection, key, noted)
    finally:
        engine.dispose()
