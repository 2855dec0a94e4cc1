"""Every kernel of the laboratory that Python calls; those of playing have a list of their own."""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernels import rng, trees
from engine.kernels.compiling import Task
from engine.lab.kernels import alphabeta, study
from engine.nets.folding import hand_evaluator
from engine.position import Position, loaded_rules
from engine.rules import Rules


def tasks() -> Iterator[Task]:
    """Yield a call of every kernel that Python calls."""
    loaded = loaded_rules(Rules())
    state = Position.initial(Rules()).search_state()
    evaluator = hand_evaluator(Rules())
    scratch = trees.make_scratch(2)
    moves, work = scratch.moves, scratch.work
    numbers = rng.make_rng(1)
    frames = alphabeta.make_search(2)
    yield Task(
        "alpha-beta",
        lambda: alphabeta.enter(frames, 0, 2, -9, 9, *loaded, evaluator),
    )
    yield Task("alpha-beta, going on", lambda: alphabeta.think(frames, *loaded, evaluator, 2))
    starts, sums = study.make_starts([state], [()]), study.make_sums()
    yield Task(
        "variant study",
        lambda: study.random_games(starts, work, *loaded, numbers, moves, 1, sums),
    )
