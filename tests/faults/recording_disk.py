"""A disk that records the order of writes and syncs, and that can be made to fail.

It is a VFS of the very SQLite library that Python's `sqlite3` uses, made with ctypes, so that the
storage under test runs unchanged. (apsw could do the same, but brings its own SQLite, which
`sqlite3` and with it aiosqlite never see; a shim for the system's calls needs a compiler.) Where
that library is hidden inside Python, `recorded` raises `UnknownLibraryError`.
"""

from __future__ import annotations

import _sqlite3
import ctypes
from collections.abc import Callable
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

SECTOR: Final = 512
"""What a disk writes whole or not at all, in bytes."""

_RECORDED: Final = 0x100 | 0x800 | 0x80000  # main databases, their journals and logs
_OK: Final = 0
_ONLY_READ: Final = 1  # flags of opening a file
_CHANGE_AND_MAKE: Final = 2 | 4

_used: Final[list[Recorder]] = []
"""Kept for good: an unclosed cursor keeps its file open until it is collected, at any time."""

Fault: TypeAlias = Callable[["Op"], int | None]
"""Returns the error code that SQLite gets instead of the operation, or None to let it through."""


class UnknownLibraryError(Exception):
    """The SQLite that Python uses cannot be reached from outside."""


@dataclass(frozen=True, slots=True)
class Op:
    """Something that was done with a file.

    Attributes:
        file: The suffix of its name, "" for the database itself.
        kind: "open", "write", "truncate", "sync", "delete".
        at: Where it was written, or the length it was cut to.
        data: What was written.
    """

    file: str
    kind: str
    at: int = 0
    data: bytes = b""


class _File(ctypes.Structure):
    _fields_ = (("methods", c_void_p),)


_WRITE = CFUNCTYPE(c_int, POINTER(_File), c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, POINTER(_File), c_int64)
_SYNC = CFUNCTYPE(c_int, POINTER(_File), c_int)


class _Methods(ctypes.Structure):
    """`sqlite3_io_methods`; what is not used here is copied as it is."""

    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", _WRITE),
        ("truncate", _TRUNCATE),
        ("sync", _SYNC),
        ("others", c_void_p * 13),
    )


_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(_File), c_int, POINTER(c_int))
_DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)


class _Vfs(ctypes.Structure):
    """`sqlite3_vfs`, up to version 3."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _OPEN),
        ("delete", _DELETE),
        ("others", c_void_p * 14),
    )


def _library() -> Any:
    """Return the SQLite that Python's `sqlite3` uses."""
    library = ctypes.CDLL(_sqlite3.__file__)
    try:
        library.sqlite3_vfs_find.restype = POINTER(_Vfs)
        library.sqlite3_vfs_find.argtypes = [c_char_p]
        library.sqlite3_vfs_register.argtypes = [POINTER(_Vfs), c_int]
        library.sqlite3_vfs_unregister.argtypes = [POINTER(_Vfs)]
    except AttributeError as error:
        raise UnknownLibraryError("this Python hides the SQLite that it uses") from error
    return library


@contextmanager
def recorded(path: Path) -> Iterator[Recorder]:
    """Record what is done with the database `path` by connections that are opened in the block.

    Raises:
        UnknownLibraryError: If the SQLite that Python uses cannot be reached.
    """
    library = _library()
    disk = library.sqlite3_vfs_find(None)
    recorder = Recorder(disk.contents, str(path))
    _used.append(recorder)
    library.sqlite3_vfs_register(byref(recorder.vfs), 1)
    try:
        yield recorder
    finally:
        library.sqlite3_vfs_register(disk, 1)
        library.sqlite3_vfs_unregister(byref(recorder.vfs))


