"""The same work as the kernels in C, compiled on this machine."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path


def load_twin() -> ctypes.CDLL | None:
    """Compile the C twin; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source = Path(__file__).with_name("twin.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "twin.so"
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC"]
        made = subprocess.run(  # noqa: S603  # the compiler of this machine on our own file
            [*command, "-o", str(library), str(source)], check=False, capture_output=True
        )
        if made.returncode != 0:
            return None
        twin = ctypes.CDLL(str(library))
    twin.perft.restype = ctypes.c_int64
    twin.prepare()
    return twin
