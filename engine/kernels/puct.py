"""The search tree over valued moves: PUCT with proofs.

Depth 2 and 3. Expanding a node values all its children at once; how good each looks is its
prior, the share of the visits that it is worth. Certain results are carried up with their
distance. The tree is an array of nodes; the children of a node lie side by side and after it.
The root is an index that moves down as the game goes on. At depth 2, transpositions share
their children: nodes of one position, reached by moves in different orders. From then on each
node has visits and a value of its own.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import large, play, valuing
from engine.kernels._jit import kernel, prefetch
from engine.kernels.codes import (
    ALL_NINE,
    CLOSED,
    DRAWN,
    MACRO,
    ONGOING,
    WORD_BANNED,
    WORD_DECIDED,
    WORD_PLY,
    WORD_TARGET,
    X_WON,
    Ints,
    Rng,
    RuleCodes,
    State,
    Tables,
    empty_state,
)
from engine.kernels.rng import below
from engine.kernels.valuing import Evaluator, Room

# Places in `Tree.head`.
USED: Final = 0  # nodes in use
ROOT: Final = 1
SLOTS: Final = 2  # how much of the transposition table is in use
NOTED: Final = 3  # how many positions have been stored there

FIRST_SLOTS: Final = 4096  # small enough for the cache; doubled as the table fills

LONGEST: Final = 730  # no game has more moves than cells; one more for the root
DRAW_AT_HAND: Final = 1
JITTER: Final = 0.1  # the prior of a root move changes at random by up to this share


# A node. The fields of a child lie together: a search waits for memory most of the time.
NODE: Final = np.dtype(
    [
        ("visits", np.int32),  # iterations that went through it
        ("value", np.float32),  # what the side that moved here can expect; at first a guess
        ("pull", np.float32),  # its prior, by its visits + 1: the less explored, the stronger
        ("first", np.int32),  # the first child
        ("counts", np.int16),  # how many children, 0 before it is expanded
        ("move", np.int16),  # the move that leads here
        ("distance", np.int16),  # the most plies until a certain result comes
        ("proof", np.int8),  # the certain result, ONGOING while it is not certain
    ],
    align=True,
)


class Tree(NamedTuple):
    """Nodes, and a transposition table to find them by position.

    Attributes:
        nodes: NODE[capacity]. An unproven node with a child that is a certain draw has the
            distance DRAW_AT_HAND.
        head: See the places above.
        keys: The keys of expanded positions, each in the slot given by its low bits.
        holders: For each key, the node that was expanded.
    """

    nodes: NDArray[Any]
    head: Ints
    keys: Ints
    holders: NDArray[np.int32]


class Scratch(NamedTuple):
    """Scratch space, made once because kernels allocate nothing.

    Attributes:
        work: The position of the running iteration.
        path: The nodes from the root to the leaf.
        room: For valuing moves.
    """

    work: State
    path: Ints
    room: Room


def make_tree(capacity: int) -> Tree:
    """Return a tree of the root alone, with room for `capacity` nodes."""
    noted = 1 << max(capacity // 8, 1).bit_length()
    tree = Tree(
        nodes=np.empty(capacity, dtype=NODE),
        head=np.zeros(4, dtype=np.int64),
        keys=np.zeros(noted, dtype=np.int64),
        holders=np.zeros(noted, dtype=np.int32),
    )
    clear(tree)
    return tree


def make_scratch(depth: int) -> Scratch:
    """Return scratch space for positions of a depth."""
    return Scratch(
        work=empty_state(depth),
        path=np.zeros(LONGEST, dtype=np.int64),
        room=valuing.make_room(depth),
    )


def make_places(tree: Tree) -> NDArray[np.int32]:
    """Return scratch space for `compact`: the new places of nodes."""
    return np.empty(tree.nodes.size, dtype=np.int32)


def make_sizes() -> Ints:
    """Return scratch space for `prune`, which counts nodes by visits."""
    return np.zeros((2, 33), dtype=np.int64)


@kernel
def clear(tree: Tree) -> None:
    """Reduce the tree to an unexpanded root."""
    tree.head[USED], tree.head[ROOT] = 1, 0
    tree.head[SLOTS], tree.head[NOTED] = min(FIRST_SLOTS, tree.keys.size), 0
    for slot in range(tree.head[SLOTS]):
        tree.keys[slot] = 0
    root = tree.nodes[0]
    root.visits, root.value, root.pull = 0, 0.5, 1.0
    root.first, root.counts, root.move = 0, 0, 0
    root.proof, root.distance = ONGOING, 0


@kernel
def value_moves(
    state: State, rules: RuleCodes, tables: Tables, evaluator: Evaluator, room: Room
) -> int:
    """Write legal moves, logits and results to `room`; return how many."""
    if rules.depth == 2:
        return valuing.value_moves(state.words, rules, tables, evaluator, room)
    return large.value_moves(state, rules, tables, evaluator, room)


@kernel
def expand(
    tree: Tree,
    node: int,
    state: State,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    room: Room,
) -> float:
    """Give `node` its children and return what its side to move can expect.

    Without room for children it only returns the value. A node is proven if one of its moves
    wins or all of them end the game.
    """
    side = play.ply(state, rules) & 1
    count = value_moves(state, rules, tables, evaluator, room)
    total = np.float32(0.0)
    expected = np.float32(0.0)
    best, sure = -1.0, 1
    for index in range(count):
        value = evaluator.values[room.logits[index]]
        power = evaluator.powers[room.logits[index]]
        if room.results[index] != ONGOING:
            value = np.float32(valuing.value_of(room.results[index], side))
            power = evaluator.powers[int(value * valuing.LOGIT_STEPS)]
        else:
            sure = 0
        total += power
        expected += power * value
        best = max(best, value)
    first = tree.head[USED]
    parent = tree.nodes[node]
    if first + count <= tree.nodes.size:
        tree.head[USED] = first + count
        parent.first, parent.counts = first, count
        for index in range(count):
            result, logit = room.results[index], room.logits[index]
            value = evaluator.values[logit]
            if result != ONGOING:
                value = np.float32(valuing.value_of(result, side))
                logit = int(value * valuing.LOGIT_STEPS)
            child = tree.nodes[first + index]
            child.visits, child.value, child.pull = 0, value, evaluator.powers[logit] / total
            child.first, child.counts, child.move = 0, 0, room.moves[index]
            child.proof, child.distance = result, 0
            if result == DRAWN:
                parent.distance = DRAW_AT_HAND
    if sure or best == 1.0:
        parent.distance = 1
        if best == 0.5:
            parent.proof = DRAWN
        else:
            parent.proof = X_WON + side if best == 1.0 else X_WON + 1 - side
        return best
    return float((expected / total + best) * 0.5)  # the average is too low, the best too high


@kernel
def key_of(words: Ints, rules: RuleCodes) -> int:
    """Return the key of a position, the same for all orders of the moves that lead to it.

    Of a decided board that is closed, only the owner matters.
    """
    mixed = 0
    for third in range(3):
        packed = 0
        for board in range(3 * third, 3 * third + 3):
            own, other = words[board], words[9 + board]
            if rules.won_board == CLOSED and words[WORD_DECIDED] >> board & 1:
                own, other = words[MACRO] >> board & 1, words[MACRO + 1] >> board & 1
                own, other = own | 510, other | 510  # impossible as marks
            packed = packed << 18 | own << 9 | other
        mixed = (mixed ^ packed) * -7046029254386353131
        mixed ^= mixed >> 29 & 0x7FFFFFFFF
    # Where won boards stay in play, their marks do not always show who owns them.
    rest = (words[WORD_PLY] & 1) << 4 | words[WORD_TARGET]
    for place in (MACRO, MACRO + 1, WORD_DECIDED, WORD_BANNED):
        rest = rest << 9 | words[place] & ALL_NINE
    mixed = (mixed ^ rest) * -4417276706812531889
    return int(mixed ^ (mixed >> 32 & 0xFFFFFFFF))


@kernel
def remember(tree: Tree, key: int, node: int) -> None:
    """Store the node that was expanded for a position; double the table if it is half full."""
    keys, holders, size = tree.keys, tree.holders, tree.head[SLOTS]
    tree.head[NOTED] += 1
    if 2 * tree.head[NOTED] > size and 2 * size <= keys.size:
        tree.head[SLOTS] = 2 * size
        for slot in range(size):
            keys[slot + size] = 0
            if keys[slot] & size:
                keys[slot + size], holders[slot + size] = keys[slot], holders[slot]
                keys[slot] = 0
    slot = key & (tree.head[SLOTS] - 1)
    keys[slot], holders[slot] = key, node


@kernel
def link(tree: Tree, node: int, key: int) -> bool:
    """Let `node` share the children of a node with the same position, and copy its statistics."""
    slot = key & (tree.head[SLOTS] - 1)
    known, new = tree.nodes[tree.holders[slot]], tree.nodes[node]
    if tree.keys[slot] != key or known.counts == 0:
        return False
    new.first, new.counts = known.first, known.counts
    new.pull *= np.float32(new.visits + 1) / np.float32(known.visits + 1)
    new.visits, new.value = known.visits, known.value
    new.proof, new.distance = known.proof, known.distance
    return True


@kernel
def settle(tree: Tree, node: int, side: int) -> bool:
    """Prove a node if one of its children wins or all are certain; return whether it is proven."""
    parent, distance = tree.nodes[node], 0
    is_drawn, is_open = False, False
    for place in range(parent.first, parent.first + parent.counts):
        child = tree.nodes[place]
        if child.proof == X_WON + side:
            parent.proof, parent.distance = X_WON + side, child.distance + 1
            return True
        is_open = is_open or child.proof == ONGOING
        is_drawn = is_drawn or child.proof == DRAWN
        distance = max(distance, int(child.distance))
    if is_open:
        if is_drawn:
            parent.distance = DRAW_AT_HAND
        return False
    parent.proof, parent.distance = DRAWN if is_drawn else X_WON + 1 - side, distance + 1
    return True


@kernel
def choose(tree: Tree, node: int, exploration: float, side: int) -> int:
    """Return the child to follow: the best sum of value and exploration.

    Children with a certain result are left out. Return -1 if they make the node's own result
    certain: they were proven by way of another node. A draw at hand takes effect in `backup`.
    """
    # A quarter of a search is spent here. So no branch depends on a score, and places begin with 0,
    # which spares numba the check for negative indices.
    parent = tree.nodes[node]
    children = tree.nodes[parent.first : parent.first + parent.counts]
    bonus = np.float32(exploration * math.sqrt(parent.visits + 1.0))
    best, best_score, proofs = 0, np.float32(-1.0), 0
    for place in range(children.size):
        child = children[place]
        proofs |= 1 << child.proof
        score = child.value + bonus * child.pull
        score = score if child.proof == ONGOING else np.float32(-1.0)
        best = place if score > best_score else best
        best_score = max(score, best_score)
    if proofs >> DRAWN & 1:
        parent.distance = DRAW_AT_HAND
    if proofs >> (X_WON + side) & 1 or proofs >> ONGOING & 1 == 0:
        return -1
    return int(parent.first + best)


@kernel
def prove(tree: Tree, path: Ints, length: int, root_side: int) -> None:
    """Carry the certain result of the last node of the path upwards."""
    for place in range(length - 1, -1, -1):
        if not settle(tree, path[place], (root_side + place) & 1):
            return


@kernel
def backup(tree: Tree, path: Ints, length: int, value: float) -> None:
    """Back up the value at the end of the path; with a draw at hand it is at least a draw."""
    for place in range(length, -1, -1):
        node = tree.nodes[path[place]]
        if node.distance == DRAW_AT_HAND and node.proof == ONGOING:
            value = max(value, 0.5)
        value = 1.0 - value
        node.visits += 1
        node.value += np.float32((value - node.value) / node.visits)
        node.pull *= np.float32(node.visits) / np.float32(node.visits + 1)


@kernel
def shuffle(tree: Tree, rng: Rng) -> None:
    """Change the priors of the root's moves a little, so that games differ."""
    root = tree.nodes[tree.head[ROOT]]
    for child in range(root.first, root.first + root.counts):
        luck = below(rng, 1024) / 1024.0 - 0.5
        tree.nodes[child].pull *= np.float32(1.0 + 2.0 * JITTER * luck)


