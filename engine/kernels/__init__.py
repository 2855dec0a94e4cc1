"""The compiled part of the engine. Its modules are imported on first use.

Importing numba takes half a second, so `import engine` must not do it. Write
`kernels.generic.push(...)` to have the module imported when it is first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from engine.kernels import bitboard81 as bitboard81
    from engine.kernels import codes as codes
    from engine.kernels import compiling as compiling
    from engine.kernels import counting as counting
    from engine.kernels import generic as generic
    from engine.kernels import large as large
    from engine.kernels import play as play
    from engine.kernels import puct as puct
    from engine.kernels import rng as rng
    from engine.kernels import solving as solving
    from engine.kernels import strategy as strategy
    from engine.kernels import tree as tree
    from engine.kernels import valuing as valuing


def __getattr__(name: str) -> ModuleType:
    """Import a module of this package on first access."""
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error
