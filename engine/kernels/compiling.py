"""A call of every kernel that playing needs, with real arguments, to compile or load it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from engine.kernels import bitboard81, counting, generic, play, puct, rng, solving, strategy, tree
from engine.kernels.codes import CLOSED, NO_MOVE, RuleCodes, empty_state, load, state_of
from engine.kernels.tree import make_scratch, make_tree
from engine.rules import Rules


class Task(NamedTuple):
    """A kernel to compile: what it is for, and a call of it."""

    name: str
    run: Callable[[], object]


def tasks() -> Iterator[Task]:
    """Yield a call of every kernel that is called from Python."""
    codes = RuleCodes(2, CLOSED, 0, 0, 0, 0, NO_MOVE)
    loaded = load(codes, tuple(cell % 9 for cell in range(81)))
    empty = empty_state(2)
    state = state_of(codes, empty.nodes, empty.head)
    scratch = make_scratch(2)
    moves, work = scratch.moves, scratch.work
    numbers = rng.make_rng(1)
    tally = np.zeros(4, dtype=np.int64)
    branches = make_tree(1000, 0)
    yield Task("rules", lambda: generic.push(work.nodes, work.head, *loaded, 40))
    yield Task("moves", lambda: generic.legal_moves(work.nodes, work.head, *loaded, moves))
    yield Task("search", lambda: tree.grow(branches, state, scratch, *loaded, numbers, 0.7, 9))
    yield Task(
        "random games", lambda: play.rollouts(state, work, *loaded, numbers, moves, 1, tally)
    )
    yield Task(
        "counting",
        lambda: counting.count_bitboard81(state.words, *loaded, counting.make_stack(2, 2)),
    )
    yield Task(
        "counting at any depth", lambda: counting.count_generic(*loaded, counting.make_stack(2, 2))
    )
    from engine.nets.evaluators import hand_evaluator

    valued, room = puct.make_tree(1000), puct.make_scratch(2)
    evaluator = hand_evaluator(Rules())
    yield Task(
        "valued search",
        lambda: puct.grow(valued, state, room, *loaded, evaluator, numbers, 0.3, 9, 1000),
    )
    yield Task("going on", lambda: puct.advance(valued, 40))
    yield Task("noting a proof", lambda: puct.note(valued, room.path, 40, 1, 9, 0))
    yield Task("making room", lambda: puct.compact(valued, puct.make_places(valued)))
    yield Task("forgetting", lambda: puct.prune(valued, 500, puct.make_sizes()))
    solver = solving.make_solver(solving.make_table(4))
    yield Task("a proof", lambda: solving.begin(solver, state.words, 0, *loaded, evaluator))
    yield Task("cells left", lambda: solving.cells_left(state.words, loaded.tables))
    yield Task("a proof, going on", lambda: solving.think(solver, *loaded, evaluator, 2))
    won = strategy.make_lines(2)
    yield Task("forced win", lambda: strategy.follow(won, state.words, *loaded))
    yield Task("forced win, a move", lambda: strategy.answer(state.words))
    yield Task("fast rules", lambda: bitboard81.push(work.words, *loaded, 4, 4))
    yield Task("fast moves", lambda: bitboard81.legal_moves(work.words, codes, moves))


def run_all() -> None:
    """Compile or load every kernel."""
    for task in tasks():
        task.run()
