"""Measurements for comparison with the engine's speeds: the same work in C, fresh processes."""

from __future__ import annotations

import ctypes
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_START = "import engine; engine.warm_up()"

# A loop that wants to wake up every millisecond while a search runs in a thread.
_LAG = """
import asyncio, json, statistics, time
import engine
from engine.search.mcts import Limit, Searcher

async def main():
    searcher = Searcher(engine.Rules())
    start = engine.Position.initial(engine.Rules())
    searcher.search(start, Limit(seconds=0.2))
    work = asyncio.create_task(asyncio.to_thread(searcher.search, start, Limit(seconds=2.0)))
    lags = []
    while not work.done():
        before = time.perf_counter()
        await asyncio.sleep(0.001)
        lags.append(max(0.0, time.perf_counter() - before - 0.001))
    print(json.dumps([statistics.median(lags), max(lags)]))

engine.warm_up()
asyncio.run(main())
"""

_MEMORY = """
import json, pathlib
import engine
from engine.nets.net import find_net
from engine.search.mcts import Limit, Searcher
from engine.search.trees import MAX_NODES

def resident():
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024

sizes = {}
engine.warm_up()
sizes["after the start"] = resident()
searcher = Searcher(engine.Rules(), evaluation="net")
sizes["with a net"] = resident()
start = engine.Position.initial(engine.Rules())
searcher.search(start, Limit(nodes=MAX_NODES - 1000, seconds=30))
sizes["with a full tree"] = resident()
print(json.dumps(sizes))
"""


def start_seconds(rounds: int) -> float:
    """Return how long a new process takes until every kernel is loaded from the cache."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        _run(_START)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def loop_lag() -> tuple[float, float]:
    """Return how many seconds late an event loop wakes up during a search: median, worst."""
    median, worst = json.loads(_run(_LAG))
    return median, worst


def memory_mb() -> dict[str, float] | None:
    """Return the memory of a process at some moments, by their names; None without /proc."""
    if not sys.platform.startswith("linux"):
        return None
    sizes: dict[str, float] = json.loads(_run(_MEMORY))
    return sizes


def _run(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(  # noqa: S603  # this Python, fixed words
        command, check=True, capture_output=True, text=True
    ).stdout


def load_twin() -> ctypes.CDLL | None:
    """Compile the C twin; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source = Path(__file__).with_name("twin.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "twin.so"
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC"]
        made = subprocess.run(  # noqa: S603  # the compiler of this machine on our own file
            [*command, "-o", str(library), str(source)], check=False, capture_output=True
        )
        if made.returncode != 0:
            return None
        twin = ctypes.CDLL(str(library))
    twin.perft.restype = ctypes.c_int64
    twin.prepare()
    return twin
