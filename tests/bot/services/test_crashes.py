"""Kill -9 at random moments: nothing that was acknowledged may be missing afterwards."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE

import pytest
from sqlalchemy import Connection, text

from bot.storage import matches as rows
from bot.storage import open_storage
from bot.storage.match_rows import MatchRow, to_match

SCRIPT = Path(__file__).with_name("crash_writer.py")
ROOT = Path(__file__).parents[3]


@dataclass
class Acknowledged:
    """What bots have said before they were killed."""

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


async def check(url: str, acknowledged: Acknowledged) -> int:
    """Compare the file with what was acknowledged; return how many matches it holds."""

    def read_all(connection: Connection) -> list[MatchRow]:
        assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"
        assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
        ids = connection.execute(text("SELECT id FROM match")).scalars().all()
        found = [rows.find_match(connection, match_id) for match_id in ids]
        return [row for row in found if row is not None]

    async with open_storage(url) as database:
        by_id = {row.id: row for row in await database.read(read_all)}
    for (match_id, ply), move in acknowledged.moves.items():
        assert by_id[match_id].moves[ply] == move
    for row in by_id.values():
        match = to_match(row)  # raises if anything is missing or does not fit
        outcome = match.position.outcome
        assert (row.end_reason == "board") == (outcome is not None)
        assert row.winner == (None if outcome is None else outcome.winner)
        assert row.to_move == (match.position.side if outcome is None else None)
    assert all(by_id[match_id].status == "finished" for match_id in acknowledged.finished)
    for match_id, side in acknowledged.swapped_to.items():
        assert to_match(by_id[match_id]).swapped
        assert by_id[match_id].seats[side].player_id is not None
    return len(by_id)


async def kill_many_times(url: str, count: int, seed: int) -> Acknowledged:
    rng = random.Random(seed)
    acknowledged = Acknowledged()
    factory = await asyncio.create_subprocess_exec(
        *(sys.executable, str(SCRIPT), url),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert factory.stdin is not None
    assert factory.stdout is not None
    try:
        assert await factory.stdout.readline() == b"ready\n"
        for number in range(count):
            factory.stdin.write(f"{seed + number}\n".encode())
            line = (await factory.stdout.readline()).decode()
            while not line.startswith("begun"):
                line = (await factory.stdout.readline()).decode()
            pid = int(line.split()[1])
            # By work done rather than by time, so that a slow machine is killed at work
            # too; every fourth one while it is opening the file.
            for _ in range(rng.randrange(150) if number % 4 else 0):
                acknowledged.hear((await factory.stdout.readline()).decode())
            await asyncio.sleep(rng.uniform(0, 0.02 if number % 4 else 0.1))
            os.kill(pid, signal.SIGKILL)
            while (line := (await factory.stdout.readline()).decode()) != "gone\n":
                acknowledged.hear(line)
            if number % 5 == 4:
                await check(url, acknowledged)
    finally:
        factory.kill()
        await factory.wait()
        factory.stdin.close()
    assert await check(url, acknowledged) > 0
    return acknowledged


async def test_ten_kills_lose_no_acknowledged_move(database_url: str) -> None:
    acknowledged = await kill_many_times(database_url, count=10, seed=1)

    assert len(acknowledged.moves) > 200
    assert acknowledged.swapped_to


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_two_hundred_kills_lose_no_acknowledged_move(database_url: str) -> None:
    acknowledged = await kill_many_times(database_url, count=200, seed=1000)

    assert acknowledged.finished