class Recorder:
    """Passes on what it records, except syncs: those take time, and no power is really cut.

    Attributes:
        ops: What was done, in this order.
        fault: What fails at the moment.
    """

    def __init__(self, disk: _Vfs, base: str) -> None:
        self.disk, self.base = disk, base
        self.ops: list[Op] = []
        self.fault: Fault = lambda _: None
        self._files: dict[int, str] = {}
        self._methods: dict[int, _Methods] = {}  # by the address of the original
        self.vfs = _Vfs.from_buffer_copy(disk)
        self.vfs.name, self.vfs.next = b"recording", None
        self.vfs.open, self.vfs.delete = _OPEN(self._open), _DELETE(self._delete)

    def _open(self, _vfs: int, name: int | None, file: Any, flags: int, flags_out: Any) -> int:
        # The name is taken as an address, not as text: SQLite keeps more behind its end.
        disk = ctypes.addressof(self.disk)
        called = "" if name is None else ctypes.string_at(name).decode()
        is_ours = flags & _RECORDED and called.startswith(self.base)
        if is_ours and self.fault(Op(called.removeprefix(self.base), "open")):
            flags = flags & ~_CHANGE_AND_MAKE | _ONLY_READ
        result = int(self.disk.open(disk, name, file, flags, flags_out))
        if is_ours and result == _OK:
            original = file.contents.methods
            if original not in self._methods:
                self._methods[original] = self._patched(_Methods.from_address(original))
            self._files[ctypes.addressof(file.contents)] = called.removeprefix(self.base)
            file.contents.methods = ctypes.addressof(self._methods[original])
        return result

    def _patched(self, original: _Methods) -> _Methods:
        def write(file: Any, data: int, length: int, at: int) -> int:
            done = Op(self._name(file), "write", at, ctypes.string_at(data, length))
            if failed := self._note(done):
                original.write(file, data, length // 2, at)  # as when the disk is full
                return failed
            return int(original.write(file, data, length, at))

        def truncate(file: Any, length: int) -> int:
            failed = self._note(Op(self._name(file), "truncate", length))
            return failed or int(original.truncate(file, length))

        def sync(file: Any, _flags: int) -> int:
            return self._note(Op(self._name(file), "sync"))

        methods = _Methods.from_buffer_copy(original)
        methods.write, methods.truncate, methods.sync = (
            _WRITE(write),
            _TRUNCATE(truncate),
            _SYNC(sync),
        )
        return methods

    def _name(self, file: Any) -> str:
        return self._files[ctypes.addressof(file.contents)]

    def _note(self, op: Op) -> int:
        if failed := self.fault(op):
            return failed
        self.ops.append(op)
        return _OK

    def _delete(self, vfs: int, name: bytes, sync_folder: int) -> int:
        if (called := name.decode()).startswith(self.base) and (
            failed := self._note(Op(called.removeprefix(self.base), "delete"))
        ):
            return failed
        return int(self.disk.delete(vfs, name, sync_folder))


@dataclass(slots=True)
class _Content:
    """A file on the disk.

    Attributes:
        synced: What is there for sure; None if it may not be there at all.
        pending: What was done with it since.
    """

    synced: bytearray | None
    pending: list[Op] = field(default_factory=list)


def contents_of(path: Path) -> dict[str, bytes]:
    """Return the database and its companions, by suffix; not what is in memory only."""
    found = {suffix: path.with_name(path.name + suffix) for suffix in ("", "-journal", "-wal")}
    return {suffix: each.read_bytes() for suffix, each in found.items() if each.exists()}


def after_power_cut(
    before: dict[str, bytes], ops: list[Op], rng: random.Random
) -> dict[str, bytes]:
    """Return a state that a power cut after `ops` may have left.

    What was synced is there. Of the rest, each write, each sector of a write, each truncation
    and each new file is there or not, at random. A deletion is certain after the next sync of
    any file, as on file systems with a journal.
    """
    disk = {suffix: _Content(bytearray(content)) for suffix, content in before.items()}
    deleted: dict[str, _Content] = {}
    for op in ops:
        if op.kind == "delete":
            if op.file in disk:
                deleted[op.file] = disk.pop(op.file)
            continue
        content = disk.setdefault(op.file, _Content(None))
        if op.kind != "sync":
            content.pending.append(op)
            continue
        content.synced = _applied(content, lambda: True)
        content.pending.clear()
        deleted.clear()
    # All kept and all lost are possible, too.
    share = rng.choice((0.0, 0.1, 0.5, 0.9, 1.0))
    for suffix, content in deleted.items():
        if suffix not in disk and rng.random() >= share:
            disk[suffix] = content

    def kept() -> bool:
        return rng.random() < share

    return {
        suffix: bytes(_applied(content, kept))
        for suffix, content in disk.items()
        if content.synced is not None or kept()
    }


def _applied(content: _Content, kept: Callable[[], bool]) -> bytearray:
    """Return a file with those of its pending changes that `kept` lets through."""
    result = bytearray(content.synced or b"")
    for op in content.pending:
        if op.kind == "truncate":
            if kept():
                del result[op.at :]
            continue
        end = op.at + len(op.data)
        # At boundaries of the file's sectors.
        edges = [op.at, *range((op.at // SECTOR + 1) * SECTOR, end, SECTOR), end]
        for begin, stop in pairwise(edges):
            if kept():
                result.extend(bytes(max(0, stop - len(result))))
                result[begin:stop] = op.data[begin - op.at : stop - op.at]
    return result
