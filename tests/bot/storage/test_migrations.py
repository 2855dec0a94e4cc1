from __future__ import annotations

import importlib
import os
import pkgutil
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

import bot.storage
from bot.host_errors import (
    DatabaseInUseError,
    NewerDatabaseError,
    NotOurDatabaseError,
    UnusableDatabaseError,
)
from bot.model.actions import AcceptTakeback, AskTakeback, Swap
from bot.model.challenges import Offer
from bot.model.match import Person
from bot.services.challenges import ChallengeService
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.storage import migrate, open_storage, upgrade
from bot.storage.files import exclusive_lock
from bot.storage.schema import metadata
from cogs.audience import told_names

for module in pkgutil.iter_modules(bot.storage.__path__, "bot.storage."):
    importlib.import_module(module.name)  # whichever of them adds tables to the schema

SCRIPTS = Path(migrate.__file__).with_name("migrations")
HEAD = "0019"

NEXT_REVISION = """
    from alembic import op
    import sqlalchemy as sa

    revision = "9001"
    down_revision = "{newest}"

    def upgrade():
        op.add_column("player", sa.Column("colour", sa.Text))
        {then}
"""


def tables_of(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {name: re.sub(r"\s+", " ", sql).strip() for name, sql in found}


def revision_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return str(revision)


def fill(path: Path) -> None:
    """Put rows into every table of the first revision, as the program of that time might have."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO player VALUES (1, 'Anna', 0, 0)")
        connection.execute(
            "INSERT INTO match (id, variant_key, rules, status, ply, to_move, created_at,"
            " updated_at) VALUES (5, 'standard', 'standard', 'ongoing', 1, 1, 0, 0)"
        )
        connection.execute("INSERT INTO seat VALUES (5, 0, 1, NULL), (5, 1, NULL, 3)")
        connection.execute("INSERT INTO move VALUES (5, 0, 40, 0)")
        connection.execute("INSERT INTO setting VALUES ('commands', 'abc', 0)")


def contents_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of the tables that the first revision made, with its columns."""
    columns = dict.fromkeys(("player", "seat", "move", "setting", "sqlite_sequence"), "*")
    columns["match"] = (
        "id, variant_key, rules, opening_code, status, ply, to_move, winner, end_reason,"
        " previous_id, guild_id, channel_id, message_id, created_at, updated_at, ended_at"
    )
    with closing(sqlite3.connect(path)) as connection:
        return {
            table: connection.execute(f"SELECT {wanted} FROM {table}").fetchall()
            for table, wanted in columns.items()
        }


def only_revisions(folder: Path, *names: str) -> Path:
    """Return a folder of revisions as it was when there were only these."""
    scripts = folder / "old revisions"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("r*.py", "__pycache__"))
    for name in names:
        shutil.copy(SCRIPTS / "versions" / name, scripts / "versions" / name)
    return scripts


def with_next_revision(folder: Path, newest: str, then: str) -> Path:
    """Return a folder of revisions that has one more than today's."""
    scripts = folder / "revisions"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    text = textwrap.dedent(NEXT_REVISION.format(newest=newest, then=then))
    (scripts / "versions" / "r9001_colour.py").write_text(text)
    return scripts


def test_a_missing_file_is_made_with_its_folder(database_url: str, database_path: Path) -> None:
    head = upgrade(database_url)

    assert revision_of(database_path) == head
    assert head == HEAD
    assert {table.name for table in metadata.tables.values()} <= set(tables_of(database_path))


def test_an_empty_file_is_filled(database_url: str, database_path: Path) -> None:
    database_path.parent.mkdir()
    database_path.touch()

    assert upgrade(database_url) == revision_of(database_path)


def test_a_database_without_tables_is_filled(database_url: str, database_path: Path) -> None:
    database_path.parent.mkdir()
    with closing(sqlite3.connect(database_path)) as connection:
        connection.execute("PRAGMA user_version = 1")

    assert upgrade(database_url) == revision_of(database_path)


