"""Compiled code of the laboratory, imported on first use like that of `engine.kernels`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from engine.position import Position, loaded_rules
from engine.rules import Rules

if TYPE_CHECKING:
    from types import ModuleType

    from engine.kernels.compiling import Task
    from engine.lab.kernels import alphabeta as alphabeta
    from engine.lab.kernels import selfplay as selfplay
    from engine.lab.kernels import study as study


def __getattr__(name: str) -> ModuleType:
    """Import a module of this package on first access."""
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error


def tasks() -> Iterator[Task]:
    """Yield a call of every kernel of the laboratory that is called from Python."""
    from engine.kernels import rng, tree
    from engine.kernels.compiling import Task
    from engine.lab.kernels import alphabeta, study
    from engine.nets.evaluators import hand_evaluator

    loaded, evaluator = loaded_rules(Rules()), hand_evaluator(Rules())
    state = Position.initial(Rules()).search_state()
    scratch, numbers = tree.make_scratch(2), rng.make_rng(1)
    frames = alphabeta.make_search(2)
    yield Task("alpha-beta", lambda: alphabeta.enter(frames, 0, 2, -9, 9, *loaded, evaluator))
    yield Task("alpha-beta, going on", lambda: alphabeta.think(frames, *loaded, evaluator, 2))
    starts, sums = study.make_starts([state], [()]), study.make_sums()
    work, moves = scratch.work, scratch.moves
    yield Task(
        "variant study", lambda: study.random_games(starts, work, *loaded, numbers, moves, 1, sums)
    )
