"""Positions reached by moves in another order share what the search knows of them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from engine import VARIANTS, Position, Rules
from engine.kernels import bitboard81, puct
from engine.kernels.codes import DRAWN, ONGOING, X_WON
from engine.kernels.rng import make_rng
from engine.position import loaded_rules
from engine.search.evaluation import load_evaluator
from engine.search.mcts import Limit
from engine.search.report import Proof
from engine.search.solving import solve
from tests.engine.search import slow_net

KEYS = ["standard", "majority", "open-board", "won-board", "tic-tac-ku", "tactical"]
NO_RETURN = "no_return=yes,won_board=forced"


class Grown:
    """A tree of some iterations from a position of a random game."""

    def __init__(self, rules: Rules, plies: int, iterations: int, seed: int = 1) -> None:
        self.rules, self.loaded = rules, loaded_rules(rules)
        rng = random.Random(seed)
        position = slow_net.random_positions(rules, 1, seed)[0]
        while position.ply != plies or position.outcome is not None:
            position = Position.initial(rules)
            while position.ply < plies and position.outcome is None:
                position = position.after(rng.choice(position.legal_moves))
        self.position = position
        self.tree = puct.make_tree(30 * iterations)
        self.scratch, self.rng = puct.make_scratch(2), make_rng(seed)
        self.grow(iterations)

    def grow(self, iterations: int) -> None:
        evaluator = load_evaluator(self.rules, "auto")
        assert evaluator is not None
        start = self.position.search_state()
        puct.grow(
            self.tree, start, self.scratch, *self.loaded, evaluator, self.rng, 0.2, iterations,
            1 << 62,
        )  # fmt: skip

    def expanded(self) -> Iterator[tuple[int, Position]]:
        """Yield each node that has children once, with its position."""
        tree, nodes, seen = self.tree, self.tree.nodes, set()
        waiting = [(int(tree.head[puct.ROOT]), self.position)]
        while waiting:
            node, position = waiting.pop()
            if node in seen or not nodes[node]["counts"]:
                continue
            seen.add(node)
            yield node, position
            for child in self.children(node):
                if nodes[child]["counts"]:
                    waiting.append((child, position.after(int(nodes[child]["move"]))))

    def children(self, node: int) -> range:
        first = int(self.tree.nodes[node]["first"])
        return range(first, first + int(self.tree.nodes[node]["counts"]))

    def check(self) -> int:
        """Check that a node's children are its legal moves, and that their priors add up to 1.

        Return how many nodes share theirs.
        """
        blocks: dict[int, list[Position]] = {}
        for node, position in self.expanded():
            moves = [int(self.tree.nodes[child]["move"]) for child in self.children(node)]
            assert tuple(sorted(moves)) == position.legal_moves
            blocks.setdefault(int(self.tree.nodes[node]["first"]), []).append(position)
            children = self.tree.nodes[self.children(node).start : self.children(node).stop]
            priors = float((children["pull"] * (children["visits"] + 1)).sum())
            is_root = node == self.tree.head[puct.ROOT]  # whose priors a little luck has changed
            assert priors == pytest.approx(1.0, abs=puct.JITTER if is_root else 1e-4)
        for positions in blocks.values():
            keys = {puct.key_of(one.search_state().words, self.loaded.codes) for one in positions}
            assert len(keys) == 1
            assert len({one.side for one in positions}) == 1
        return sum(len(positions) - 1 for positions in blocks.values())

    def known(self) -> set[Position]:
        """Check that the table's entries fit their positions; return the positions it knows."""
        tree, positions = self.tree, dict(self.expanded())
        size, known = int(tree.head[puct.SLOTS]), set()
        for slot in range(size):
            key, holder = int(tree.keys[slot]), int(tree.holders[slot])
            if key and holder in positions:
                assert key & (size - 1) == slot
                words = positions[holder].search_state().words
                assert puct.key_of(words, self.loaded.codes) == key
                known.add(positions[holder])
        return known


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("key", "plies"), [*((key, 14) for key in KEYS), (NO_RETURN, 56)])
def test_what_is_shared_fits_the_position_also_after_forgetting(key: str, plies: int):
    grown = Grown(Rules.parse(key), plies, 1500)
    shared = grown.check()
    assert shared > 0
    tree = grown.tree
    for _ in range(3):
        children = grown.children(int(tree.head[puct.ROOT]))
        best = max(children, key=lambda one: tree.nodes[one]["visits"])
        move = int(tree.nodes[best]["move"])
        grown.position = grown.position.after(move)
        assert puct.advance(tree, move)
        before, known = {position for _, position in grown.expanded()}, grown.known()
        assert len(known) > 0.7 * len(before)
        puct.compact(tree, puct.make_places(tree))
        grown.check()
        after = {position for _, position in grown.expanded()}
        assert after <= before
        assert len(after) > 0.5 * len(before)
        # The root is not looked for again; few others are known by a node that is dropped.
        kept = (known & after) - {grown.position}
        assert grown.known() <= kept
        assert len(grown.known()) > 0.9 * len(kept) > 0
        puct.prune(tree, int(tree.head[puct.USED]) // 2, puct.make_sizes())
        puct.compact(tree, puct.make_places(tree))
        grown.check()
        grown.grow(500)
        grown.check()


@pytest.mark.long
def test_the_table_of_positions_is_doubled_as_it_fills():
    tree, rng = puct.make_tree(200_000), random.Random(3)
    keys = [rng.getrandbits(63) for _ in range(12_000)]
    for node, key in enumerate(keys):
        puct.remember(tree, key, node)
    size = int(tree.head[puct.SLOTS])
    assert size == 8 * puct.FIRST_SLOTS
    kept = {key & (size - 1): (key, node) for node, key in enumerate(keys)}
    found = [(int(tree.keys[slot]), int(tree.holders[slot])) for slot in kept]
    # Two positions may have wanted the same slot while the table was small.
    assert sum(one in kept.values() for one in found) > 0.8 * len(kept)
    assert all(key == 0 or keys[node] == key for key, node in found)
    puct.clear(tree)
    assert int(tree.head[puct.SLOTS]) == puct.FIRST_SLOTS
    assert not tree.keys[: puct.FIRST_SLOTS].any()


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_that_of_the_position_however_it_came_about(key: str):
    """The same marks, target and limits have one key; in a closed board only the owner counts."""
    rules = VARIANTS[key].rules
    loaded = loaded_rules(rules)
    rng = random.Random(5)
    known: dict[int, bytes] = {}
    ways: dict[bytes, int] = {}
    for _ in range(300):
        words = Position.initial(rules).search_state().words.copy()
        moves = np.zeros(81, dtype=np.int64)
        for _ in range(60):
            count = bitboard81.legal_moves(words, loaded.codes, moves)
            if count == 0:
                break
            move = int(moves[rng.randrange(min(count, 2))])
            bitboard81.push(words, *loaded, move // 9, move % 9)
            found, state = puct.key_of(words, loaded.codes), words.tobytes()
            assert ways.setdefault(state, found) == found
            if rules.won_board.name != "CLOSED":
                assert known.setdefault(found, state) == state
    assert len(ways) > 300
    assert len(set(ways.values())) > 0.9 * len(ways)


def test_two_orders_of_moves_have_one_key():
    rules = VARIANTS["won-board"].rules
    loaded = loaded_rules(rules)
    # 55 56 65 57 75 58 and 55 57 75 56 65 58 leave the same marks and the same target.
    keys = set()
    for text in ("55 56 65 57 75 58", "55 57 75 56 65 58"):
        position = Position.initial(rules)
        for cell in text.split():
            position = position.after(9 * (int(cell[0]) - 1) + int(cell[1]) - 1)
        keys.add(puct.key_of(position.search_state().words, loaded.codes))
    assert len(keys) == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize("key", KEYS)
def test_what_sharing_proves_is_so(key: str):
    """From late positions; a search for proofs, which shares nothing with the tree, agrees."""
    rules = VARIANTS[key].rules
    checked = 0
    for seed in range(1, 7):
        grown = Grown(rules, 44, 4000, seed)
        proven = [
            (node, position)
            for node, position in grown.expanded()
            if grown.tree.nodes[node]["proof"] != ONGOING
        ]
        for node, position in random.Random(seed).sample(proven, min(6, len(proven))):
            found = solve(position, Limit(iterations=300_000)).proven
            if found is None:
                continue
            checked += 1
            said = int(grown.tree.nodes[node]["proof"])
            if said == DRAWN:
                assert found is Proof.DRAW
            else:
                assert found is (Proof.WIN if said == X_WON + position.side else Proof.LOSS)
    assert checked > 5
