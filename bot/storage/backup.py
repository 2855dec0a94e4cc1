"""Copies of the whole database, and the way back."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import structlog

from bot.host_errors import StorageFileError
from bot.storage import files

if TYPE_CHECKING:
    from pathlib import Path

log = structlog.get_logger(__name__)


def backup(url: str, target: Path) -> None:
    """Write a copy of the database of `url` to `target`; the bot may be running.

    The copy is of one instant, is one file, and has been checked when this returns.

    Raises:
        StorageFileError: If there is nothing to copy, or something at `target`.
    """
    source = files.database_path(url)
    if not files.has_content(source):
        raise StorageFileError(source, "there is nothing here to copy yet.")
    files.check_is_ours(source)
    copy_database(source, target)


def restore(copy: Path, url: str) -> Path | None:
    """Put a copy in the place of the database of `url`.

    Returns:
        Where the database that was there is now; None if there was none.

    Raises:
        FileInUseError: If a bot is using the database.
        NotOurFileError: If the copy is not a sound database of ours.
    """
    path = files.database_path(url)
    if not files.has_content(copy):
        raise StorageFileError(copy, "there is no copy here to restore.")
    files.check_is_ours(copy)
    with files.exclusive_lock(path):
        incoming = files.companion(path, ".restoring")
        incoming.unlink(missing_ok=True)
        copy_database(copy, incoming)
        aside = _put_aside(path)
        incoming.rename(path)
        _sync_folder(path.parent)
    log.info("database restored", file=str(path), copy=str(copy), replaced=str(aside))
    return aside


def copy_database(source: Path, target: Path) -> None:
    """Copy the database file `source`, in use or not, to `target`.

    `VACUUM INTO` reads one snapshot while others write; copying the file itself
    would miss what is still in its write-ahead log.

    Raises:
        StorageFileError: If there is something at `target`, or the copy is not sound.
    """
    if target.exists():
        raise StorageFileError(target, "this file exists already; name another for the copy.")
    # Under another name until it is whole: half a copy must not pass for one.
    partial = files.companion(target, ".partial")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
        with closing(files.connect_read_only(source)) as connection:
            connection.execute("VACUUM INTO ?", (str(partial),))
        # Not read-only: SQLite leaves the CHECK constraints out then.
        with closing(sqlite3.connect(partial)) as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        _sync_file(partial)
        partial.rename(target)
        _sync_folder(target.parent)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise StorageFileError(target, f"the copy could not be made: {error}.") from error
    log.info("database copied", file=str(source), copy=str(target))


def _put_aside(path: Path) -> Path | None:
    """Rename the database and what belongs to it; return its new name."""
    number = 1
    while (aside := files.companion(path, f".replaced-{number}")).exists():
        number += 1
    # A log left behind would be replayed into the restored file. It goes first: a crash
    # in between then leaves a database without its newest moves, not a mixture.
    for suffix in files.COMPANIONS:
        beside = files.companion(path, suffix)
        if beside.exists():
            beside.rename(files.companion(aside, suffix))
    if not files.has_content(path):
        return None
    path.rename(aside)
    return aside


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
