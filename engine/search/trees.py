"""The two kinds of search tree behind one interface.

`PlayoutTree` learns the value of a position from random games, for any rules;
`ValuedTree` asks an evaluator, for rules of depth 2 and 3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from engine import kernels
from engine.position import Position, loaded_rules
from engine.types import Cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.kernels.codes import Loaded, Rng, State
    from engine.kernels.valuing import Evaluator

PLAYOUT_EXPLORATION: Final = 0.7  # by self-play 0.4 to 0.9 are as good, 1.2 is worse
VALUED_EXPLORATION: Final = 0.2  # 0.15 is as good, 0.5 costs 70 Elo, 0.8 a hundred
MAX_NODES: Final = 4_000_000  # 102 MB
NODES_PER_ITERATION: Final = 9
KEPT_SHARE: Final = 3  # a third of a full tree is kept
LEAST_SHARE: Final = 100  # keeping less than a hundredth is not worth the time
SCAN_SECONDS: Final = 6e-9  # to scan a node of the tree
ROOM_SECONDS: Final = 2.5e-8  # to make room, per node that may be kept


# A move, its visits, what the side that makes it can expect (None if unknown), its certain result
# as a kernel code, and the most plies until that comes, if known.
KnownMove = tuple[Cell, int, float | None, int, int | None]


class SearchTree(ABC):
    """A tree that grows from a position; nodes are numbers."""

    _tree: Any
    _columns: Mapping[str, NDArray[Any]] | NDArray[Any]  # of the nodes, by name
    _loaded: Loaded
    _state: State

    @property
    def root(self) -> int:
        """The node of the position searched."""
        return 0

    @abstractmethod
    def grow(self, rng: Rng, iterations: int, node_limit: int) -> int:
        """Run iterations; return how many, fewer if nothing is left to find or there is no room."""

    @property
    def wants_room(self) -> bool:
        """Whether the tree is full and can forget something."""
        return False

    def make_room(self, seconds: float) -> None:  # noqa: B027  # not every tree can
        """Forget what was visited least, unless that would take longer than `seconds`."""

    def follow(self, moves: tuple[Cell, ...], position: Position) -> bool:
        """Move the root along `moves` to `position`; return False if the tree cannot."""
        del position
        return not moves

    @abstractmethod
    def restart(self, position: Position) -> None:
        """Start over with `position`, in the same memory."""

    def note(self, move: Cell, proof: int) -> None:  # noqa: B027  # not every tree can
        """Set the certain result of a move at the root, as a kernel code."""

    def claim(self) -> None:
        """Claim all memory now, not as the tree grows; the tree must be new.

        The system hands memory out in large pieces, and clearing one takes a millisecond that
        no search allows for.
        """
        for column in self._tree:
            column[1:] = 0

    @abstractmethod
    def moves_at(self, node: int) -> Iterator[KnownMove]:
        """Yield what is known of the moves at a node, in the order of its children."""

    @property
    def nodes(self) -> int:
        """The number of nodes in use."""
        return int(self._tree.head[0])

    def children(self, node: int) -> range:
        """Return the children of a node."""
        first = int(self._columns["first"][node])
        return range(first, first + int(self._columns["counts"][node]))

    def visits(self, node: int) -> int:
        """Return how many iterations went through a node."""
        return int(self._columns["visits"][node])

    def proof(self, node: int) -> int:
        """Return the certain result of a node as a kernel code."""
        return int(self._columns["proof"][node])

    def _at(self, node: int, *columns: str) -> Iterator[list[Any]]:
        """Yield the values of columns for the children of a node."""
        children = self.children(node)
        span = slice(children.start, children.stop)
        return (self._columns[column][span].tolist() for column in columns)


class PlayoutTree(SearchTree):
    """UCT: one random game per iteration."""

    def __init__(self, position: Position, capacity: int) -> None:
        self._tree = kernels.tree.make_tree(capacity)
        self._columns = self._tree._asdict()
        self._scratch = kernels.tree.make_scratch(position.rules.depth)
        self.restart(position)

    def restart(self, position: Position) -> None:
        """Start over with `position`, in the same memory."""
        self._loaded = loaded_rules(position.rules)
        self._state = position.search_state()
        kernels.tree.clear(self._tree, position.side)

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

    def moves_at(self, node: int) -> Iterator[KnownMove]:
        """Yield what is known of the moves at a node: what they won on average."""
        known = self._at(node, "move", "visits", "points", "proof")
        for move, visits, points, proof in zip(*known, strict=True):
            yield move, visits, points / 2 / visits if visits else None, proof, None


class ValuedTree(SearchTree):
    """PUCT: an evaluator values all moves of a position at once."""

    def __init__(
        self, position: Position, capacity: int, evaluator: Evaluator, *, forgets: bool = True
    ) -> None:
        self._forgets = forgets
        self._evaluator = evaluator
        self._tree: kernels.puct.Tree = kernels.puct.make_tree(capacity)
        self._columns = self._tree.nodes
        self._scratch = kernels.puct.make_scratch(position.rules.depth)
        # An expansion may need room for a child in every cell.
        self._full = self._tree.nodes.size - position.rules.cell_count
        self.restart(position)

    def restart(self, position: Position) -> None:
        """Start over with `position`, in the same memory."""
        self._loaded = loaded_rules(position.rules)
        self._state = position.search_state()
        self._is_stuck = False  # whether there was no time to make room
        kernels.puct.clear(self._tree)

    @property
    def root(self) -> int:
        """The node of the position searched."""
        return int(self._tree.head[kernels.puct.ROOT])

    def grow(self, rng: Rng, iterations: int, node_limit: int) -> int:
        """Run iterations; return how many, fewer once proven, at the limit of nodes or full."""
        if self._forgets and not self._is_stuck:
            node_limit = min(node_limit, self._full)
        return kernels.puct.grow(
            self._tree,
            self._state,
            self._scratch,
            *self._loaded,
            self._evaluator,
            rng,
            VALUED_EXPLORATION,
            iterations,
            node_limit,
        )

    @property
    def wants_room(self) -> bool:
        """Whether the tree is full and can forget something."""
        is_full = self.nodes >= self._full
        return self._forgets and is_full and not self._is_stuck and not self.proof(self.root)

    def make_room(self, seconds: float) -> None:
        """Forget what was visited least; if there is too little time for that, stop growing."""
        tree, capacity = self._tree, self._tree.nodes.size
        places, sizes = kernels.puct.make_places(tree), kernels.puct.make_sizes()
        wanted = capacity // KEPT_SHARE
        most = min(self.nodes, NODES_PER_ITERATION * self.visits(self.root))
        if most * ROOM_SECONDS > seconds:  # keep fewer, or give up
            wanted = min(wanted, int((seconds / 2 - self.nodes * SCAN_SECONDS) / ROOM_SECONDS))
            if wanted < capacity // LEAST_SHARE:
                self._is_stuck = True
                return
            kernels.puct.prune(tree, wanted, sizes)
        kernels.puct.compact(tree, places)
        if self.nodes > wanted:
            kernels.puct.prune(tree, wanted, sizes)
            kernels.puct.compact(tree, places)
        self._is_stuck = self.wants_room

    def follow(self, moves: tuple[Cell, ...], position: Position) -> bool:
        """Make the node after `moves` the root; return False if the tree cannot go on there."""
        if not all(kernels.puct.advance(self._tree, move) for move in moves):
            return False
        self._state, self._is_stuck = position.search_state(), False
        # A certain result must have moves to show, and an open one needs room for them.
        is_full = self.nodes >= self._full
        return bool(self.children(self.root)) or not (is_full or self.proof(self.root))

    def note(self, move: Cell, proof: int) -> None:
        """Set the certain result of a move at the root, as a kernel code."""
        ply = int(self._state.words[kernels.codes.WORD_PLY])
        kernels.puct.note(self._tree, self._scratch.path, move, proof, 80 - ply, ply & 1)

    def moves_at(self, node: int) -> Iterator[KnownMove]:
        """Yield what is known of the moves at a node."""
        known = self._at(node, "move", "visits", "value", "proof", "distance")
        return zip(*known, strict=True)
