"""What `python -m bot bench` measures: pictures, moves, and how responsive the process stays."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Final

from bot.render.bench import bench_lines as picture_lines
from bot.services.leaderboards_bench import bench_lines as rating_lines
from bot.services.moves_bench import bench_lines as move_lines
from engine import Limit, Position, load_variant, search, warm_up

_LAG_SECONDS: Final = 2.0
_TICK_SECONDS: Final = 0.001
_STARTS: Final = 5


def bench_lines() -> Iterator[str]:
    """Yield the lines of the report."""
    yield from picture_lines()
    yield ""
    yield from _lag_lines()
    yield from _start_lines()
    yield ""
    yield from move_lines()
    yield ""
    yield from rating_lines()


def _lag_lines() -> Iterator[str]:
    """Measure how late the event loop wakes, at rest and while two searches run in threads."""
    warm_up()
    yield f"{'event loop wakes late by':<36}{'median ms':>10}{'p99 ms':>8}{'max ms':>8}"
    for name, searches in (("at rest", 0), ("while one search runs", 1), ("while two run", 2)):
        late = sorted(asyncio.run(_lags_ms(searches)))
        p99 = late[int(0.99 * len(late))]
        yield f"  {name:<34}{statistics.median(late):>10.2f}{p99:>8.2f}{late[-1]:>8.2f}"


async def _lags_ms(searches: int) -> list[float]:
    position = Position.initial(load_variant("standard").rules)
    limit = Limit(seconds=_LAG_SECONDS)
    running = [
        asyncio.create_task(asyncio.to_thread(search, position, limit)) for _ in range(searches)
    ]
    late = []
    end = time.perf_counter() + _LAG_SECONDS
    while (start := time.perf_counter()) < end:
        await asyncio.sleep(_TICK_SECONDS)
        late.append((time.perf_counter() - start - _TICK_SECONDS) * 1000)
    await asyncio.gather(*running)
    return late


def _start_lines() -> Iterator[str]:
    """Measure a process that imports the bot and loads its kernels, against an empty one."""
    bare = _median_start_s("pass")
    whole = _median_start_s("import bot.app, cogs.play, cogs.rules, engine; engine.warm_up()")
    ratio = f"{whole / bare:.0f} x bare Python"
    yield f"{'start of the bot up to its login':<36}{whole:>8.2f} s  {ratio}"


def _median_start_s(code: str) -> float:
    seconds = []
    for _ in range(_STARTS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  # our own words
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)
