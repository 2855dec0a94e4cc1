"""Compression of the gateway: one stream for the life of a connection."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

Compress = Callable[[bytes], bytes]


def make_compressor(name: str | None) -> Compress | None:
    """Return a function that compresses one gateway message at a time.

    Returns:
        None for no compression.

    Raises:
        ValueError: If the kind of compression is unknown or cannot be had here.
    """
    if not name:
        return None
    if name == "zlib-stream":
        stream = zlib.compressobj()
        return lambda data: stream.compress(data) + stream.flush(zlib.Z_SYNC_FLUSH)
    if name == "zstd-stream":
        return _zstd()
    raise ValueError(f"unknown compression {name!r}")


def _zstd() -> Compress:
    """Return a Zstandard stream from whichever library this Python has.

    discord.py asks for it where it finds one of the same two libraries.
    """
    try:
        standard: Any = import_module("compression.zstd")
    except ImportError:
        pass
    else:
        stream = standard.ZstdCompressor()
        flush = standard.ZstdCompressor.FLUSH_BLOCK
        return lambda data: bytes(stream.compress(data, flush))
    try:
        package: Any = import_module("zstandard")
    except ImportError:
        raise ValueError("zstd-stream needs Python 3.14 or the package zstandard") from None
    writer = package.ZstdCompressor().compressobj()
    block = package.COMPRESSOBJ_FLUSH_BLOCK
    return lambda data: bytes(writer.compress(data) + writer.flush(block))
