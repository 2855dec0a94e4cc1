"""Upgrades the file to the current tables, with a copy put aside first."""

from __future__ import annotations

import re
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import Any, Final

import structlog
from sqlalchemy import URL, Connection, NullPool, create_engine, event
from sqlalchemy.exc import OperationalError

from bot.host_errors import NewerDatabaseError, UnusableDatabaseError
from bot.storage import files

_SCRIPTS: Final = Path(__file__).with_name("migrations")
_REVISION: Final = re.compile(r"r(\d+)_\w+\.py")

log = structlog.get_logger(__name__)


def upgrade_locked(path: Path, scripts: Path = _SCRIPTS) -> str:
    """Do what `upgrade` does, with a folder of revisions; the caller holds the lock."""
    files.undo_interrupted(path)
    current, head = None, max(revisions(scripts))
    if files.has_content(path):
        current, head = revisions_of(path, scripts)
    if current == head:
        return head
    if current is not None:
        before = f"{path.stem}.before-{head}"
        names = chain([before], (f"{before}-{number}" for number in count(2)))
        files.copy_database(path, files.first_unused(path, (name + path.suffix for name in names)))
    log.info("upgrading the database", file=str(path), revision=current, to=head)
    _run(path, scripts, head)
    return head


def revisions_of(path: Path, scripts: Path = _SCRIPTS) -> tuple[str | None, str]:
    """Check a file with content; return its revision (None without tables) and the newest one.

    Raises:
        NotOurDatabaseError: If it is not a sound database of ours.
        NewerDatabaseError: If a later version of the program has upgraded it.
    """
    known = revisions(scripts)
    files.check_is_ours(path)
    with closing(files.connect_read_only(path)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return None, max(known)
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if row is None:
        return None, max(known)
    refuse_newer(path, str(row[0]), known)
    return str(row[0]), max(known)


def revisions(scripts: Path = _SCRIPTS) -> set[str]:
    """Return the revisions that have a script; an open database is at the highest one."""
    names = (_REVISION.fullmatch(file.name) for file in (scripts / "versions").iterdir())
    return {name[1] for name in names if name is not None}


def refuse_newer(database: Path | str, current: str, known: set[str]) -> None:
    """Check that a database is at one of the revisions that are known.

    Raises:
        NewerDatabaseError: If a later version of the program has upgraded it.
    """
    if current not in known:
        raise NewerDatabaseError(
            database,
            f"a newer version of this program has upgraded this database to revision {current!r}; "
            f"this version knows {max(known)!r} at most. Update the program, or restore the copy "
            "that was made before that upgrade.",
        )


def _run(path: Path, scripts: Path, revision: str) -> None:
    """Run alembic on the file, in one transaction from the first statement on.

    Raises:
        UnusableDatabaseError: If it could not be stored; the file is as it was.
    """
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
    event.listen(engine, "connect", _leave_transactions_alone)
    event.listen(engine, "begin", _begin)
    try:
        with engine.begin() as connection:
            run_revisions(connection, revision, scripts)
    except OperationalError as error:
        raise UnusableDatabaseError(
            path, f"the upgrade could not be stored ({error.orig}). The file is as it was."
        ) from error


def run_revisions(connection: Connection, revision: str, scripts: Path = _SCRIPTS) -> None:
    """Run alembic in the transaction of a connection."""
    # Hardly any start has something to upgrade: the others need not load all this.
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    command.upgrade(config, revision)


def _leave_transactions_alone(connection: Any, _record: Any) -> None:
    # Python's driver would begin before INSERT but not before CREATE TABLE.
    connection.isolation_level = None
    # Rebuilding a table drops the old one, which references to it would forbid.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
