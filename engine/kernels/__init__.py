"""The compiled part of the engine. Its modules are imported on first use.

Importing numba takes half a second, so `import engine` must not: write
`kernels.generic.push(...)`, and the module is there when it is needed first.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from engine.kernels import (
        bitboard81,
        codes,
        compiling,
        counting,
        generic,
        loading,
        play,
        puct,
        rng,
        strategy,
        tree,
        trees,
        valuing,
    )

__all__ = [
    "bitboard81",
    "codes",
    "compiling",
    "counting",
    "generic",
    "loading",
    "play",
    "puct",
    "rng",
    "strategy",
    "tree",
    "trees",
    "valuing",
]


def __getattr__(name: str) -> ModuleType:
    """Import a module of this package when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
