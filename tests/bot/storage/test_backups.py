"""Backups are restored as a trial and checked; the result is written down beside them."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.storage import upgrade
from bot.storage.backups import REPORT, STALE_AFTER, last_backup, make_backup

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def age(path: Path, days: float) -> Path:
    os.utime(path, (time.time() - days * 86_400,) * 2)
    return path


def test_a_backup_is_sound_and_old_ones_go(
    database_url: str, database_path: Path, folder: Path
) -> None:
    upgrade(database_url)
    now = datetime.now(UTC)
    folder.mkdir()
    left = folder / "trial-killed"
    left.mkdir()
    (left / "trial.sqlite3").touch()
    names = ("matches-2020-01-01-030000.sqlite3", "matches-yesterday.sqlite3", "mine.sqlite3")
    old, young, other = (folder / name for name in names)
    beside = [database_path.with_name(f"{database_path.stem}.before-0002.sqlite3")]
    beside.append(database_path.with_name(f"{database_path.name}.replaced-1"))
    for path, days in (
        (old, 31.0),
        (young, 20.0),
        (other, 99.0),
        *((each, 40.0) for each in beside),
    ):
        path.touch()
        age(path, days)

    made = make_backup(database_url, folder, now)

    assert (made.broken, made.games, made.problem(now)) == ((), 0, None)
    assert last_backup(folder) == made
    there = {each.name for each in folder.iterdir()}
    assert there == {Path(made.file).name, REPORT, young.name, other.name}
    assert not any(each.exists() for each in beside)
    assert (Path(made.file).stat().st_mode | (folder / REPORT).stat().st_mode) & 0o077 == 0


def test_what_contradicts_itself_is_no_sound_backup(
    database_url: str, database_path: Path, folder: Path
) -> None:
    upgrade(database_url)
    folder.mkdir()
    old = age_of_a_month(folder)
    change(
        database_path,
        "INSERT INTO match (variant_key, rules, status, ply, to_move, created_at, updated_at, "
        "revision) VALUES ('standard', 'standard', 'ongoing', 3, 0, 0, 0, 0)",
    )

    made = make_backup(database_url, folder, NOW)

    assert "The ply of match 1 differs from its number of moves." in made.broken
    assert (made.problem(NOW) or "").startswith(
        "The backup of 2026-11-22 03:00 UTC failed: The ply of match 1 "
    )
    assert last_backup(folder) == made
    assert old.exists(), "it may be the last that is sound"


def age_of_a_month(folder: Path) -> Path:
    path = folder / "matches-2020-01-01-030000.sqlite3"
    path.touch()
    return age(path, 31)


def test_a_copy_that_cannot_be_made_is_noted(database_url: str, folder: Path) -> None:
    made = make_backup(database_url, folder, NOW)

    assert "nothing here to copy" in made.broken[0]
    assert made.games is None
    assert last_backup(folder) == made


def test_without_a_new_one_the_last_is_too_old_at_some_time(
    database_url: str, folder: Path
) -> None:
    upgrade(database_url)
    made = make_backup(database_url, folder, NOW)

    assert made.problem(NOW + STALE_AFTER) is None
    told = made.problem(NOW + STALE_AFTER + DAY)
    assert told == "There is no backup since 2026-11-22 03:00 UTC: does the timer still run?"


@pytest.mark.parametrize("report", ["", "{", "[]", '{"at": "?", "broken": []}', '{"at": 5}'])
def test_a_report_that_cannot_be_read_is_none(folder: Path, report: str) -> None:
    assert last_backup(folder) is None
    folder.mkdir()
    (folder / REPORT).write_text(report)
    assert last_backup(folder) is None


def test_a_report_that_cannot_be_written_stops_nothing(
    database_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: an old report is the sign of it."""
    upgrade(database_url)

    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bot.storage.files.write_private", full)
    made = make_backup(database_url, folder, NOW)
    assert made.broken == ()
    assert last_backup(folder) is None
