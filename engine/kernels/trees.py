"""Make the arrays of a search tree."""

from __future__ import annotations

import numpy as np

from engine.kernels.codes import ONGOING
from engine.kernels.loading import empty_state
from engine.kernels.tree import MAX_DEPTH, ROOT_SIDE, USED, Scratch, Tree


def make_tree(capacity: int, root_side: int) -> Tree:
    """Return a tree of the root alone, with room for `capacity` nodes."""
    tree = Tree(
        visits=np.empty(capacity, dtype=np.int32),
        points=np.empty(capacity, dtype=np.int32),
        first=np.empty(capacity, dtype=np.int32),
        counts=np.empty(capacity, dtype=np.int16),
        move=np.empty(capacity, dtype=np.int16),
        proof=np.empty(capacity, dtype=np.int8),
        head=np.zeros(2, dtype=np.int64),
    )
    for column in (tree.visits, tree.points, tree.first, tree.counts):
        column[0] = 0
    tree.proof[0] = ONGOING
    tree.head[USED] = 1
    tree.head[ROOT_SIDE] = root_side
    return tree


def make_scratch(depth: int) -> Scratch:
    """Return room to work in for positions of a depth."""
    return Scratch(
        work=empty_state(depth),
        moves=np.empty(9**depth, dtype=np.int64),
        path=np.empty(MAX_DEPTH, dtype=np.int64),
        scores=np.empty(9**depth, dtype=np.float32),
    )
