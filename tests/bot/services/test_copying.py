"""Everything moves to another database and back, and a backup of either can be restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.host_errors import DatabaseInUseError, UnusableDatabaseError
from bot.services.privacy import PrivacyService
from bot.storage import backup, files, move, open_storage, restore_backup
from bot.storage.checking import check_file
from tests.bot.services import stored
from tests.bot.services.conftest import ANNA, BEN
from tests.bot.services.test_checking import Town
from tests.empty_database import ON_BOTH, put_empty_database

if TYPE_CHECKING:
    from pathlib import Path

    from tests.postgresql import Server


async def test_a_town_moves_to_postgresql_and_back(
    database_url: str, tmp_path: Path, postgresql_server: Server
) -> None:
    town = Town(database_url)
    await town.start()
    await town.live()
    with pytest.raises(DatabaseInUseError):
        move(database_url, postgresql_server.new_database())
    last = await town.begin()
    await town.stop()
    before = stored.read(database_url)
    there = postgresql_server.new_database()
    back = f"sqlite+aiosqlite:///{tmp_path}/back.sqlite3"

    assert move(database_url, there) == move(there, back) > 50

    assert stored.read(there) == before == stored.read(back)
    assert stored.check(there) == [] == check_file(files.database_path(back))
    with pytest.raises(UnusableDatabaseError, match="there is something in it"):
        move(there, back)
    for url in (there, back):
        moved = Town(url)
        await moved.start()
        assert (await moved.begin()).id == last.id + 1
        await moved.stop()


@ON_BOTH
async def test_numbers_of_games_that_are_gone_are_not_given_out_again(
    database_url: str, postgresql_server: Server
) -> None:
    """Buttons in old messages still carry them."""
    town = Town(database_url)
    await town.start()
    last = await town.begin()
    await town.database.write(lambda c: c.exec_driver_sql("DELETE FROM screen") and None)
    await town.database.write(lambda c: c.exec_driver_sql("DELETE FROM seat") and None)
    await town.database.write(lambda c: c.exec_driver_sql("DELETE FROM match") and None)
    await town.stop()
    there = postgresql_server.new_database()
    move(database_url, there)

    moved = Town(there)
    await moved.start()
    assert (await moved.begin()).id == last.id + 1
    await moved.stop()


async def test_nothing_is_moved_that_is_not_there(tmp_path: Path, database_url: str) -> None:
    with pytest.raises(UnusableDatabaseError, match="nothing here to move"):
        move(f"sqlite+aiosqlite:///{tmp_path}/none.sqlite3", database_url)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_backup_of_postgresql_is_restored_without_those_who_left(
    database_url: str, tmp_path: Path
) -> None:
    town, copy = Town(database_url), tmp_path / "copy.sqlite3"
    await town.start()
    await town.live()
    backup(database_url, copy)
    assert check_file(copy) == []
    await PrivacyService(town.matches).erase(BEN.id)
    await town.begin()
    await town.stop()

    done = restore_backup(copy, database_url)

    assert done.erased == 1
    assert done.aside is not None
    assert check_file(done.aside) == []
    people = stored.read(database_url)["player"]
    assert (ANNA.id,) in people
    assert (BEN.id,) not in people
    assert stored.check(database_url) == []
    async with open_storage(database_url):
        pass


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_backup_is_restored_into_a_new_server(database_url: str, tmp_path: Path) -> None:
    put_empty_database(made := f"sqlite+aiosqlite:///{tmp_path}/copy.sqlite3")

    done = restore_backup(files.database_path(made), database_url)

    assert (done.aside, done.erased) == (None, 0)
