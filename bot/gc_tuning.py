"""Memory management of a process that keeps many objects while it makes and drops many others."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

# Python's defaults are 700, 10, 10. With ten thousand matches in memory a full collection
# takes a fifth of a second, in which nobody is answered, and hardly ever finds anything.
# What an answer leaves, its pictures included, waits in cycles for the next collection.
_NEW_OBJECTS: Final = 15_000
_YOUNG_LOOKS: Final = 20
_MIDDLE_LOOKS: Final = 100

# Options by their numbers in <malloc.h>: one heap for all threads, so that what one frees serves
# another, and separate pages for anything as large as a small picture or a search's tree, which
# go back when it is dropped. With a threshold of a mebibyte, pictures on their way left holes:
# 50 MiB of them after twenty busy minutes.
_M_ARENA_MAX: Final = (-8, 1)
_M_MMAP_THRESHOLD: Final = (-3, 2**18)
_M_TRIM_THRESHOLD: Final = (-1, 4 * 2**20)

_TRIM_EVERY_S: Final = 120.0

_MADV_PAGEOUT: Final = 21  # <asm-generic/mman-common.h>, since Linux 5.4


def relax() -> None:
    """Collect garbage less often from now on, and never again among existing objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _YOUNG_LOOKS, _MIDDLE_LOOKS)


def return_memory() -> bool:
    """Have unused memory returned to the system; call this before threads are started.

    By itself the C library of Linux gives each of twenty threads a heap of its own, and what
    one search has used there stays for the next one in the same thread.

    Returns:
        Whether the C library supports it; other systems do it by themselves.
    """
    if sys.platform != "linux":
        return False
    with suppress(AttributeError):  # Alpine's, for one
        mallopt = ctypes.CDLL(None).mallopt
        return all(mallopt(*each) for each in (_M_ARENA_MAX, _M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD))
    return False


def put_away(library: str) -> None:
    """Have the system drop the pages of a shared library, by how its file's name begins.

    Numba's compiler has loaded every kernel when the bot is up, and nothing calls it from then
    on. Pages needed after all are read from the file again. Pages that other processes use too
    stay in memory, and outside Linux all of them do.
    """
    if sys.platform != "linux":
        return
    with suppress(AttributeError, OSError):  # no such call, or no list of what is loaded
        take_back = ctypes.CDLL(None).madvise
        take_back.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for line in Path("/proc/self/maps").read_text().splitlines():
            span, *_rights, path = line.split(maxsplit=5)
            if Path(path).name.startswith(library):
                start, end = (int(each, 16) for each in span.split("-"))
                take_back(start, end - start, _MADV_PAGEOUT)


async def trim_often() -> None:
    """Return the free memory inside the heap to the system every two minutes, until cancelled.

    By itself a heap returns only what is free at its end: if a busy moment left something there,
    it would never shrink again.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    while trim is not None:
        await asyncio.sleep(_TRIM_EVERY_S)
        await asyncio.to_thread(trim, 0)
