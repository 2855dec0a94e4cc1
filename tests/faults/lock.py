"""Another program's lock: somebody inspects the file with a tool, or copies it, and locks it.

Another process takes a write lock or an exclusive one, for shorter or longer than the bot waits.
Meanwhile every step waits, or is refused in words; afterwards everybody plays on, without a
restart. Here the bot waits a tenth of its usual time.
"""

from __future__ import annotations

import asyncio
import random
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import bot.storage.database
from bot.storage.checking import check_file
from tests.empty_database import put_empty_database
from tests.faults.disk import Table
from tests.faults.report import Report

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BOT_WAITS_S: Final = 0.5

HOLDER: Final = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
connection.execute(f"BEGIN {sys.argv[2]}")
if sys.argv[3] == "writing":
    connection.execute("UPDATE setting SET updated_at = updated_at")
print("held", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
connection.close()
"""


@asynccontextmanager
async def held(path: Path, *how: str) -> AsyncIterator[None]:
    """Let another process hold the lock."""
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, str(path), *how), stdin=PIPE, stdout=PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        assert await holder.stdout.readline() == b"held\n"
        yield
    finally:
        holder.stdin.close()
        await holder.wait()


async def run(seed: int, times: int) -> Report:
    """Hold the lock this many times."""
    pragmas = (f"PRAGMA busy_timeout = {1000 * BOT_WAITS_S:.0f}", "PRAGMA foreign_keys = ON")
    with (
        TemporaryDirectory() as folder,
        patch.object(bot.storage.database, "_COMMON_PRAGMAS", pragmas),
    ):
        path = Path(folder, "matches.sqlite3")
        put_empty_database(path)
        return await _run(path, random.Random(seed), times)


async def _run(path: Path, rng: random.Random, times: int) -> Report:
    table, found = Table(f"sqlite+aiosqlite:///{path}"), []
    table.start(rng.randrange(1000))
    told = await table.until_stored(20)
    for number in range(times):
        how = (rng.choice(("IMMEDIATE", "EXCLUSIVE")), rng.choice(("reading", "writing")))
        is_long = number % 2 == 1
        refused = table.refused
        async with held(path, *how):
            await asyncio.sleep(BOT_WAITS_S * (rng.uniform(1.5, 4) if is_long else 0.3))
        told = told or await table.until_stored(table.stored + 20)
        wrong = [told] if told else []
        if is_long and table.refused == refused:
            wrong.append("Nobody was told that nothing can be stored.")
        found += [f"Lock {number + 1} ({' '.join(how)}): {each}" for each in wrong]
        if told:
            break
    await table.stop()
    found += [*table.acknowledged.lost_in(path), *check_file(path)]
    lost = sum("is lost" in each for each in found)
    return Report(
        what="another program holds the lock on the file",
        cases=number + 1,
        bar="0 acknowledged steps lost, 0 invariants broken, all played on unaided",
        measured=f"{lost} of {table.stored:,} steps lost, {table.refused:,} refused in words, "
        f"{len(found) - lost} otherwise",
        found=tuple(found),
    )
