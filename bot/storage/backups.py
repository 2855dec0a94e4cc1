"""Copies of the database in one folder: made, restored on trial, checked, and kept for a month.

The result of the newest attempt is beside them in `REPORT`, for the bot and for `doctor`.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import structlog

from bot.host_errors import HostError
from bot.storage import files, postgresql
from bot.storage.checking import check_file
from bot.storage.copying import backup
from bot.storage.migrate import revisions_of, upgrade_locked

REPORT: Final = "last-backup.json"

KEPT_FOR: Final = timedelta(days=29)
"""PRIVACY.md promises that no copy outlasts 30 days."""

STALE_AFTER: Final = timedelta(hours=36)
"""A backup is made every day; if the newest is older than this, one is missing."""

_COPIES: Final = "matches-*.sqlite3"
_ASIDE: Final = ("*.before-*.sqlite3", "*.replaced-*")
_TRIAL: Final = "trial-"
_MOST_TOLD: Final = 20

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """The result of making a copy and restoring it on trial.

    Attributes:
        at: When.
        file: The path of the copy, even if it could not be made.
        games: How many games it holds; None if unknown.
        broken: What is wrong with it, as sentences.
    """

    at: datetime
    file: str
    games: int | None
    broken: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first thing that is wrong, and how many more there are."""
        more = f" (and {len(self.broken) - 1} more)" if len(self.broken) > 1 else ""
        return "".join([*self.broken[:1], more])

    def problem(self, now: datetime) -> str | None:
        """Return what is wrong, as a sentence for the host; None if nothing is."""
        if self.broken:
            return f"The backup of {self.at:%Y-%m-%d %H:%M} UTC failed: {self.summary}"
        if now - self.at > STALE_AFTER:
            return (
                f"There is no backup since {self.at:%Y-%m-%d %H:%M} UTC: does the timer still run?"
            )
        return None


def make_backup(url: str, folder: Path, now: datetime) -> Backup:
    """Copy the database of `url` into a folder, check the copy, and remove old ones.

    The bot may be running. Old copies stay if the new one is not sound.
    """
    target = folder / f"matches-{now:%Y-%m-%d-%H%M%S}.sqlite3"
    try:
        backup(url, target)
        # Beside the copies there is room for one more; the temporary folder may be in memory.
        made = check_backup(target, now, within=folder)
    except HostError as error:
        made = Backup(at=now, file=str(target), games=None, broken=(str(error),))
    if made.broken:
        log.error("backup failed", file=made.file, broken=made.broken[:_MOST_TOLD])
    else:
        log.info("backup checked", file=made.file, games=made.games)
        _remove_old(folder, url, now)
    _note(folder, made)
    return made


def check_backup(copy: Path, now: datetime, within: Path | None = None) -> Backup:
    """Restore a copy on trial, its upgrade included, and look for what is broken in it.

    The trial takes place in a folder `within`; None for that of temporary files.

    Raises:
        HostError: If it could not be restored; the message says why.
    """
    revisions_of(copy)
    with TemporaryDirectory(prefix=_TRIAL, dir=within) as folder:
        path = Path(folder, "trial.sqlite3")
        files.copy_database(copy, path)
        upgrade_locked(path)
        broken = tuple(check_file(path))
        with closing(files.connect_read_only(path)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM match").fetchone()
    return Backup(at=now, file=str(copy), games=int(count), broken=broken)


def last_backup(folder: Path) -> Backup | None:
    """Return the result of the newest attempt; None if there was none or it is unreadable."""
    try:
        given = json.loads((folder / REPORT).read_text(encoding="utf-8"))
        at, broken = datetime.fromisoformat(given["at"]), tuple(map(str, given["broken"]))
        return Backup(at=at, file=str(given["file"]), games=given["games"], broken=broken)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError) as error:
        log.warning("the report of the last backup cannot be read", reason=str(error))
        return None


def _note(folder: Path, made: Backup) -> None:
    """Write the report; on a full disk, the age of the old one reveals the failure."""
    rows = {**asdict(made), "at": made.at.isoformat(), "broken": made.broken[:_MOST_TOLD]}
    path = folder / REPORT
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = files.companion(path, ".partial")
        files.write_private(partial, json.dumps(rows).encode())
        os.replace(partial, path)
    except OSError as error:
        log.error("the report of a backup was not written", file=str(path), reason=str(error))


def _remove_old(folder: Path, url: str, now: datetime) -> None:
    """Remove copies past their time, including those left by upgrades and restores."""
    for left in folder.glob(f"{_TRIAL}*"):  # of a trial that was killed
        shutil.rmtree(left, ignore_errors=True)
    beside = folder if postgresql.is_meant_by(url) else files.database_path(url).parent
    asides = (each for pattern in _ASIDE for each in beside.glob(pattern))
    for each in (*folder.glob(_COPIES), *asides):
        with suppress(OSError):
            if now - datetime.fromtimestamp(each.stat().st_mtime, UTC) > KEPT_FOR:
                each.unlink()
                log.info("old copy removed", file=str(each))
