"""The search tree: upper confidence bounds, one random game per iteration.

The tree lives in flat arrays, the children of a node side by side. Certain results
are carried up: a node with a winning child is won, a node whose children are all
certain is as good as the best of them.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import play
from engine.kernels._jit import kernel
from engine.kernels.codes import (
    DRAWN,
    ONGOING,
    X_WON,
    Ints,
    Rng,
    RuleCodes,
    State,
    Tables,
    empty_state,
)
from engine.kernels.rng import below

# Places in `Tree.head`.
USED: Final = 0  # nodes in use
ROOT_SIDE: Final = 1  # the side to move at the root

MAX_DEPTH: Final = 730  # no game has more moves than cells


class Tree(NamedTuple):
    """Nodes as columns; node 0 is the root.

    Attributes:
        visits: Games played through the node.
        points: Two for every win and one for every draw of the side that moved here.
        first: The first child.
        counts: How many children, 0 before the node is expanded.
        move: The move that leads here.
        proof: The certain result, ONGOING while it is not certain.
        head: See the places above.
    """

    visits: NDArray[np.int32]
    points: NDArray[np.int32]
    first: NDArray[np.int32]
    counts: NDArray[np.int16]
    move: NDArray[np.int16]
    proof: NDArray[np.int8]
    head: Ints


class Scratch(NamedTuple):
    """Scratch space: a position, a list of moves, the nodes of a path, bounds of children."""

    work: State
    moves: Ints
    path: Ints
    scores: NDArray[np.float32]


@kernel
def choose_unvisited(visits: NDArray[np.int32], rng: Rng) -> int:
    """Return the place of a random child without visits, or -1 if there is none."""
    unvisited = 0
    for place in range(visits.size):
        unvisited += visits[place] == 0
    if unvisited == 0:
        return -1
    left = below(rng, unvisited)
    for place in range(visits.size):
        if visits[place] == 0:
            if left == 0:
                return place
            left -= 1
    return -1  # never reached


@kernel
def choose(
    tree: Tree, node: int, loss: int, exploration: float, rng: Rng, scores: NDArray[np.float32]
) -> int:
    """Return the child to follow: an unvisited one, else the best upper bound.

    Children that are certain losses (`proof == loss`) are left out; another one is
    left, or the node would be proven. Certain draws are left out at the root, and
    at every other visit elsewhere: there is nothing new to learn there, but their
    value is part of the node's. No child is proven before its first visit.

    All bounds are computed before looking for the best: the compiler computes eight
    at once, and a board of 27 x 27 has hundreds. `scores` is scratch.
    """
    first = tree.first[node]
    last = first + tree.counts[node]
    visits, points = tree.visits[first:last], tree.points[first:last]
    proofs = tree.proof[first:last]
    if tree.visits[node] <= visits.size:  # later every child has been visited
        place = choose_unvisited(visits, rng)
        if place >= 0:
            return int(first + place)
    skipped = DRAWN if node == 0 or tree.visits[node] & 1 == 1 else loss
    bonus = np.float32(exploration * math.sqrt(math.log(tree.visits[node] + 1.0)))
    half = np.float32(0.5)
    for place in range(visits.size):
        games = np.float32(visits[place])
        scores[place] = np.float32(points[place]) * half / games + bonus / np.sqrt(games)
    best, best_score = -1, np.float32(-1.0)
    for place in range(visits.size):
        if scores[place] > best_score and proofs[place] != loss and proofs[place] != skipped:
            best, best_score = place, scores[place]
    return int(first + best)


@kernel
def expand(tree: Tree, node: int, moves: Ints, count: int) -> bool:
    """Give `node` a child for each of the moves; False when the tree is full."""
    first = tree.head[USED]
    if first + count > tree.visits.size:
        return False
    tree.head[USED] = first + count
    tree.first[node] = first
    tree.counts[node] = count
    for place in range(count):
        child = first + place
        tree.visits[child] = 0
        tree.points[child] = 0
        tree.counts[child] = 0
        tree.move[child] = moves[place]
        tree.proof[child] = ONGOING
    return True


@kernel
def prove(tree: Tree, path: Ints, length: int) -> None:
    """Carry the certain result of the last node of the path upwards."""
    for place in range(length - 1, -1, -1):
        node = path[place]
        win = X_WON + ((tree.head[ROOT_SIDE] + place) & 1)
        proof = tree.proof[path[place + 1]]
        if proof != win:
            best = 0  # 1 when a draw is among the children
            first = tree.first[node]
            for child in range(first, first + tree.counts[node]):
                if tree.proof[child] == ONGOING:
                    return
                if tree.proof[child] == DRAWN:
                    best = 1
            if best == 1:
                proof = np.int8(DRAWN)
        tree.proof[node] = proof


@kernel
def backup(tree: Tree, path: Ints, length: int, result: int) -> None:
    """Count the result of a game in every node of the path."""
    for place in range(length + 1):
        node = path[place]
        tree.visits[node] += 1
        if result == DRAWN:
            tree.points[node] += 1
        elif result == X_WON + ((tree.head[ROOT_SIDE] + place + 1) & 1):
            tree.points[node] += 2


@kernel
def grow(
    tree: Tree,
    root: State,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    rng: Rng,
    exploration: float,
    iteration_count: int,
) -> int:
    """Run iterations from `root`; return how many, fewer once the root is proven."""
    work, path = scratch.work, scratch.path
    for done in range(iteration_count):
        if tree.proof[0] != ONGOING:
            return done
        play.copy(work, root, rules)
        node, length = 0, 0
        path[0] = 0
        is_new = False
        while tree.proof[node] == ONGOING and not is_new:
            if tree.counts[node] == 0:
                is_new = True
                if tree.visits[node] == 0 and node > 0:
                    break
                count = play.legal_moves(work, rules, tables, scratch.moves)
                if not expand(tree, node, scratch.moves, count):
                    break
            loss = X_WON + ((tree.head[ROOT_SIDE] + length + 1) & 1)
            node = choose(tree, node, loss, exploration, rng, scratch.scores)
            play.push(work, rules, tables, int(tree.move[node]))
            length += 1
            path[length] = node
            if play.result(work, rules) != ONGOING:
                tree.proof[node] = play.result(work, rules)
                prove(tree, path, length)
        if tree.proof[node] != ONGOING:
            result = int(tree.proof[node])
        else:
            result = play.rollout(work, rules, tables, rng, scratch.moves)
        backup(tree, path, length, result)
    return iteration_count


def make_tree(capacity: int, root_side: int = 0) -> Tree:
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
    clear(tree, root_side)
    return tree


def clear(tree: Tree, root_side: int) -> None:
    """Reduce the tree to its root."""
    for column in (tree.visits, tree.points, tree.first, tree.counts):
        column[0] = 0
    tree.proof[0] = ONGOING
    tree.head[USED] = 1
    tree.head[ROOT_SIDE] = root_side


def make_scratch(depth: int) -> Scratch:
    """Return scratch space for positions of a depth."""
    return Scratch(
        work=empty_state(depth),
        moves=np.empty(9**depth, dtype=np.int64),
        path=np.empty(MAX_DEPTH, dtype=np.int64),
        scores=np.empty(9**depth, dtype=np.float32),
    )
