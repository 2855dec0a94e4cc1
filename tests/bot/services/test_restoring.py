"""What a restored backup has lost leaves its numbers: its buttons act in nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot.model.errors import MatchNotFoundError
from bot.storage import backup, restore_backup
from bot.storage.restoring import LEFT_OUT
from tests.bot.services.conftest import Server


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
async def test_no_number_is_given_out_twice(server: Server, tmp_path: Path):
    await server.begin()
    backup(server.url, tmp_path / "copy.sqlite3")
    lost = [await server.begin() for _ in range(3)]
    lost_challenge = await server.offer()
    await server.stop()

    restore_backup(tmp_path / "copy.sqlite3", server.url)

    await server.start()
    with pytest.raises(MatchNotFoundError):
        await server.matches.load(lost[0].id)
    assert (await server.begin()).id == lost[-1].id + 1
    assert (await server.offer()).id == lost_challenge.id + 1


@pytest.mark.parametrize("is_there", [True, False], ids=["damaged", "gone"])
async def test_many_are_left_out_if_nobody_knows_how_many_were_given_out(
    server: Server, database_path: Path, tmp_path: Path, is_there: bool
):
    match = await server.begin()
    backup(server.url, tmp_path / "copy.sqlite3")
    await server.begin()
    await server.stop()
    remove(database_path, damaged=is_there)

    restore_backup(tmp_path / "copy.sqlite3", server.url)

    await server.start()
    assert (await server.begin()).id == match.id + LEFT_OUT + 1


def remove(path: Path, *, damaged: bool) -> None:
    shutil.rmtree(path.parent)
    if damaged:
        path.parent.mkdir()
        path.write_bytes(b"not a database" * 1000)
