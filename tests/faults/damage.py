"""Damaged databases, newer ones and unrelated files: how the bot starts on them.

Each case damages the files of a bot that was stopped or killed. Either the start refuses them in
words that say what helps, and leaves them as they are; or the bot starts, the checker looks at
them, and the bot plays on. What the start cannot notice, such as a changed cell in a move, the
checker has to find.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import zipfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bot.host_errors import HostError
from bot.model.match import FirstMove, Person
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.starting import start_against_computer
from bot.storage import open_storage
from bot.storage.checking import check_file
from tests.faults.crash_writer import step
from tests.faults.power_cut import record
from tests.faults.recording_disk import after_power_cut, contents_of
from tests.faults.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable

HELPFUL: Final = ("restore", "move it away", "update the program", "name another file", "the disk")
"""An error at the start contains one of these."""

PAGE: Final = 4096


def overwritten(path: Path, rng: random.Random) -> None:
    """Put random bytes at random places."""
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 10, 100))):
        at, length = rng.randrange(len(content)), rng.choice((1, 16, 512, PAGE))
        content[at : at + length] = rng.randbytes(min(length, len(content) - at))
    path.write_bytes(content)


def zeroed(path: Path, rng: random.Random) -> None:
    """Put zeros where a page was, as a disk that lost it does."""
    content = bytearray(path.read_bytes())
    at = rng.randrange(len(content) // PAGE) * PAGE
    content[at : at + PAGE] = bytes(PAGE)
    path.write_bytes(content)


def truncated(path: Path, rng: random.Random) -> None:
    """Cut the end off."""
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(1, len(content))])


def header(path: Path, rng: random.Random) -> None:
    """Change one byte of what SQLite reads first."""
    content = bytearray(path.read_bytes())
    content[rng.randrange(100)] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def log(path: Path, rng: random.Random) -> None:
    """Damage the log only."""
    beside = path.with_name(path.name + "-wal")
    rng.choice((overwritten, truncated))(beside, rng)


def lost_log(path: Path, _rng: random.Random) -> None:
    """Lose the log, as when only the database itself was copied."""
    path.with_name(path.name + "-wal").unlink()


def value(path: Path, rng: random.Random) -> None:
    """Change a value to another valid one: only a replay can tell."""
    changes = (
        "UPDATE move SET cell = (cell + 1) % 81 WHERE match_id = :one AND ply = 1",
        "DELETE FROM move WHERE match_id = :one AND ply = 1",
        "UPDATE match SET revision = revision + 1 WHERE id = :one",
        "UPDATE match SET rules = 'misere' WHERE id = :one",
    )
    with closing(sqlite3.connect(path)) as connection, connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM match WHERE ply > 2")]
        connection.execute(rng.choice(changes), {"one": rng.choice(ids)})


def newer(path: Path, rng: random.Random) -> None:
    """Make it look upgraded by a later version of the program."""
    with closing(sqlite3.connect(path)) as connection, connection:
        later = str(rng.randrange(2000, 9999))
        connection.execute("UPDATE alembic_version SET version_num = ?", (later,))


def something_else(path: Path, rng: random.Random) -> None:
    """Replace it with a file of another program."""
    path.unlink()
    match rng.randrange(4):
        case 0:
            path.write_text("Shopping list\n" * 50)
        case 1:
            path.write_bytes(rng.randbytes(10_000))
        case 2:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("photo.jpg", rng.randbytes(5_000))
        case _:
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("CREATE TABLE recipe (name TEXT)")


DAMAGES: Final[tuple[Callable[[Path, random.Random], None], ...]] = (
    *(overwritten, overwritten, zeroed, truncated, header),
    *(log, lost_log, value, newer, something_else),
)


WITH_LOG: Final = (log, lost_log)


async def run(seed: int, times: int) -> Report:
    """Damage this many databases."""
    rng = random.Random(seed)
    found, results = [], Counter[str]()
    with TemporaryDirectory() as folder:
        bases = await asyncio.to_thread(_sound, Path(folder, "sound.sqlite3"), seed)
        for number in range(times):
            damage = DAMAGES[number % len(DAMAGES)]
            path = Path(folder, f"{number}.sqlite3")
            for suffix, content in bases[damage in WITH_LOG].items():
                _put(path.with_name(path.name + suffix), content)
            damage(path, rng)
            try:
                results[await _start(path, rng)] += 1
            except Exception as error:
                found.append(f"Case {number + 1} ({damage.__name__}): {error!r}")
    return Report(
        what="damaged, newer and other files",
        cases=times,
        bar="told in words and left as they are, or played on",
        measured=f"{results['refused']} refused in words, {results['sound']} sound and played on, "
        f"{results['told']} told by the checker, {len(found)} otherwise",
        found=tuple(found),
    )


def _sound(path: Path, seed: int) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the files of a bot that was stopped, and those of one that was killed, with a log."""
    record(path, seed)
    stopped = contents_of(path)
    recording = record(path, seed + 1)
    moment, _ = recording.told[-1]
    return stopped, after_power_cut(stopped, recording.ops[:moment], random.Random(seed))


def _put(path: Path, content: bytes) -> None:
    path.write_bytes(content)


async def _start(path: Path, rng: random.Random) -> str:
    """Start the bot on a file and return the outcome; anything that is wrong is raised."""

    def contents() -> dict[str, bytes]:
        # Reading the database creates an empty log.
        return {suffix: content for suffix, content in contents_of(path).items() if content}

    before = contents()
    try:
        found = await _play(path, rng)
    except HostError as error:
        if not any(each in str(error).lower() for each in HELPFUL):
            raise AssertionError(f"that helps nobody: {error}") from error
        if contents() != before:
            raise AssertionError(f"the file was changed: {error}") from error
        return "refused"
    return "told" if found else "sound"


async def _play(path: Path, rng: random.Random) -> list[str]:
    """Start the bot, and return what the checker finds; if that is nothing, play on."""
    async with (
        open_storage(f"sqlite+aiosqlite:///{path}") as database,
        ComputerPlayers(threads=1, seconds=0.005) as computer,
        MatchService(database, computer) as matches,
    ):
        if found := await asyncio.to_thread(check_file, path):
            # Damage to one game must not affect others.
            await matches.awaiting_computer()
            match = await start_against_computer(
                matches, person=Person(id=1, name="New"), level=1, first=FirstMove.YOU
            )
            await step(matches, match, Person(id=1, name="New"), rng)
            return found
        for number in range(8):
            person = Person(id=1000 + number, name=f"Person {number}")
            for match in await matches.ongoing_of(person.id):
                await step(matches, match, person, rng)
            await start_against_computer(matches, person=person, level=1)
    return await asyncio.to_thread(check_file, path)
