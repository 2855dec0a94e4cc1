"""A disk that is full, broken or read-only for a while, and comes back.

The bot of `crash_writer.py` plays on a disk that fails when it is told to (`recording_disk.py`),
with the codes that SQLite makes of the system's errors. While it fails, every step is stored or
refused in words; once it works again, everybody plays on without a restart. Now and then the bot
is started on the failing disk: it starts, or says why it cannot.
"""

from __future__ import annotations

import asyncio
import copy
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.host_errors import HostError
from bot.model.errors import StorageFailedError
from bot.storage.checking import check_file
from tests.empty_database import put_empty_database
from tests.faults.crash_writer import run as run_bot
from tests.faults.kill import Acknowledged
from tests.faults.recording_disk import Fault, Op, Recorder, recorded
from tests.faults.report import Report

PATIENCE_S: Final = 60.0

_READ_ONLY, _FULL, _CANNOT_OPEN = 8, 13, 14
_WRITE_FAILED, _SYNC_FAILED, _TRUNCATE_FAILED, _DELETE_FAILED = (
    10 | detail << 8 for detail in (3, 4, 6, 10)
)


def full(op: Op) -> int | None:
    """Writes fail, after half of their data was written."""
    return _FULL if op.kind == "write" else None


def broken(op: Op) -> int | None:
    """Writing fails, and so does everything else that changes a file."""
    return {
        "write": _WRITE_FAILED,
        "sync": _SYNC_FAILED,
        "truncate": _TRUNCATE_FAILED,
        "delete": _DELETE_FAILED,
    }.get(op.kind)


def unsynced(op: Op) -> int | None:
    """What is written does not reach the disk."""
    return _SYNC_FAILED if op.kind == "sync" else None


def read_only(op: Op) -> int | None:
    """The file system was found broken and remounted read-only."""
    return {"open": _CANNOT_OPEN, "write": _READ_ONLY}.get(op.kind) or broken(op)


def worn(op: Op) -> int | None:
    """Only the log can still be written, not the database."""
    return broken(op) if op.file == "" else None


FAULTS: Final = (full, broken, unsynced, read_only, worn)


def flaky(rng: random.Random) -> Fault:
    """Return a disk on which one operation in five fails."""
    return lambda op: broken(op) if rng.random() < 0.2 else None


@dataclass
class Table:
    """Receives what the bot reports."""

    url: str
    acknowledged: Acknowledged = field(default_factory=Acknowledged)
    stored: int = 0
    refused: int = 0
    bot: asyncio.Task[None] | None = None
    _heard: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, *words: object) -> None:
        if words[0] == "refused":
            self.refused += 1
        else:
            self.stored += 1
            self.acknowledged.hear(" ".join(map(str, words)))
        self._heard.set()

    def start(self, seed: int) -> None:
        self.bot = asyncio.create_task(run_bot(self.url, seed, self.tell))

    async def stop(self) -> None:
        if self.bot is not None:
            self.bot.cancel()
            await asyncio.wait([self.bot])
            self.bot = None

    async def until_stored(self, stored: int, refused: int | None = None) -> str | None:
        """Wait until this many steps are stored or refused; return what went wrong instead."""
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while self.stored < stored and (refused is None or self.refused < refused):
            self._heard.clear()
            hearing = asyncio.create_task(self._heard.wait())
            waiting = {hearing} if self.bot is None else {hearing, self.bot}
            left = deadline - asyncio.get_running_loop().time()
            await asyncio.wait(waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            hearing.cancel()
            if self.bot is not None and self.bot.done():
                return f"The bot has ended: {self.bot.exception()!r}."
            if asyncio.get_running_loop().time() >= deadline:
                return f"Nobody was answered within {PATIENCE_S:.0f} s."
        return None


async def run(seed: int, times: int) -> Report:
    """Let the disk fail this many times."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "matches.sqlite3")
        put_empty_database(path)
        with recorded(path) as disk:
            return await _run(path, disk, random.Random(seed), times)


async def _run(path: Path, disk: Recorder, rng: random.Random, times: int) -> Report:
    table, found, starts = Table(f"sqlite+aiosqlite:///{path}"), [], Counter[str]()
    for number in range(times):
        fault = rng.choice((*FAULTS, flaky(rng)))
        told = None
        if number % 6 == 5:
            await table.stop()
            disk.fault = fault
            starts[await _try_to_start(table, number)] += 1
            disk.fault = lambda _: None
        if table.bot is None:
            table.start(number)
        for is_failing in (False, True, False):
            disk.fault = fault if is_failing else (lambda _: None)
            disk.ops.clear()
            stored = table.stored + rng.randrange(8, 60)
            refused = table.refused + rng.randrange(8, 60) if is_failing else None
            told = told or await table.until_stored(stored, refused)
        wrong = [told] if told else []
        heard = copy.deepcopy(table.acknowledged)  # more comes while the file is read
        wrong += await asyncio.to_thread(heard.lost_in, path)
        if number % 5 == 0:
            wrong += await asyncio.to_thread(check_file, path)
        name = getattr(fault, "__qualname__", "flaky").split(".")[0]
        found += [f"Fault {number + 1} ({name}): {each}" for each in wrong]
        if told:
            break
    await table.stop()
    found += [*table.acknowledged.lost_in(path), *check_file(path)]
    lost = sum("is lost" in each for each in found)
    return Report(
        what="a disk that is full, broken or read-only for a while",
        cases=number + 1,
        bar="0 acknowledged steps lost, 0 invariants broken, all played on unaided",
        measured=f"{lost} of {table.stored:,} steps lost, {table.refused:,} refused in words, "
        f"{len(found) - lost} broken; starts meanwhile: {starts['refused']} refused in words, "
        f"{starts['started']} not",
        found=tuple(found),
    )


async def _try_to_start(table: Table, number: int) -> str:
    """Start the bot on a failing disk; raise any error but one in plain words."""
    table.start(number)
    assert table.bot is not None
    done, _ = await asyncio.wait([table.bot], timeout=1.0)
    if not done:
        return "started"
    error = table.bot.exception()
    table.bot = None
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if not isinstance(error, HostError | StorageFailedError):
        raise error or AssertionError("the bot has ended without a word")
    return "refused"
