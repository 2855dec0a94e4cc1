"""A process that runs for long."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from bot.gc_tuning import relax


def test_garbage_is_looked_for_seldom_and_only_among_what_is_new():
    before = gc.get_threshold()
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)
    try:
        relax()

        assert gc.get_threshold()[0] > 10_000
        assert gc.get_freeze_count() > 1_000
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)


SEARCHES = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from bot.gc_tuning import return_memory
from bot.process import resident_bytes

def search():
    for size in (16, 12):
        tree = b"x" * (size << 20)
        del tree
    together.wait()

assert return_memory()
together, before = Barrier(8), resident_bytes()
with ThreadPoolExecutor(8) as threads:
    list(threads.map(lambda _: search(), range(8)))
    print((resident_bytes() - before) >> 20)
"""


BUSY_MOMENT = """
import asyncio
from bot import gc_tuning
from bot.process import resident_bytes

assert gc_tuning.return_memory()
gc_tuning._TRIM_EVERY_S = 0.1
pieces = [bytes(50_000) for _ in range(2_000)]
del pieces[:-1]

async def main():
    before = resident_bytes()
    trimming = asyncio.create_task(gc_tuning.trim_often())
    await asyncio.sleep(0.5)
    print((before - resident_bytes()) >> 20)
    trimming.cancel()

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do it by themselves")
def test_what_a_busy_moment_needed_goes_back_whatever_stays_behind_it():
    """By itself nothing does: what is used last lies behind it."""
    done = subprocess.run(
        [sys.executable, "-c", BUSY_MOMENT], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) > 70


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do it by themselves")
def test_what_searches_no_longer_need_goes_back_to_the_system():
    """By itself glibc keeps about 120 MiB here."""
    done = subprocess.run(
        [sys.executable, "-c", SEARCHES], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) < 16