@kernel
def grow(
    tree: Tree,
    start: State,
    scratch: Scratch,
    rules: RuleCodes,
    tables: Tables,
    evaluator: Evaluator,
    rng: Rng,
    exploration: float,
    iteration_count: int,
    node_limit: int,
) -> int:
    """Run iterations from the root, position `start`; return how many.

    It stops early once the root is proven or the tree has `node_limit` nodes. If that is more
    than the tree has room for, the search goes on in the full tree without growing it. A root
    without children is expanded first, which does not count.
    """
    work, path, root = scratch.work, scratch.path, tree.head[ROOT]
    root_side = play.ply(start, rules) & 1
    done = -1 if tree.nodes[root].counts == 0 else 0
    while done < iteration_count:
        is_over = tree.nodes[root].proof != ONGOING or tree.head[USED] >= node_limit
        if is_over and tree.nodes[root].counts > 0:
            return max(done, 0)
        play.copy(work, start, rules)
        node, length, side = root, 0, root_side
        path[0] = root
        while tree.nodes[node].counts > 0 and tree.nodes[node].proof == ONGOING:
            child = choose(tree, node, exploration, side)
            if child < 0:
                settle(tree, node, side)
                prove(tree, path, length, root_side)
                break
            node = child
            prefetch(tree.nodes, tree.nodes[child].first)  # looked at next, after the move
            play.push(work, rules, tables, int(tree.nodes[node].move))
            length += 1
            path[length] = node
            side = (root_side + length) & 1
        if tree.nodes[node].proof != ONGOING:
            value = valuing.value_of(tree.nodes[node].proof, side)
        else:
            key = key_of(work.words, rules) if rules.depth == 2 else 0
            if rules.depth == 2 and link(tree, node, key):
                value = 1.0 - tree.nodes[node].value
            else:
                value = expand(tree, node, work, rules, tables, evaluator, scratch.room)
                if rules.depth == 2 and tree.nodes[node].counts > 0:
                    remember(tree, key, node)
            if tree.nodes[node].proof != ONGOING:
                prove(tree, path, length, root_side)
                value = valuing.value_of(tree.nodes[node].proof, side)
        if done < 0:
            shuffle(tree, rng)
        else:
            backup(tree, path, length, value)
        done += 1
    return iteration_count


