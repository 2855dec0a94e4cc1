"""Power cuts at random moments: only what was synced is sure to survive.

Under the bot of `crash_writer.py`, the real storage runs on a disk that records the order of writes
and syncs (`recording_disk.py`). For random moments of that run, a state is built that a power cut
may have left: of what was not synced, each sector of 512 bytes is there or not, at random. The real
storage opens it; the file is checked, and compared with what had been acknowledged at that moment.
Two of three recordings go on from a state of the one before.
"""

from __future__ import annotations

import asyncio
import copy
import random
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import bot.storage.database
from bot.host_errors import HostError
from bot.storage import open_storage
from bot.storage.checking import check_file
from tests.faults.crash_writer import run as run_bot
from tests.faults.kill import Acknowledged
from tests.faults.recording_disk import after_power_cut, contents_of, recorded
from tests.faults.report import Report

if TYPE_CHECKING:
    from tests.faults.recording_disk import Op

CUTS: Final = 20
"""How often the power is cut in one recording."""

STEPS: Final = 400
"""How many steps are acknowledged in one."""

OFTEN: Final = "PRAGMA wal_autocheckpoint = 50"
"""In pages: the log is written back and restarted several times in one, not after thousands."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A run of the bot: the files before it, the operations on them, and what was told when."""

    before: dict[str, bytes]
    ops: list[Op]
    told: list[tuple[int, str]]


def record(path: Path, seed: int) -> Recording:
    """Let the bot play for a while, stop it, and return what it did with its database."""
    before, told = contents_of(path), []

    async def play() -> None:
        done = asyncio.Event()

        def tell(*words: object) -> None:
            told.append((len(disk.ops), " ".join(map(str, words))))
            if len(told) >= STEPS:
                done.set()

        playing = asyncio.create_task(run_bot(f"sqlite+aiosqlite:///{path}", seed, tell))
        enough = asyncio.create_task(done.wait())
        await asyncio.wait({playing, enough}, return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            playing.result()
        playing.cancel()
        await asyncio.wait([playing])

    pragmas = (*bot.storage.database._WRITER_PRAGMAS, OFTEN)
    with recorded(path) as disk, patch.object(bot.storage.database, "_WRITER_PRAGMAS", pragmas):
        asyncio.run(play())
    return Recording(before, disk.ops, told)


def cut(recording: Recording, moment: int, base: Acknowledged, path: Path, seed: int) -> Outcome:
    """Cut the power after `moment` operations, start again, and check what is there."""
    for suffix, content in after_power_cut(
        recording.before, recording.ops[:moment], random.Random(seed)
    ).items():
        path.with_name(path.name + suffix).write_bytes(content)
    acknowledged = copy.deepcopy(base)
    for when, line in recording.told:
        if when <= moment:
            acknowledged.hear(line)

    async def start() -> None:
        async with open_storage(f"sqlite+aiosqlite:///{path}"):
            pass

    try:
        asyncio.run(start())
    except HostError as error:
        return Outcome(acknowledged, [f"The bot does not start: {error}"])
    return Outcome(acknowledged, [*acknowledged.lost_in(path), *check_file(path)])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What had been acknowledged when the power was cut, and what is wrong since."""

    acknowledged: Acknowledged
    found: list[str]


async def run(seed: int, times: int) -> Report:
    """Cut the power this many times."""
    return await asyncio.to_thread(_run, seed, times)


def _run(seed: int, times: int) -> Report:
    rng = random.Random(seed)
    acknowledged, found = Acknowledged(), []
    moments = told = 0
    with TemporaryDirectory() as folder:
        for number in range(times):
            if number % (3 * CUTS) == 0:
                # With no file: the first start is an upgrade, which writes without a log.
                path, acknowledged = Path(folder, f"new-{number}.sqlite3"), Acknowledged()
            if number % CUTS == 0:
                recording, base = record(path, 1000 * seed + number), acknowledged
                moments, told = moments + len(recording.ops), told + len(recording.told)
            path = Path(folder, f"{number + 1}.sqlite3")
            # Each at its own moment, also during the start and the end.
            moment = rng.randrange(len(recording.ops) + 1)
            outcome = cut(recording, moment, base, path, rng.randrange(2**32))
            acknowledged = outcome.acknowledged
            found += [f"Cut {number + 1}, after operation {moment}: {e}" for e in outcome.found]
    lost = sum("is lost" in each for each in found)
    return Report(
        what="power cut: only what was synced survives, the rest by sectors",
        cases=times,
        bar="0 acknowledged steps lost, 0 invariants broken",
        measured=f"{lost} lost, {len(found) - lost} broken, of {told:,} steps in {moments:,} "
        "operations of the disk",
        found=tuple(found),
    )
