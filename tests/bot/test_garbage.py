"""A process that runs for a long time."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bot.gc_tuning import relax
from engine.kernels._jit import CACHE_DIRECTORY


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


READ_ONCE = """
import mmap, sys
from bot.gc_tuning import put_away
from bot.process import resident_bytes

with open(sys.argv[1], "rb") as file:
    library = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
last = library.find(b"x")
before = resident_bytes()
put_away("libanother")
same = resident_bytes()
put_away("libcompiler")
print((before - same) >> 20, (same - resident_bytes()) >> 20, library.find(b"x") == last)
"""


@pytest.fixture
def on_a_disk() -> Iterator[Path]:
    """A folder on a real disk; files in /tmp are often held in memory."""
    with TemporaryDirectory(dir=CACHE_DIRECTORY.parent) as folder:
        told = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True)
        if told.stdout.strip() in ("", "tmpfs", "ramfs"):
            pytest.skip("files are memory here, or this is not Linux")
        yield Path(folder)


def test_a_library_that_has_done_its_work_goes_back_and_can_still_be_used(on_a_disk: Path):
    """A compiler that has loaded every kernel is 65 MiB of pages."""
    library = on_a_disk / "libcompiler.so"
    with library.open("wb") as file:
        file.write(bytes(32 << 20) + b"x")
        file.flush()
        os.fsync(file.fileno())  # what is not on the disk yet has to stay
    done = subprocess.run(
        [sys.executable, "-c", READ_ONCE, str(library)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    other, gone, is_same = done.stdout.split()
    assert int(other) < 4
    assert int(gone) > 24
    assert is_same == "True"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do it by themselves")
def test_what_a_busy_moment_needed_goes_back_whatever_stays_behind_it():
    """By itself nothing does: the memory used last lies behind it."""
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
