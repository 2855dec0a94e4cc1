"""What the host does: answer requests in other ways, and restore backups."""

from __future__ import annotations

import asyncio
import io
import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot import __main__ as command_line
from bot.host_errors import DatabaseInUseError
from bot.services.privacy import erase_for, export_for
from bot.storage import backup, open_storage, restore_backup
from bot.storage.erasing import Outdated, Subject
from cogs.audience import told_names
from tests.bot.services.conftest import ANNA, BEN
from tests.bot.services.privacy.conftest import Life, columns_with, contents, person_columns

if TYPE_CHECKING:
    from bot.storage.restoring import Restored


async def restored(life: Life, copy: Path) -> Restored:
    """Stop the bot, restore a copy, and start the bot again."""
    await life.stop()
    done = restore_backup(copy, life.url)
    await life.start()
    return done


async def test_a_backup_does_not_bring_back_who_was_deleted_since(life: Life, tmp_path: Path):
    backup(life.url, tmp_path / "copy.sqlite3")
    ongoing = [match.id for match in await life.matches.ongoing_of(ANNA.id)]
    await life.privacy.erase(ANNA.id)

    done = await restored(life, tmp_path / "copy.sqlite3")

    assert done.erased == 1
    assert columns_with(await life.contents(), ANNA.id) == {("block", "other_id")}
    assert told_names(await life.matches.load(1)) == ("Deleted player", "Ben")
    for match_id in ongoing:
        match = await life.matches.load(match_id)
        assert match.is_over
        assert match.winner is not None
        assert match.names[match.winner] != "Deleted player"
    assert left_over(tmp_path) == []


def left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("restoring-*")]


async def test_messages_are_edited_too_that_only_the_backup_knows_of(life: Life, tmp_path: Path):
    """Nobody knows whether they were edited before the backup was restored."""
    await life.matches.place(1, channel_id=5, message_id=1001)
    backup(life.url, tmp_path / "copy.sqlite3")
    await life.privacy.erase(ANNA.id)
    await life.privacy.cross_out(Outdated(Subject.MATCH, 1))

    await restored(life, tmp_path / "copy.sqlite3")

    assert await life.privacy.list_outdated() == [Outdated(Subject.MATCH, 1)]


async def test_nor_does_a_second_one(life: Life, tmp_path: Path):
    """The record of deletions has to outlast the restore."""
    backup(life.url, tmp_path / "copy.sqlite3")
    await life.privacy.erase(ANNA.id)
    await restored(life, tmp_path / "copy.sqlite3")

    done = await restored(life, tmp_path / "copy.sqlite3")

    assert done.erased == 1
    assert columns_with(await life.contents(), ANNA.id) == {("block", "other_id")}


async def test_who_has_come_back_before_the_backup_stays(life: Life, tmp_path: Path):
    await life.privacy.erase(ANNA.id)
    match = await life.begin()
    backup(life.url, tmp_path / "copy.sqlite3")

    done = await restored(life, tmp_path / "copy.sqlite3")

    assert done.erased == 0
    assert [each.id for each in await life.matches.ongoing_of(ANNA.id)] == [match.id]


async def test_where_nobody_was_deleted_a_backup_is_put_back_as_it_is(life: Life, tmp_path: Path):
    before = await life.contents()
    backup(life.url, tmp_path / "copy.sqlite3")

    done = await restored(life, tmp_path / "copy.sqlite3")

    after = await life.contents()
    for changing in ("setting", "downtime"):  # the bot notes that it runs
        del before[changing], after[changing]
    assert done.erased == 0
    assert after == before


async def test_a_host_is_told_if_the_deletions_cannot_be_read(
    life: Life, database_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    backup(life.url, tmp_path / "copy.sqlite3")
    await life.stop()
    damage(database_path)
    monkeypatch.setenv("DATABASE_URL", life.url)
    monkeypatch.chdir(tmp_path)

    assert command_line.main(["restore", str(tmp_path / "copy.sqlite3")]) == 0

    told = capsys.readouterr()
    assert "is in place" in told.out
    assert "could not be read from what was there" in told.err


def damage(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)


async def test_a_host_exports_while_the_bot_runs(life: Life):
    found = json.loads(await export_for(life.url, ANNA.id))

    assert found["person"]["name"] == "Anna"
    assert len(found["matches"]) == 6


async def test_a_host_deletes_while_the_bot_is_stopped(life: Life):
    with pytest.raises(DatabaseInUseError, match="another bot is using this file"):
        await erase_for(life.url, ANNA.id)
    await life.stop()

    done = await erase_for(life.url, ANNA.id)

    async with open_storage(life.url) as database:
        found = await database.read(contents)
    assert len(done.matches) == 3
    assert columns_with(found, ANNA.id) == {("block", "other_id")}
    assert [row for row in found["rated_match"] if row[1] is None] != []


@pytest.mark.usefixtures("logging_as_it_was")
async def test_the_command_line_does_both(
    life: Life, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    await life.stop()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", life.url)

    async def bot(*arguments: str, say: str = "") -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(say))
        # In a thread, because a command runs a loop of its own.
        assert await asyncio.to_thread(command_line.main, ["privacy", *arguments]) == 0
        return capsys.readouterr().out

    written = await bot("export", str(ANNA.id), "--out", str(tmp_path / "anna.json"))
    shown = await bot("export", str(BEN.id))
    refused = await bot("delete", str(ANNA.id), say="no\n")
    kept = columns_of(life)
    deleted = await bot("delete", str(ANNA.id), say="yes\n")
    with pytest.raises(SystemExit) as wrong:
        await bot("delete", "Anna")

    assert "bytes" in written
    assert stat.S_IMODE((tmp_path / "anna.json").stat().st_mode) == 0o600
    assert json.loads((tmp_path / "anna.json").read_bytes())["person"]["name"] == "Anna"
    assert json.loads(shown)["person"]["name"] == "Ben"
    assert "Nothing was deleted" in refused
    assert kept == person_columns()
    assert "Games given up: 3" in deleted
    assert columns_of(life) == {("block", "other_id")}
    assert wrong.value.code == 2


def columns_of(life: Life) -> set[tuple[str, str]]:
    from sqlalchemy import create_engine

    path = life.url.removeprefix("sqlite+aiosqlite:///")
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(path))
    with closing(engine.connect()) as connection:
        found = contents(connection)
    engine.dispose()
    return columns_with(found, ANNA.id)
