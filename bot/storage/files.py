"""The file that holds everything: where it is, whether it is ours, who has it open."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import stat
import struct
import sys
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy import make_url

from bot.host_errors import FileInUseError, NotOurFileError, StorageFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC: Final = b"SQLite format 3\x00"

# What SQLite keeps beside a file in WAL mode; part of the database while it is open.
COMPANIONS: Final = ("-wal", "-shm")

log = structlog.get_logger(__name__)


def database_path(url: str) -> Path:
    """Return the file that a `DATABASE_URL` names: an absolute path without symbolic links."""
    name = make_url(url).database
    assert name, "settings let addresses of files through only"
    return Path(os.path.realpath(name))


def companion(path: Path, suffix: str) -> Path:
    """Return the path of one of SQLite's companion files."""
    return path.with_name(path.name + suffix)


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Keep every other process away from the file while the block runs.

    Two locks of the operating system; both go with the process that held them, however that
    ended, so nothing stale is ever left behind. The one on a file beside the database is there
    while a backup takes the database's place, too, and says who has it. The one on the database
    itself is met under every name of that file, as through a hard link in another folder. The
    lock file stays, because removing it would let two processes lock two files of one name.

    What only the owner should read has the rights for that afterwards; a database that is not
    there yet is an empty file.

    Raises:
        FileInUseError: If another process has a lock.
        StorageFileError: If the folder cannot be written to or locks nothing.
    """
    with ExitStack() as descriptors:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _lock_name(_open_private(companion(path, ".lock"), descriptors), path)
            _lock_content(_open_private(path, descriptors), path)
            _make_all_private(path)
        except OSError as error:
            raise StorageFileError(path, _unusable(error)) from error
        yield


def _open_private(path: Path, descriptors: ExitStack) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    descriptors.callback(os.close, descriptor)
    return descriptor


def _lock_name(descriptor: int, path: Path) -> None:
    """Lock the file beside the database, and write into it who has it.

    `filelock` would make it no shorter: whose the lock is were still for us to write and to read.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
        raise FileInUseError(path, _in_use(f"process {holder or 'unknown'}")) from None
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode("ascii"))


def _lock_content(descriptor: int, path: Path) -> None:
    """Lock the database itself, in a way that SQLite does not notice.

    Not by `flock`, which on network disks and on macOS would lock out SQLite as well. This is one
    byte, far from those that SQLite locks, and the lock belongs to the open file: one of the
    process would go as soon as anything in it closed the database.
    """
    if sys.platform != "linux":
        return  # Python knows no such locks elsewhere: one name, one bot is all we can promise
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, lock)
    except BlockingIOError:
        raise FileInUseError(path, _in_use("under another name of it")) from None
    except OSError as error:
        if error.errno != errno.EINVAL:  # which some containers' kernels say of such locks
            raise


def _make_all_private(path: Path) -> None:
    """Take the database, what belongs to it and its copies in the same folder from others."""
    for each in path.parent.iterdir():
        if each.name.startswith((path.name, f"{path.stem}.before-")):
            make_private(each)


def make_private(path: Path) -> None:
    """Let nobody but its owner read or write a file, as far as we may decide that."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode) and mode & 0o077:
            path.chmod(stat.S_IMODE(mode) & 0o700)
    except FileNotFoundError:
        return  # SQLite removes its companions when it is done with them
    except PermissionError:
        log.warning("others can read this file, and it is not ours to change", file=str(path))


def write_private(path: Path, content: bytes) -> None:
    """Write a file that nobody but its owner can read."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        make_private(path)
        file.write(content)


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


def _in_use(by: str) -> str:
    return (
        f"another bot is using this file ({by}). Stop that one first, or give this one a file of "
        "its own with DATABASE_URL."
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
