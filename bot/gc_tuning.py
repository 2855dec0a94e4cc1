"""How memory is managed in a process that keeps much, and makes and drops much beside it."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

# Python's own numbers are 700, 10, 10. With ten thousand matches in memory a full look
# takes a fifth of a second, in which nobody is answered, and nearly nothing is ever found.
# What an answer leaves, its pictures included, waits in cycles for the next look.
_NEW_OBJECTS: Final = 15_000
_YOUNG_LOOKS: Final = 20
_MIDDLE_LOOKS: Final = 100

# By the numbers of <malloc.h>: one heap for all threads, so that what one has left free serves
# another, and whatever is as large as a small picture or a search's tree in pages of its own,
# which go back when it is dropped. With a mebibyte for that, pictures on their way left holes:
# 50 MiB of them after twenty busy minutes.
_M_ARENA_MAX: Final = (-8, 1)
_M_MMAP_THRESHOLD: Final = (-3, 2**18)
_M_TRIM_THRESHOLD: Final = (-1, 4 * 2**20)

_TRIM_EVERY_S: Final = 120.0

_MADV_PAGEOUT: Final = 21  # <asm-generic/mman-common.h>, since Linux 5.4


def relax() -> None:
    """Look for garbage seldom from now on, and never again among what there is already."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _YOUNG_LOOKS, _MIDDLE_LOOKS)


def return_memory() -> bool:
    """Have memory that is no longer used given back to the system; before threads are started.

    By itself the C library of Linux gives each of twenty threads a heap of its own, and what
    one search has used there stays for the next one in the same thread.

    Returns:
        Whether the C library can be told so; other systems do it by themselves.
    """
    if sys.platform != "linux":
        return False
    with suppress(AttributeError):  # Alpine's, for one
        mallopt = ctypes.CDLL(None).mallopt
        return all(mallopt(*each) for each in (_M_ARENA_MAX, _M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD))
    return False


def put_away(library: str) -> None:
    """Have the system take back what it has read of a shared library that has done its work.

    Numba's compiler has loaded every kernel when the bot is up, and nothing calls it from then
    on. Whatever is called after all is read from the file again. What other processes use of
    the file too stays, and on other systems than Linux everything.

    Args:
        library: The beginning of its file's name.
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
    """Give back every two minutes what lies free among what is used, until cancelled.

    By itself a heap keeps what was ever needed at once, but for what is free at its end: where a
    busy moment has left something there it would never be smaller again.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    while trim is not None:
        await asyncio.sleep(_TRIM_EVERY_S)
        await asyncio.to_thread(trim, 0)