@kernel
def advance(tree: Tree, move: int) -> bool:
    """Make the child of `move` the root; False when the tree does not have it."""
    root = tree.nodes[tree.head[ROOT]]
    for child in range(root.first, root.first + root.counts):
        if tree.nodes[child].move == move:
            tree.head[ROOT] = child
            return True
    return False


@kernel
def note(tree: Tree, path: Ints, move: int, proof: int, distance: int, side: int) -> None:
    """Set the certain result of `move` at the root, where `side` is to move."""
    root = tree.nodes[tree.head[ROOT]]
    for child in range(root.first, root.first + root.counts):
        if tree.nodes[child].move == move:
            tree.nodes[child].proof, tree.nodes[child].distance = proof, distance
            path[0], path[1] = tree.head[ROOT], child
            prove(tree, path, 1, side)


@kernel
def bucket_of(visits: int) -> int:
    """Return how many binary digits a number of visits has."""
    bucket = 0
    while visits > 0:
        visits >>= 1
        bucket += 1
    return bucket


@kernel
def prune(tree: Tree, wanted: int, sizes: Ints) -> None:
    """Cut off the children of the least visited nodes, until about `wanted` nodes are left.

    Proven nodes keep theirs if those are less than half of `wanted`. Pruned nodes keep their
    value and visits, and are expanded again when the search comes back to them. `compact` drops
    the nodes that are no longer under the root. `sizes` is scratch.
    """
    used, root = tree.head[USED], tree.head[ROOT]
    for bucket in range(sizes.shape[1]):
        sizes[0, bucket] = sizes[1, bucket] = 0
    for place in range(root, used):
        node = tree.nodes[place]
        if node.counts > 0:
            row = 0 if node.proof == ONGOING else 1
            sizes[row, bucket_of(node.visits)] += node.counts
    proven = 0
    for bucket in range(sizes.shape[1]):
        proven += sizes[1, bucket]
    keeps_proofs = 2 * proven < wanted
    kept, least = proven if keeps_proofs else 0, sizes.shape[1]
    while least > 0:
        more = sizes[0, least - 1]
        if not keeps_proofs:
            more += sizes[1, least - 1]
        if kept + more > wanted:
            break
        kept += more
        least -= 1
    for place in range(root + 1, used):
        node = tree.nodes[place]
        is_seldom = node.counts > 0 and bucket_of(node.visits) < least
        if is_seldom and (node.proof == ONGOING or not keeps_proofs):
            node.counts = 0


