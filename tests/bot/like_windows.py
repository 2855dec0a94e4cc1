"""Makes a process lack what Windows lacks, and refuse what Windows refuses to do with files.

A stand-in: its part of `msvcrt` follows Python's documentation.
"""

from __future__ import annotations

import asyncio.unix_events as unix
import errno
import fcntl
import os
import signal
import subprocess  # noqa: F401  # before there is a `msvcrt`, by which it knows Windows
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = ("fcntl", "grp", "posix_ipc", "pty", "pwd", "resource", "syslog", "termios", "tty")
EXTRAS = ("dask", "distributed", "psycopg")
"""What the bot can do without: these are missing too."""

OF_OS = ("chown", "fchmod", "fork", "getloadavg", "getpgid", "getuid", "killpg", "nice")
SIGNALS = ("SIGALRM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


def write_site(folder: Path) -> Path:
    """Write what does this to each Python process with `folder` in its PYTHONPATH."""
    folder.mkdir()
    text = "from tests.bot.like_windows import become\nbecome()\n"
    (folder / "sitecustomize.py").write_text(text)
    return folder


def become() -> None:
    locking = ModuleType("msvcrt")
    vars(locking).update(LK_NBLCK=2, locking=_locking)
    sys.modules["msvcrt"] = locking
    for name in (*MODULES, *EXTRAS):
        sys.modules[name] = None  # type: ignore[assignment]  # so an import fails
    for name in (*OF_OS, "sched_getaffinity", "setsid", "statvfs"):
        delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)
    loop: Any = unix._UnixSelectorEventLoop
    loop.add_signal_handler = loop.remove_signal_handler = _not_there
    os.open, os.rename, os.fsync = _opener(os.open), _renamer(os.rename), _syncer(os.fsync)


def _not_there(*_args: object) -> None:
    raise NotImplementedError


def _locking(descriptor: int, mode: int, size: int) -> None:
    """Lock bytes from the file's current position."""
    assert mode == 2
    start = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, size, start)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


def _opener(opened: Any) -> Any:
    def open_(path: Any, flags: int, *args: Any, **named: Any) -> int:
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(path, flags, *args, **named)  # type: ignore[no-any-return]

    return open_


def _renamer(renamed: Any) -> Any:
    def rename(source: Any, target: Any) -> None:
        if os.path.exists(target):
            raise FileExistsError(errno.EEXIST, "File exists", target)
        for each in os.listdir("/proc/self/fd"):
            if os.path.realpath(f"/proc/self/fd/{each}") == os.path.realpath(source):
                raise PermissionError(errno.EACCES, "The file is in use", source)
        renamed(source, target)

    return rename


def _syncer(synced: Any) -> Any:
    def fsync(descriptor: int) -> None:
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")
        synced(descriptor)

    return fsync
