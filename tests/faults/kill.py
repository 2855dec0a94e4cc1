"""Kill -9 at random moments: nothing that was acknowledged may be missing afterwards.

A bot in a process of its own (`crash_writer.py`) plays eight people's games as fast as it can and
reports each step as stored. After every tenth kill the file is checked and compared with what was
reported; the next bot goes on with the same file.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import sys
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bot.storage.checking import check_file
from tests.faults.report import Report

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SCRIPT = Path(__file__).with_name("crash_writer.py")
ROOT = Path(__file__).parents[2]


@dataclass
class Acknowledged:
    """What bots reported before they were killed."""

    moves: dict[tuple[int, int], int] = field(default_factory=dict)
    finished: set[int] = field(default_factory=set)
    swapped_to: dict[int, int] = field(default_factory=dict)

    def hear(self, line: str) -> None:
        match_id, ply, move, status, swapped_to = line.split()[1:]
        self.moves[int(match_id), int(ply)] = int(move)
        if status == "finished":
            self.finished.add(int(match_id))
        if swapped_to != "-":
            self.swapped_to[int(match_id)] = int(swapped_to)

    def lost_in(self, path: Path) -> list[str]:
        """Return what is missing from a file."""
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            moves = {(row[0], row[1]): row[2] for row in connection.execute("SELECT * FROM move")}
            matches = dict(connection.execute("SELECT id, status FROM match"))
            people = set(connection.execute("SELECT match_id, side FROM seat WHERE level IS NULL"))
        lost = [
            f"Move {move} at ply {ply} of match {match_id} was acknowledged and is lost."
            for (match_id, ply), move in self.moves.items()
            if moves.get((match_id, ply)) != move
        ]
        lost += [
            f"The end of match {match_id} was acknowledged and is lost."
            for match_id in self.finished
            if matches.get(match_id) != "finished"
        ]
        lost += [
            f"The swap in match {match_id} was acknowledged and is lost."
            for match_id, side in self.swapped_to.items()
            if (match_id, side) not in people
        ]
        return lost


@dataclass(frozen=True, slots=True)
class Factory:
    """A process that forks bots one after the other, which saves each the imports."""

    process: asyncio.subprocess.Process

    async def line(self) -> str:
        assert self.process.stdout is not None
        line = (await self.process.stdout.readline()).decode()
        assert line, "the factory has ended"
        return line

    async def begin(self, seed: int) -> int:
        """Start the next bot; return its process id."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seed}\n".encode())
        while not (line := await self.line()).startswith("begun"):
            pass
        return int(line.split()[1])

    async def kill(self, bot: int, acknowledged: Acknowledged) -> None:
        """Kill a bot, and read what it reported before."""
        os.kill(bot, signal.SIGKILL)
        while (line := await self.line()) != "gone\n":
            acknowledged.hear(line)


@asynccontextmanager
async def factory_of_bots(path: Path, **environment: str) -> AsyncIterator[Factory]:
    """Start the process that forks bots on a database file."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(SCRIPT), f"sqlite+aiosqlite:///{path}"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )
    factory = Factory(process)
    try:
        assert await factory.line() == "ready\n"
        yield factory
    finally:
        process.kill()
        await process.wait()
        assert process.stdin is not None
        process.stdin.close()


async def run(seed: int, times: int) -> Report:
    """Kill a bot this many times."""
    rng = random.Random(seed)
    acknowledged = Acknowledged()
    found: list[str] = []
    with TemporaryDirectory() as folder:
        path = Path(folder, "matches.sqlite3")
        async with factory_of_bots(path) as factory:
            for number in range(times):
                bot = await factory.begin(1000 * seed + number)
                # After some work rather than some time, so that a bot on a slow machine is
                # killed at work too; every fourth one while it is opening the file.
                for _ in range(rng.randrange(100) if number % 4 else 0):
                    acknowledged.hear(await factory.line())
                await asyncio.sleep(rng.uniform(0, 0.02 if number % 4 else 0.1))
                await factory.kill(bot, acknowledged)
                is_last = number == times - 1
                # The first ones may be killed before there is a table.
                if acknowledged.moves and (number % 10 == 9 or is_last):
                    found += [*acknowledged.lost_in(path), *check_file(path)]
                if found:
                    break
    lost = sum("is lost" in each for each in found)
    return Report(
        what="kill -9 in the middle of moves",
        cases=number + 1,
        bar="0 acknowledged steps lost, 0 invariants broken",
        measured=f"{lost} of {len(acknowledged.moves):,} moves, {len(acknowledged.finished):,} "
        f"ends and {len(acknowledged.swapped_to):,} swaps lost, {len(found) - lost} broken",
        found=tuple(found),
    )
