"""The process and its surroundings: what asks it to stop, and the supervisor it reports to."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_WAIT_S: Final = 0.1  # for a supervisor: everybody else waits meanwhile


@contextmanager
def asked_to_stop(*, until_eof: bool = False) -> Iterator[asyncio.Event]:
    """Yield an event that is set when the process should stop in order.

    That is on SIGTERM and SIGINT, on Windows on Ctrl-C and Ctrl-Break. The handlers are not those
    of the event loop, which Windows does not have.

    Args:
        until_eof: Stop at the end of standard input, too. A pipe ends with the process that
            holds its other side, however that ended; on Windows there is no other way.
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


def tell_supervisor(state: str) -> None:
    """Report a state to systemd, or another supervisor that set NOTIFY_SOCKET: sd_notify(3).

    A supervisor that reads nothing, and has ten messages waiting, is not told.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        datagrams.settimeout(_MOST_WAIT_S)
        # An @ stands for the zero byte that abstract addresses begin with.
        datagrams.sendto(state.encode(), address.replace("@", "\0", not address.startswith("/")))


def resident_bytes(pid: int | None = None) -> int | None:
    """Return how much memory a process has now, this one if None; None where there is no /proc."""
    try:
        pages = int(Path(f"/proc/{pid or 'self'}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):  # Windows, macOS
        return None


def watchdog_seconds() -> float | None:
    """Return how long the supervisor waits for a sign of life; None if it waits for none."""
    pid, limit = os.environ.get("WATCHDOG_PID"), os.environ.get("WATCHDOG_USEC", "")
    if pid not in (None, str(os.getpid())) or not limit.isdecimal():
        return None
    return int(limit) / 1e6
