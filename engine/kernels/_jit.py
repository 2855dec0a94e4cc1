"""The decorators of the kernels, the cache of the compiled code, and fetching ahead.

Numba does not notice that a function defined in another file has changed. The
cache directory is therefore named after a hash of the kernels' sources: code
compiled from other sources is never found.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

CACHE_LINE: Final = 64  # bytes
_KERNELS: Final = Path(__file__).parent
_SOURCES: Final = (_KERNELS, _KERNELS.parent / "lab" / "kernels")


def cache_directory() -> Path:
    """Return the directory for kernels compiled from the present sources.

    `ENGINE_CACHE_DIR` names the folder to use; otherwise `.cache/kernels`
    beside the packages, or the user's cache folder where that is not writable.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    sources = (source for folder in _SOURCES for source in sorted(folder.glob("*.py")))
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    name = digest.hexdigest()[:16]
    chosen = os.environ.get("ENGINE_CACHE_DIR")
    if chosen:
        return Path(chosen) / name
    beside = _KERNELS.parents[1] / ".cache" / "kernels" / name
    return beside if _is_writable(beside) else _user_cache() / name


def _is_writable(folder: Path) -> bool:
    """Whether `folder` is there and writable, or can be made."""
    there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    return os.access(there, os.W_OK | os.X_OK)


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ultimate-tic-tac-toe" / "kernels"


CACHE_DIRECTORY: Final = cache_directory()
numba.config.CACHE_DIR = str(CACHE_DIRECTORY)  # type: ignore[attr-defined]  # made at run time


def kernel(function: F) -> F:
    """Compile `function` to run without the interpreter and without the GIL.

    - `error_model`: division as in C; kernels divide by numbers known not to be zero.
    - `forceinline`: a call passes every array as seven numbers, which costs more
      than most kernels do.
    - `_nrt`: kernels allocate nothing, and without numba's reference counting of
      arrays they are eight times as fast. An allocation fails to compile.
    """
    return _compiled(function, forceinline=True)


def brief(function: F) -> F:
    """Compile `function` as a kernel that keeps the GIL where Python calls it.

    For calls of microseconds: a thread that releases the GIL may wait a thousand times as
    long to get it back while another thread is busy.
    """
    return _compiled(function, forceinline=True, nogil=False)


def outlined(function: F) -> F:
    """Compile `function` as a kernel that is not inlined.

    For long loops that exist in variants: inlined side by side, their values no
    longer fit into the registers, which costs a tenth.
    """
    return _compiled(function, forceinline=False)


def _compiled(function: F, *, forceinline: bool, nogil: bool = True) -> F:
    compiled = numba.njit(  # type: ignore[call-overload]  # its stub does not know _nrt
        cache=True, nogil=nogil, error_model="numpy", forceinline=forceinline, _nrt=False
    )(function)
    return cast(F, compiled)


def _prefetch(_context: Any, array: Any, index: Any) -> Any:
    """Return the type of `prefetch` for these types, and what generates its code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = context.make_array(signature.args[0])(context, builder, arguments[0])
        number = context.cast(builder, arguments[1], signature.args[1], types.intp)
        start = builder.mul(number, builder.extract_value(found.strides, 0))
        pointer, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        data = builder.bitcast(found.data, pointer)
        llvm_type = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        bring = builder.module.declare_intrinsic("llvm.prefetch", [pointer], llvm_type)
        for line in (0, CACHE_LINE):
            place = builder.add(start, ir.Constant(start.type, line))
            # For reading, to be used soon, data.
            builder.call(bring, [builder.gep(data, [place]), flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(array, index), generate


prefetch: Final = cast(Callable[[Any, int], None], intrinsic(_prefetch))
"""Ask the processor to bring 128 bytes from `array[index]` on while it does other work.

It changes nothing but the time: `index` need not even be inside the array.
"""
