"""The file that holds everything: where it is, whether it is ours, who has it open."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import make_url

from bot.host_errors import FileInUseError, NotOurFileError, StorageFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC: Final = b"SQLite format 3\x00"

# What SQLite keeps beside a file in WAL mode; part of the database while it is open.
COMPANIONS: Final = ("-wal", "-shm")


def database_path(url: str) -> Path:
    """Return the file that a `DATABASE_URL` names, as an absolute path."""
    name = make_url(url).database
    assert name, "settings let addresses of files through only"
    return Path(name).absolute()


def companion(path: Path, suffix: str) -> Path:
    """Return the path of one of SQLite's companion files."""
    return path.with_name(path.name + suffix)


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Keep every other process away from the file while the block runs.

    A lock of the operating system on a file beside it: it goes with the process
    that held it, however that ended, so nothing stale is ever left behind. The
    lock file itself stays, because removing it would let two processes lock two
    files of one name.

    Raises:
        FileInUseError: If another process has the lock.
        StorageFileError: If the folder cannot be written to or locks nothing.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(companion(path, ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StorageFileError(path, _unusable(error)) from error
    try:
        _take_lock(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _take_lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode("ascii"))
    except BlockingIOError:
        holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
        raise FileInUseError(
            path,
            f"another bot is using this file (process {holder or 'unknown'}). Stop that one "
            "first, or give this one a file of its own with DATABASE_URL.",
        ) from None
    except OSError as error:
        raise StorageFileError(path, _unusable(error)) from error


def has_content(path: Path) -> bool:
    """Tell whether there is anything in the file yet."""
    return path.exists() and path.stat().st_size > 0


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open the file without the right to change it; the caller closes the connection."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)


def check_is_ours(path: Path) -> None:
    """Look at a file that has content before anything is done to it.

    Raises:
        NotOurFileError: If it is not a database, is damaged, or is another program's.
        StorageFileError: If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise StorageFileError(path, _unusable(error)) from error
    if magic != _MAGIC:
        raise NotOurFileError(
            path,
            "this is not a database of SQLite. Nothing was changed in it. Move it away, "
            "or name another file with DATABASE_URL.",
        )
    try:
        with closing(connect_read_only(path)) as connection:
            tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        raise StorageFileError(
            path,
            f"the database cannot be read ({error}). Is another program using it, or is the "
            "disk failing?",
        ) from error
    except sqlite3.DatabaseError as error:
        raise NotOurFileError(path, _damaged(str(error))) from error
    if verdict != "ok":
        raise NotOurFileError(path, _damaged(" ".join(verdict.split())))
    if tables and "alembic_version" not in tables:
        raise NotOurFileError(
            path,
            f"this database belongs to another program (it has a table {tables[0]!r} and no "
            "record of our upgrades). Name another file with DATABASE_URL.",
        )


def _unusable(error: OSError) -> str:
    return (
        f"the database cannot be kept here ({error.strerror}). It needs a folder that the bot "
        "may write to, on a disk of this machine; DATABASE_URL names the file."
    )


def _damaged(verdict: str) -> str:
    return (
        f"this database is damaged ({verdict}). Nothing was changed in it. Restore the newest "
        "backup, and keep this file: much of it can often be saved."
    )