def test_migrations_make_the_tables_of_the_schema(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """Down to STRICT, WITHOUT ROWID and every constraint, which autogenerate does not see."""
    upgrade(database_url)
    fresh = tmp_path / "fresh.sqlite3"
    engine = create_engine(f"sqlite:///{fresh}")
    metadata.create_all(engine)
    engine.dispose()

    migrated = tables_of(database_path)
    del migrated["alembic_version"]

    assert migrated == tables_of(fresh)


def test_autogenerate_finds_nothing_to_do(database_url: str, database_path: Path) -> None:
    upgrade(database_url)

    engine = create_engine(f"sqlite:///{database_path}")
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    engine.dispose()

    assert differences == []


def test_moves_are_strict_and_without_rowid(database_url: str, database_path: Path) -> None:
    upgrade(database_url)

    tables = tables_of(database_path)

    assert tables["move"].endswith("WITHOUT ROWID, STRICT")
    assert all("STRICT" in tables[table.name] for table in metadata.tables.values())
    assert "AUTOINCREMENT" in tables["match"]


def test_upgrading_again_changes_nothing(database_url: str, database_path: Path) -> None:
    upgrade(database_url)
    fill(database_path)
    before = database_path.read_bytes()

    upgrade(database_url)

    assert database_path.read_bytes() == before
    assert list(database_path.parent.glob("*.before-*")) == []


def test_a_filled_file_is_copied_before_it_is_upgraded(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    old = upgrade(database_url)
    fill(database_path)
    scripts = with_next_revision(tmp_path, old, "pass")

    assert migrate.upgrade_locked(database_path, scripts) == "9001"

    assert revision_of(database_path) == "9001"
    assert "colour" in tables_of(database_path)["player"]
    copy = database_path.with_name("matches.before-9001.sqlite3")
    assert revision_of(copy) == old
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT cell FROM move").fetchall() == [(40,)]


async def test_a_filled_file_of_the_first_revision_is_played_on(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """Its matches had no events, and may have some now."""
    database_path.parent.mkdir()
    migrate.upgrade_locked(database_path, only_revisions(tmp_path, "r0001_matches.py"))
    assert revision_of(database_path) == "0001"
    fill(database_path)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute(
            "INSERT INTO match (id, variant_key, rules, status, ply, to_move, created_at,"
            " updated_at) VALUES (6, 'pie', 'pie', 'ongoing', 1, 1, 0, 0)"
        )
        connection.execute("INSERT INTO seat VALUES (6, 0, NULL, 3), (6, 1, 1, NULL)")
        connection.execute("INSERT INTO move VALUES (6, 0, 40, 0)")
    before = contents_of(database_path)

    upgrade(database_url)

    assert contents_of(database_path) == before
    assert revision_of(database_path.with_name(f"matches.before-{HEAD}.sqlite3")) == "0001"
    async with (
        open_storage(database_url) as database,
        ComputerPlayers(threads=1, seconds=0.1) as computer,
        MatchService(database, computer) as matches,
    ):
        assert (await matches.load(5)).moves == (40,)
        assert (await matches.reply(5)).ply == 2
        assert not (await matches.load(5)).rated
        swapped = await matches.perform(6, Swap(), user_id=1, ply=1)
        assert told_names(swapped) == ("Anna", "Computer, level 3")
        assert (await matches.reply(6)).revision == 3


def test_the_revision_of_each_match_is_counted(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """A database from before the column: moves, events, and moves that were taken back."""
    database_path.parent.mkdir()
    scripts = only_revisions(
        tmp_path, *(path.name for path in (SCRIPTS / "versions").glob("r000[1-7]_*.py"))
    )
    migrate.upgrade_locked(database_path, scripts)
    fill(database_path)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.executemany(
            "INSERT INTO match (id, variant_key, rules, status, ply, to_move, created_at,"
            " updated_at) VALUES (?, 'pie', 'pie', 'ongoing', ?, 0, 0, 0)",
            [(6, 0), (7, 2), (8, 1)],
        )
        connection.executemany("INSERT INTO move VALUES (?, ?, 40, 0)", [(7, 0), (7, 1), (8, 0)])
        connection.executemany(
            "INSERT INTO event (match_id, number, ply, kind, side, happened_at, cells)"
            " VALUES (?, ?, ?, ?, 0, 0, ?)",
            [
                (7, 1, 1, "swap", None),
                # Three moves and an offer, then back to the first move, and one more since.
                (8, 3, 3, "takeback-asked", None),
                (8, 4, 0, "taken-back", "40 41 42"),
            ],
        )

    upgrade(database_url)

    with closing(sqlite3.connect(database_path)) as connection:
        found = dict(connection.execute("SELECT id, revision FROM match"))
    assert found == {5: 1, 6: 0, 7: 3, 8: 6}


async def test_a_filled_file_of_the_second_revision_gains_clocks_and_challenges(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """A match that was under way goes on, unrated and without a clock, its swap included."""
    database_path.parent.mkdir()
    scripts = only_revisions(tmp_path, "r0001_matches.py", "r0002_events.py")
    migrate.upgrade_locked(database_path, scripts)
    assert revision_of(database_path) == "0002"
    fill(database_path)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("INSERT INTO player VALUES (2, 'Ben', 0, 0)")
        connection.execute(
            "INSERT INTO match (id, variant_key, rules, status, ply, to_move, created_at,"
            " updated_at) VALUES (6, 'pie', 'pie', 'ongoing', 1, 1, 0, 0)"
        )
        connection.execute("INSERT INTO seat VALUES (6, 0, 2, NULL), (6, 1, 1, NULL)")
        connection.execute("INSERT INTO move VALUES (6, 0, 40, 0)")
        connection.execute("INSERT INTO event VALUES (6, 1, 1, 'swap', 1, 0)")
    before = contents_of(database_path)

    upgrade(database_url)

    assert contents_of(database_path) == before
    async with (
        open_storage(database_url) as database,
        ComputerPlayers(threads=1, seconds=0.1) as computer,
        MatchService(database, computer) as matches,
    ):
        match = await matches.load(6)
        assert (told_names(match), match.swapped, match.revision) == (("Ben", "Anna"), True, 2)
        assert (match.rated, match.clock.key, match.deadline) == (False, "none", None)
        await matches.perform(6, AskTakeback(), user_id=2)
        back = await matches.perform(6, AcceptTakeback(), user_id=1)
        assert (told_names(back), back.swapped) == (("Anna", "Ben"), False)
        challenges = ChallengeService(matches)
        offered = await challenges.offer(
            Offer(challenger=Person(id=1, name="Anna"), opponent=Person(id=2, name="Ben"))
        )
        assert (await challenges.accept(offered.id, person=Person(id=2, name="Ben"))).ply == 0


def test_counted_moves_gain_the_server_of_their_match(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    database_path.parent.mkdir()
    before = [p.name for p in (SCRIPTS / "versions").glob("r*.py") if p.name < "r0018"]
    migrate.upgrade_locked(database_path, only_revisions(tmp_path, *before))
    fill(database_path)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute(
            "INSERT INTO match (id, variant_key, rules, status, ply, winner, end_reason, guild_id,"
            " created_at, updated_at, ended_at)"
            " VALUES (6, 'pie', 'pie', 'finished', 9, 0, 'resignation', 300, 0, 0, 0)"
        )
        connection.execute("INSERT INTO opening_move VALUES (1, 5, 40, 1, NULL), (1, 6, 40, 0, 0)")

    upgrade(database_url)

    with closing(sqlite3.connect(database_path)) as connection:
        found = dict(connection.execute("SELECT match_id, guild_id FROM opening_move"))
    assert found == {5: None, 6: 300}


def test_an_older_copy_is_never_overwritten(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    old = upgrade(database_url)
    fill(database_path)
    first = database_path.with_name("matches.before-9001.sqlite3")
    first.write_text("precious")

    migrate.upgrade_locked(database_path, with_next_revision(tmp_path, old, "pass"))

    assert first.read_text() == "precious"
    assert revision_of(database_path.with_name("matches.before-9001-2.sqlite3")) == old


def test_an_upgrade_that_breaks_leaves_the_old_file(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    old = upgrade(database_url)
    fill(database_path)
    before = tables_of(database_path)
    scripts = with_next_revision(tmp_path, old, "raise RuntimeError('half way')")

    with pytest.raises(RuntimeError, match="half way"):
        migrate.upgrade_locked(database_path, scripts)

    assert tables_of(database_path) == before
    assert revision_of(database_path) == old
    upgrade(database_url)


def test_an_upgrade_that_the_disk_does_not_take_is_told_in_words(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    old = upgrade(database_url)
    then = "op.execute('PRAGMA max_page_count = 1'); op.execute('CREATE TABLE more (x)')"
    scripts = with_next_revision(tmp_path, old, then)

    with pytest.raises(UnusableDatabaseError, match=r"could not be stored .*full.*as it was"):
        migrate.upgrade_locked(database_path, scripts)

    assert revision_of(database_path) == old


def test_an_upgrade_that_is_killed_leaves_the_old_file(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """In the middle of the statements, in another process, with kill -9."""
    old = upgrade(database_url)
    fill(database_path)
    before = tables_of(database_path)
    kill = "import os; os.kill(os.getpid(), 9)"
    scripts = with_next_revision(tmp_path, old, kill)
    program = (
        "import sys; from pathlib import Path; from bot.storage import migrate;"
        "migrate.upgrade_locked(Path(sys.argv[1]), Path(sys.argv[2]))"
    )

    ended = subprocess.run(
        [sys.executable, "-c", program, str(database_path), str(scripts)],
        check=False,
        capture_output=True,
    )

    assert ended.returncode == -signal.SIGKILL
    assert tables_of(database_path) == before
    assert revision_of(database_path) == old


def test_a_newer_file_is_refused(database_url: str, database_path: Path) -> None:
    old = upgrade(database_url)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '2099'")
    before = database_path.read_bytes()

    with pytest.raises(NewerDatabaseError, match=rf"'2099'.*'{old}' at most\. Update the program"):
        upgrade(database_url)

    assert database_path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"My shopping list: eggs, milk", "not a database of SQLite"),
        (b"x", "not a database of SQLite"),
        (b"SQLite format 3\x00" + b"\xff" * 4096, "damaged"),
        (b"SQLite format 3\x00", "damaged"),
    ],
    ids=["text", "one byte", "a header and rubbish", "a header only"],
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(
    database_url: str, database_path: Path, content: bytes, sentence: str
) -> None:
    database_path.parent.mkdir()
    database_path.write_bytes(content)

    with pytest.raises(NotOurDatabaseError, match=sentence):
        upgrade(database_url)

    assert database_path.read_bytes() == content


def test_a_damaged_word_of_the_tables_is_told(database_url: str, database_path: Path) -> None:
    """SQLite's message about it is not valid text then."""
    upgrade(database_url)
    content = database_path.read_bytes()
    database_path.write_bytes(content.replace(b"CONSTRAINT", b"CONSTRAIN\xb1", 1))

    with pytest.raises(NotOurDatabaseError, match=r"damaged .* Restore the newest backup"):
        upgrade(database_url)


def forbid_writing(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[18] |= 64  # the format version for writers
    path.write_bytes(content)


async def test_a_damaged_byte_that_forbids_writing_is_told_in_one_line(
    database_url: str, database_path: Path
) -> None:
    upgrade(database_url)
    forbid_writing(database_path)

    with pytest.raises(
        UnusableDatabaseError,
        match=r"^[^\n]*written here \(attempt to write a readonly database\)\. Is the disk[^\n]*$",
    ):
        async with open_storage(database_url):
            pass


def test_a_damaged_page_is_noticed(database_url: str, database_path: Path) -> None:
    upgrade(database_url)
    fill(database_path)
    content = bytearray(database_path.read_bytes())
    content[4096 * 2 : 4096 * 3] = b"\xa5" * 4096
    database_path.write_bytes(content)

    with pytest.raises(NotOurDatabaseError, match=r"damaged .* Restore the newest backup"):
        upgrade(database_url)


def test_another_programs_database_is_refused(database_url: str, database_path: Path) -> None:
    database_path.parent.mkdir()
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")

    with pytest.raises(NotOurDatabaseError, match=r"another program .*'recipe'"):
        upgrade(database_url)

    assert set(tables_of(database_path)) == {"recipe"}


def test_a_file_in_use_is_not_upgraded(database_url: str, database_path: Path) -> None:
    with (
        exclusive_lock(database_path),
        pytest.raises(DatabaseInUseError, match=rf"process {os.getpid()}\b.*DATABASE_URL"),
    ):
        upgrade(database_url)