@kernel
def renumber(tree: Tree, places: NDArray[np.int32]) -> None:
    """Update the transposition table to the new places of nodes, 0 for those that are dropped."""
    for slot in range(tree.head[SLOTS]):
        place = places[tree.holders[slot]] if tree.keys[slot] != 0 else 0
        tree.holders[slot] = place
        if place == 0:
            tree.keys[slot] = 0


@kernel
def compact(tree: Tree, places: NDArray[np.int32]) -> None:
    """Drop everything that is not under the root; `places` is scratch, as long as the tree.

    Children come after their parents, except those that a node shares with an earlier one.
    """
    nodes, root, used = tree.nodes, tree.head[ROOT], tree.head[USED]
    for place in range(used):
        places[place] = 0
    places[root] = 1
    kept = 0
    for place in range(root, used):
        if places[place] == 0:
            continue
        first, count = nodes[place].first, nodes[place].counts
        if count > 0 and first < place and places[first] == 0:
            count = 0  # they belonged to another node, which is dropped
        if first > place:
            for child in range(first, first + count):
                places[child] = 1
        places[place] = kept
        nodes[kept] = nodes[place]
        nodes[kept].counts = count
        kept += 1
    for place in range(kept):
        if nodes[place].counts > 0:
            nodes[place].first = places[nodes[place].first]
    tree.head[USED], tree.head[ROOT] = kept, 0
    renumber(tree, places)
