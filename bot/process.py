"""The process and its surroundings: what asks it to stop, on every system."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def asked_to_stop(*, until_eof: bool = False) -> Iterator[asyncio.Event]:
    """Yield an event that is set when the process should stop in order.

    That is at SIGTERM and SIGINT, on Windows at Ctrl-C and Ctrl-Break. Not by handlers of the
    event loop: those of Windows have none.

    Args:
        until_eof: Stop at the end of standard input, too. A pipe ends with the process that
            holds its other side, however that ended; Windows knows no other way to be told.
    """
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def ask(*_signal: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended before standard input did
            loop.call_soon_threadsafe(stop.set)

    def read_on() -> None:
        with suppress(OSError):
            while os.read(0, 4096):
                pass
        ask()

    numbers = [
        getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGBREAK") if hasattr(signal, name)
    ]
    before = [signal.signal(number, ask) for number in numbers]
    if until_eof:
        threading.Thread(target=read_on, name="standard input", daemon=True).start()
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler or signal.SIG_DFL)
