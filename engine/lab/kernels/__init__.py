"""Compiled code of the laboratory, imported on first use as that of `engine.kernels`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from engine.lab.kernels import alphabeta, compiling, selfplay, study

__all__ = ["alphabeta", "compiling", "selfplay", "study"]


def __getattr__(name: str) -> ModuleType:
    """Import a module of this package when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
