"""Brings the file to today's tables, with a copy put aside first."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import structlog
from sqlalchemy import URL, Connection, NullPool, create_engine, event
from sqlalchemy.exc import OperationalError

from bot.host_errors import NewerFileError, StorageFileError
from bot.storage import files

_SCRIPTS: Final = Path(__file__).with_name("migrations")
_REVISION: Final = re.compile(r"r(\d+)_\w+\.py")

log = structlog.get_logger(__name__)


def upgrade(url: str) -> str:
    """Bring the database of `url` to the newest revision and return it.

    An empty or missing file is filled. One that has content and is behind is copied
    beside itself first, under a name that says before which revision.

    Raises:
        FileInUseError: If a bot is using the file.
        NotOurFileError: If the file is not a sound database of ours.
        NewerFileError: If a later version of the program has upgraded it.
    """
    path = files.database_path(url)
    with files.exclusive_lock(path):
        return upgrade_locked(path)


def upgrade_locked(path: Path, scripts: Path = _SCRIPTS) -> str:
    """Do what `upgrade` does; the caller holds the lock.

    Args:
        path: The database file.
        scripts: The folder of revisions.
    """
    files.undo_interrupted(path)
    current, head = None, max(_revisions(scripts))
    if files.has_content(path):
        current, head = revisions_of(path, scripts)
    if current == head:
        return head
    if current is not None:
        aside = path.with_name(f"{path.stem}.before-{head}{path.suffix}")
        files.copy_database(path, _unused(aside))
    log.info("upgrading the database", file=str(path), revision=current, to=head)
    _run(path, scripts, head)
    return head


def revisions_of(path: Path, scripts: Path = _SCRIPTS) -> tuple[str | None, str]:
    """Check a file with content; return its revision, None without tables, and the newest.

    Raises:
        NotOurFileError: If it is not a sound database of ours.
        NewerFileError: If a later version of the program has upgraded it.
    """
    known = _revisions(scripts)
    files.check_is_ours(path)
    current = _current_revision(path)
    if current is not None:
        _refuse_newer(path, current, known)
    return current, max(known)


def rehearse(copy: Path) -> int:
    """Restore a copy on trial, its upgrade included, and return how many matches it holds.

    Raises:
        HostError: If it could not be restored; the message says why.
    """
    revisions_of(copy)
    with TemporaryDirectory() as folder:
        path = Path(folder, "trial.sqlite3")
        files.copy_database(copy, path)
        upgrade_locked(path)
        with closing(files.connect_read_only(path)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM match").fetchone()
    return int(count)


def _revisions(scripts: Path) -> set[str]:
    """Return the revisions that there are scripts for, by the names of their files."""
    names = (_REVISION.fullmatch(file.name) for file in (scripts / "versions").iterdir())
    return {name[1] for name in names if name is not None}


def _current_revision(path: Path) -> str | None:
    """Return the revision of a database of ours; None if it has no tables yet."""
    with closing(files.connect_read_only(path)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def _refuse_newer(path: Path, current: str, known: set[str]) -> None:
    if current not in known:
        raise NewerFileError(
            path,
            f"a newer version of this program has upgraded this database to revision {current!r}; "
            f"this version knows {max(known)!r} at most. Update the program, or restore the copy "
            "that was made before that upgrade.",
        )


def _unused(path: Path) -> Path:
    """Return `path`, with a number added if there is such a file already."""
    number = 1
    candidate = path
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return candidate


def _run(path: Path, scripts: Path, revision: str) -> None:
    """Run alembic on the file, in one transaction from the first statement on.

    Raises:
        StorageFileError: If the disk does not take it; the file is as it was.
    """
    # Hardly any start has something to upgrade: the others are spared loading all this.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
    event.listen(engine, "connect", _leave_transactions_alone)
    event.listen(engine, "begin", _begin)
    try:
        with engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            connection.commit()
    except OperationalError as error:
        raise StorageFileError(
            path, f"the upgrade could not be stored ({error.orig}). The file is as it was."
        ) from error
    finally:
        engine.dispose()


def _leave_transactions_alone(connection: Any, _record: Any) -> None:
    # Python's driver would begin before INSERT but not before CREATE TABLE.
    connection.isolation_level = None
    # Rebuilding a table drops the old one, which its references would forbid.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
