"""What a grown tree says: the move to play and why."""

from __future__ import annotations

from typing import Final

from engine import kernels
from engine.search.report import Proof, SearchReport
from engine.search.trees import SearchTree

_WORTH: Final = {Proof.WIN: 1.0, Proof.DRAW: 0.5, Proof.LOSS: 0.0}


def summarize(tree: SearchTree, side: int, iterations: int, seconds: float) -> SearchReport:
    """Sum up what the tree says about its root, where `side` is to move."""
    root = tree.root
    children = tree.children(root)
    line = _principal_line(tree, side)
    proven = _proof_for(tree.proof(root), side)
    scores = {tree.move(child): _score(tree, child, side) for child in children}
    is_decisive = proven in (Proof.WIN, Proof.LOSS)
    return SearchReport(
        move=line[0],
        score_for_side=scores[line[0]] if proven is None else _WORTH[proven],
        iterations=iterations,
        seconds=seconds,
        principal_line=line,
        visits={tree.move(child): tree.visits(child) for child in children},
        proven=proven,
        distance=tree.distance(root) if is_decisive else None,
        scores=scores,
    )


def _score(tree: SearchTree, child: int, side: int) -> float:
    """Return what `side` can expect after its move to `child`."""
    proven = _proof_for(tree.proof(child), side)
    if proven is not None:
        return _WORTH[proven]
    expectation = tree.expectation(child)
    return 0.5 if expectation is None else expectation


def _principal_line(tree: SearchTree, side: int) -> tuple[int, ...]:
    """Follow the best child of every node."""
    line: list[int] = []
    node = tree.root
    while tree.children(node):
        node = _best_child(tree, node, side)
        if line and not tree.visits(node) and not tree.proof(node):
            break
        line.append(tree.move(node))
        side = 1 - side
    return tuple(line)


def _best_child(tree: SearchTree, node: int, side: int) -> int:
    """Return the child to play: a certain win, else what was tried most.

    A certain draw is better than what promises less than a draw, and a certain loss
    is the last resort. Of certain wins the nearest is taken, of losses the farthest.
    """
    groups: dict[Proof | None, list[int]] = {}
    for child in tree.children(node):
        groups.setdefault(_proof_for(tree.proof(child), side), []).append(child)
    if Proof.WIN in groups:
        return min(groups[Proof.WIN], key=lambda child: tree.distance(child) or 0)
    tried = max(groups.get(None, ()), key=lambda child: _weight(tree, child), default=None)
    drawn = max(groups.get(Proof.DRAW, ()), key=tree.visits, default=None)
    if tried is not None and (drawn is None or _score(tree, tried, side) > _WORTH[Proof.DRAW]):
        return tried
    if drawn is not None:
        return drawn
    return max(
        groups[Proof.LOSS], key=lambda child: (tree.distance(child) or 0, tree.visits(child))
    )


def _weight(tree: SearchTree, child: int) -> tuple[int, float]:
    return tree.visits(child), tree.expectation(child) or 0.0


def _proof_for(result: int, side: int) -> Proof | None:
    """Return what a result code of the kernels means for a side."""
    codes = kernels.codes
    if result == codes.ONGOING:
        return None
    if result == codes.DRAWN:
        return Proof.DRAW
    return Proof.WIN if result == codes.X_WON + side else Proof.LOSS
