"""The two kinds of search tree behind one interface.

`PlayoutTree` learns the value of a position from random games, for any rules;
`ValuedTree` asks an evaluator, for rules of depth 2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

from engine import kernels
from engine.position import Position, loaded_rules
from engine.types import Cell

if TYPE_CHECKING:
    from engine.kernels.codes import Loaded, Rng, State
    from engine.kernels.valuing import Evaluator

PLAYOUT_EXPLORATION: Final = 0.7  # by self-play 0.4 to 0.9 are as good, 1.2 is worse
VALUED_EXPLORATION: Final = 0.2  # 0.15 is as good, 0.5 costs 70 Elo, 0.8 a hundred
MAX_NODES: Final = 4_000_000  # 60 to 90 MB
NODES_PER_ITERATION: Final = 9


class SearchTree(ABC):
    """A tree that grows from a position; nodes are numbers."""

    _tree: Any
    _loaded: Loaded
    _state: State

    @property
    def root(self) -> int:
        """The node of the position searched."""
        return 0

    @abstractmethod
    def grow(self, rng: Rng, iterations: int, node_limit: int) -> int:
        """Run iterations; return how many, fewer when there is no more to find or room."""

    def follow(self, moves: tuple[Cell, ...], position: Position) -> bool:
        """Go on from `position`, `moves` further; False when the tree cannot."""
        del position
        return not moves

    @abstractmethod
    def expectation(self, node: int) -> float | None:
        """What the side that moved to `node` can expect, None when nothing is known."""

    @property
    def nodes(self) -> int:
        """The number of nodes in use."""
        return int(self._tree.head[0])

    def children(self, node: int) -> range:
        """Return the children of a node."""
        first = int(self._tree.first[node])
        return range(first, first + int(self._tree.counts[node]))

    def move(self, node: int) -> Cell:
        """Return the move that leads to a node."""
        return int(self._tree.move[node])

    def visits(self, node: int) -> int:
        """Return how many iterations went through a node."""
        return int(self._tree.visits[node])

    def proof(self, node: int) -> int:
        """Return the certain result of a node as a code of the kernels."""
        return int(self._tree.proof[node])

    def distance(self, node: int) -> int | None:
        """Return in how many plies at most the certain result comes."""
        del node
        return None


class PlayoutTree(SearchTree):
    """UCT: one random game per iteration."""

    def __init__(self, position: Position, capacity: int) -> None:
        self._loaded = loaded_rules(position.rules)
        self._state = position.search_state()
        self._tree = kernels.tree.make_tree(capacity, position.side)
        self._scratch = kernels.tree.make_scratch(position.rules.depth)

    def grow(self, rng: Rng, iterations: int, node_limit: int) -> int:
        """Run iterations; return how many, fewer once the root is proven."""
        if self.nodes >= node_limit:
            return 0
        return kernels.tree.grow(
            self._tree,
            self._state,
            self._scratch,
            *self._loaded,
            rng,
            PLAYOUT_EXPLORATION,
            iterations,
        )

    def expectation(self, node: int) -> float | None:
        """What the side that moved to `node` won on average."""
        visits = self.visits(node)
        return float(self._tree.points[node]) / 2 / visits if visits else None


class ValuedTree(SearchTree):
    """PUCT: an evaluator values all moves of a position at once."""

    def __init__(self, position: Position, capacity: int, evaluator: Evaluator) -> None:
        self._loaded = loaded_rules(position.rules)
        self._state = position.search_state()
        self._evaluator = evaluator
        self._tree: kernels.puct.Tree = kernels.puct.make_tree(capacity)
        self._scratch = kernels.puct.make_scratch()

    @property
    def root(self) -> int:
        """The node of the position searched."""
        return int(self._tree.head[kernels.puct.ROOT])

    def grow(self, rng: Rng, iterations: int, node_limit: int) -> int:
        """Run iterations; return how many, fewer once proven or at the limit of nodes."""
        return kernels.puct.grow(
            self._tree,
            self._state.words,
            self._scratch,
            *self._loaded,
            self._evaluator,
            rng,
            VALUED_EXPLORATION,
            iterations,
            node_limit,
        )

    def follow(self, moves: tuple[Cell, ...], position: Position) -> bool:
        """Make the node after `moves` the root, and room when little is left."""
        if not all(kernels.puct.advance(self._tree, move) for move in moves):
            return False
        self._state = position.search_state()
        if moves and 2 * self.nodes > self._tree.visits.size:
            kernels.puct.compact(self._tree, self._tree.first.copy())
        is_known = bool(self.children(self.root)) or not self.proof(self.root)
        return is_known and 4 * self.nodes < 3 * self._tree.visits.size

    def expectation(self, node: int) -> float | None:
        """What the side that moved to `node` can expect."""
        return float(self._tree.value[node])

    def distance(self, node: int) -> int | None:
        """Return in how many plies at most the certain result comes."""
        return int(self._tree.distance[node])
