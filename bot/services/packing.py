"""Packs files for Discord's size limit: one as it is, or all in an archive."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def pack(files: Mapping[str, bytes], limit: int, *, archive: str) -> tuple[str, bytes]:
    """Return a name and the content of one file that holds all of `files`.

    A single one stays as it is if it has at most `limit` bytes. An archive may be larger.

    Args:
        files: The contents, by name.
        limit: The largest file that Discord accepts, in bytes.
        archive: The name of the archive.
    """
    for name, content in files.items():
        if len(files) == 1 and len(content) <= limit:
            return name, content
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as writing:
        for name, content in files.items():
            writing.writestr(name, content)
    return archive, written.getvalue()
