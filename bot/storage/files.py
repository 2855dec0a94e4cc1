"""The database file: where it is, whether it is ours, who has it open; and its copies."""

from __future__ import annotations

import errno
import importlib
import os
import sqlite3
import stat
import struct
import tempfile
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import URL, Connection, NullPool, create_engine, make_url

from bot.host_errors import DatabaseInUseError, NotOurDatabaseError, UnusableDatabaseError

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAGIC: Final = b"SQLite format 3\x00"

# What SQLite keeps beside a file: part of the database while it is open, and after a crash.
_JOURNAL: Final = "-journal"
COMPANIONS: Final = ("-wal", "-shm", _JOURNAL)

_LOCKED_BYTE: Final = 2**30

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

    There are two locks of the operating system. Both end with the process that held them, however
    that ended, so no stale lock is ever left behind. The one on a file beside the database also
    lasts while a backup takes the database's place, and says who holds it. The one on the database
    itself works under every name of the file, such as a hard link in another folder. The lock
    file stays, because removing it would let two processes lock two files of the same name.

    Afterwards only the owner has access to the database's files; a database that did not exist is
    an empty file.

    Raises:
        DatabaseInUseError: If another process has a lock.
        UnusableDatabaseError: If the folder cannot be written to or does not support locks.
    """
    with ExitStack() as descriptors:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _lock_name(_open_private(companion(path, ".lock"), descriptors), path)
            _lock_content(path, descriptors)
            for each in path.parent.iterdir():
                if each.name.startswith((path.name, f"{path.stem}.before-")):
                    make_private(each)
        except OSError as error:
            raise UnusableDatabaseError(path, _unusable(error)) from error
        yield


def _open_private(path: Path, descriptors: ExitStack) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    descriptors.callback(os.close, descriptor)
    return descriptor


def _lock_name(descriptor: int, path: Path) -> None:
    """Lock the file beside the database, and write the holder's process id into it.

    `filelock` would not make this shorter: it does not say which process holds the lock.
    """
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):
        holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
        raise DatabaseInUseError(path, _in_use(f"process {holder or 'unknown'}")) from None
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode("ascii"))


def _lock(descriptor: int) -> None:
    """Lock an open file until it is closed.

    Raises:
        BlockingIOError: If another process has locked it; on Windows a PermissionError.
    """
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    msvcrt: Any = importlib.import_module("msvcrt")
    # Locked bytes cannot be read on Windows: lock one far behind those that name the holder.
    os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)


def _lock_content(path: Path, descriptors: ExitStack) -> None:
    """Lock the database itself, in a way that SQLite does not notice.

    `flock` would lock out SQLite as well on network disks and on macOS. This locks one byte, far
    from those that SQLite locks, and the lock belongs to the open file: a lock that belongs to
    the process would be lost as soon as anything in it closed the database.
    """
    if not hasattr(fcntl, "F_OFD_SETLK"):
        # Python has such locks only on Linux; elsewhere we can only promise one bot per name. Nor
        # is the file kept open, as nobody could rename it on Windows then.
        path.touch(mode=0o600)
        return
    descriptor = _open_private(path, descriptors)
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, lock)
    except BlockingIOError:
        raise DatabaseInUseError(path, _in_use("under another name of it")) from None
    except OSError as error:
        if error.errno != errno.EINVAL:  # which some containers' kernels return for such locks
            raise


def make_private(path: Path) -> None:
    """Let only the owner read or write a file, if its permissions are ours to change."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode) and mode & 0o077:
            path.chmod(stat.S_IMODE(mode) & 0o700)
    except FileNotFoundError:
        return  # SQLite removes its companions when it is done with them
    except PermissionError:
        log.warning("others can read this file, and it is not ours to change", file=str(path))


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        make_private(path)
        file.write(content)


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Make a folder on the disk of a database, for as long as the block runs.

    Raises:
        UnusableDatabaseError: If the folder of the database cannot be written to.
    """
    with ExitStack() as stack:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            made = tempfile.TemporaryDirectory(dir=path.parent, prefix="restoring-")
            folder = stack.enter_context(made)
        except OSError as error:
            raise UnusableDatabaseError(path, _unusable(error)) from error
        yield Path(folder)


def has_content(path: Path) -> bool:
    """Return whether there is anything in the file."""
    return path.exists() and path.stat().st_size > 0


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open the file read-only; the caller closes the connection."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Read a snapshot of a file that others may be using."""
    engine = create_engine("sqlite://", creator=lambda: connect_read_only(path), poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        yield connection


@contextmanager
def changing(path: Path) -> Iterator[Connection]:
    """Read or fill a file that nobody else uses, in one transaction."""
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
    with engine.begin() as connection:
        yield connection


def undo_interrupted(path: Path) -> None:
    """Undo an upgrade that a crash or a power cut has interrupted; the caller holds the lock.

    Until then the file may hold half of the upgrade, and cannot be read without write access.
    """
    if has_content(companion(path, _JOURNAL)):
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
            connection.execute("SELECT name FROM sqlite_master").fetchone()
            log.warning("an interrupted upgrade was undone", file=str(path))


def check_is_ours(path: Path) -> None:
    """Check that a file with content is a sound database of ours.

    Raises:
        NotOurDatabaseError: If it is not a database, is damaged, or is another program's.
        UnusableDatabaseError: If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise UnusableDatabaseError(path, _unusable(error)) from error
    if magic != _MAGIC:
        raise NotOurDatabaseError(
            path,
            "this is not a database of SQLite. Nothing was changed in it. Move it away, "
            "or name another file with DATABASE_URL.",
        )
    try:
        with closing(connect_read_only(path)) as connection:
            tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        why = "Is another program using it, or is the disk failing?"
        if has_content(companion(path, _JOURNAL)):
            why = "An upgrade was interrupted here: the next start of the bot undoes it."
        raise UnusableDatabaseError(
            path, f"the database cannot be read ({error}). {why}"
        ) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter from a message, too
        raise NotOurDatabaseError(path, _damaged(str(error))) from error
    if verdict != "ok":
        raise NotOurDatabaseError(path, _damaged(" ".join(verdict.split())))
    if tables and "alembic_version" not in tables:
        raise NotOurDatabaseError(
            path,
            f"this database belongs to another program (it has a table {tables[0]!r} and no "
            "record of our upgrades). Name another file with DATABASE_URL.",
        )


def check_is_copy(path: Path) -> None:
    """Check that a file can be restored.

    Raises:
        NotOurDatabaseError: If it is not a sound database of ours.
        UnusableDatabaseError: If there is nothing, or it cannot be read.
    """
    if not has_content(path):
        raise UnusableDatabaseError(path, "there is no copy here to restore.")
    check_is_ours(path)


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


def restore(copy: Path, url: str) -> Path | None:
    """Replace the database of `url` with a copy.

    Returns:
        Where the replaced database is now; None if there was none.

    Raises:
        DatabaseInUseError: If a bot is using the database.
        NotOurDatabaseError: If the copy is not a sound database of ours.
    """
    path = database_path(url)
    check_is_copy(copy)
    with exclusive_lock(path):
        incoming = companion(path, ".restoring")
        incoming.unlink(missing_ok=True)
        copy_database(copy, incoming)
        aside = _put_aside(path)
        incoming.replace(path)
        _sync_folder(path.parent)
    return aside


def copy_database(source: Path, target: Path) -> None:
    """Copy the database file `source`, in use or not, to `target`.

    `VACUUM INTO` reads one snapshot while others write; copying the file itself
    would miss what is still in its write-ahead log.

    Raises:
        UnusableDatabaseError: If `target` exists already, or the copy is not sound.
    """
    if target.exists():
        raise UnusableDatabaseError(target, "this file exists already; name another for the copy.")
    # Under another name until it is whole: half a copy must not pass for one.
    partial = companion(target, ".partial")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
        with closing(connect_read_only(source)) as connection:
            connection.execute("VACUUM INTO ?", (str(partial),))
        # Not read-only: SQLite would skip the CHECK constraints.
        with closing(sqlite3.connect(partial)) as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        with partial.open("r+b") as file:  # Windows syncs only what may be written
            os.fsync(file.fileno())
        partial.rename(target)
        _sync_folder(target.parent)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise UnusableDatabaseError(target, f"the copy could not be made: {error}.") from error
    log.info("database copied", file=str(source), copy=str(target))


def aside_of(path: Path) -> Path:
    """Return an unused name for the database that a restored copy replaces."""
    return first_unused(path, (f"{path.name}.replaced-{number}" for number in count(1)))


def first_unused(path: Path, names: Iterable[str]) -> Path:
    """Return the first of some names that no file beside `path` has."""
    return next(each for each in map(path.with_name, names) if not each.exists())


def _put_aside(path: Path) -> Path | None:
    """Rename the database and its companion files; return its new name."""
    aside = aside_of(path)
    # A log left behind would be replayed into the restored file. It goes first: a crash
    # in between then leaves a database without its newest moves, not a mixture.
    for suffix in COMPANIONS:
        beside = companion(path, suffix)
        if beside.exists():
            beside.rename(companion(aside, suffix))
    if not has_content(path):
        return None
    path.rename(aside)
    return aside


def _sync_folder(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return  # Windows cannot open folders; there the file system keeps names by itself
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
