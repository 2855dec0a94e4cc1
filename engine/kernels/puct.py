"""The search tree over valued moves: PUCT with proofs.

Depth 2 and 3. When a node is expanded all its children are valued at once; how good
they look is the prior of each. Endings that are certain are carried
up with their distance. The tree lives in flat arrays, the children of a node side by
side and after their parent; the root is a number that moves down as the game goes on.
At depth 2 nodes of the same position share their children, whatever the order of the
moves that led there; visits and value are each node's own from then on.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import large, play, valuing
from engine.kernels._jit import kernel
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
ERA: Final = 2  # how often nodes have got other numbers: what was noted before is void

LONGEST: Final = 730  # no game is longer than it has cells, and one for the root
DRAW_AT_HAND: Final = 1
JITTER: Final = 0.1  # how much chance may change the prior of a move at the root


class Tree(NamedTuple):
    """Nodes as columns.

    Attributes:
        visits: Iterations that went through the node.
        value: What the side that moved here can expect; a first guess before any visit.
        prior: The part of its parent's visits that it looks good enough for.
        first: The first child.
        counts: How many children, 0 before the node is expanded.
        move: The move that leads here.
        proof: The certain result, ONGOING while it is not certain.
        distance: In how many plies at most a certain result comes; DRAW_AT_HAND for a
            node that is not proven but has a child that draws for certain.
        head: See the places above.
        keys: Of positions that were expanded, where they were noted.
        holders: The node that was expanded there.
    """

    visits: NDArray[np.int32]
    value: NDArray[np.float32]
    prior: NDArray[np.float32]
    first: NDArray[np.int32]
    counts: NDArray[np.int16]
    move: NDArray[np.int16]
    proof: NDArray[np.int8]
    distance: NDArray[np.int16]
    head: Ints
    keys: Ints
    holders: NDArray[np.int32]


class Scratch(NamedTuple):
    """Room to work in, made once because kernels allocate nothing.

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
        visits=np.empty(capacity, dtype=np.int32),
        value=np.empty(capacity, dtype=np.float32),
        prior=np.empty(capacity, dtype=np.float32),
        first=np.empty(capacity, dtype=np.int32),
        counts=np.empty(capacity, dtype=np.int16),
        move=np.empty(capacity, dtype=np.int16),
        proof=np.empty(capacity, dtype=np.int8),
        distance=np.empty(capacity, dtype=np.int16),
        head=np.zeros(3, dtype=np.int64),
        keys=np.zeros(noted, dtype=np.int64),
        holders=np.zeros(noted, dtype=np.int32),
    )
    clear(tree)
    return tree


def make_scratch(depth: int) -> Scratch:
    """Return room to work in for positions of a depth."""
    return Scratch(
        work=empty_state(depth),
        path=np.zeros(LONGEST, dtype=np.int64),
        room=valuing.make_room(depth),
    )


def make_places(tree: Tree) -> NDArray[np.int32]:
    """Return room for `compact` to note where nodes go."""
    return np.empty_like(tree.first)


def make_sizes() -> Ints:
    """Return room for `prune` to count nodes by their visits."""
    return np.zeros((2, 33), dtype=np.int64)


@kernel
def clear(tree: Tree) -> None:
    """Leave an unexpanded root alone in the tree."""
    tree.head[USED], tree.head[ROOT] = 1, 0
    tree.head[ERA] += 1
    tree.visits[0] = 0
    tree.value[0] = 0.5
    tree.prior[0] = 1.0
    tree.first[0] = 0
    tree.counts[0] = 0
    tree.move[0] = 0
    tree.proof[0] = ONGOING
    tree.distance[0] = 0


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

    With no room left the value is returned all the same. A node with a move that wins, or
    with no move that leaves the end open, is proven.
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
    if first + count <= tree.visits.size:
        tree.head[USED] = first + count
        tree.first[node] = first
        tree.counts[node] = count
        for index in range(count):
            child = first + index
            result = room.results[index]
            logit = room.logits[index]
            value = evaluator.values[logit]
            if result != ONGOING:
                value = np.float32(valuing.value_of(result, side))
                logit = int(value * valuing.LOGIT_STEPS)
            tree.visits[child] = 0
            tree.value[child] = value
            tree.prior[child] = evaluator.powers[logit] / total
            tree.counts[child] = 0
            tree.move[child] = room.moves[index]
            tree.proof[child] = result
            tree.distance[child] = 0
            if result == DRAWN:
                tree.distance[node] = DRAW_AT_HAND
    if sure or best == 1.0:
        tree.distance[node] = 1
        if best == 0.5:
            tree.proof[node] = DRAWN
        else:
            tree.proof[node] = X_WON + side if best == 1.0 else X_WON + 1 - side
        return best
    return float((expected / total + best) * 0.5)  # the average is too low, the best too high


@kernel
def key_of(words: Ints, rules: RuleCodes, era: int) -> int:
    """Return the key of a position: moves in another order lead to the same.

    Of a board that is decided and closed only the owner matters.
    """
    mixed = (era + 1) * 2862933555777941757  # eras are small: unmixed they would pass for marks
    mixed ^= mixed >> 32 & 0xFFFFFFFF
    for third in range(3):
        packed = 0
        for board in range(3 * third, 3 * third + 3):
            own, other = words[board], words[9 + board]
            if rules.won_board == CLOSED and words[WORD_DECIDED] >> board & 1:
                own, other = words[MACRO] >> board & 1, words[MACRO + 1] >> board & 1
                own, other = own | 510, other | 510  # no marks are like this
            packed = packed << 18 | own << 9 | other
        mixed = (mixed ^ packed) * -7046029254386353131
        mixed ^= mixed >> 29 & 0x7FFFFFFFF
    # Who owns a board is more than its marks say where won boards stay in play.
    rest = words[WORD_PLY] << 4 | words[WORD_TARGET]
    for place in (MACRO, MACRO + 1, WORD_DECIDED, WORD_BANNED):
        rest = rest << 9 | words[place] & ALL_NINE
    mixed = (mixed ^ rest) * -4417276706812531889
    return int(mixed ^ (mixed >> 32 & 0xFFFFFFFF))


@kernel
def link(tree: Tree, node: int, key: int) -> bool:
    """Let `node` share the children of a node with the same position, and what is known of it."""
    slot = key & (tree.keys.size - 1)
    known = tree.holders[slot]
    if tree.keys[slot] != key or tree.counts[known] == 0:
        return False
    tree.first[node], tree.counts[node] = tree.first[known], tree.counts[known]
    tree.visits[node], tree.value[node] = tree.visits[known], tree.value[known]
    tree.proof[node], tree.distance[node] = tree.proof[known], tree.distance[known]
    return True


@kernel
def settle(tree: Tree, node: int, side: int) -> bool:
    """Prove a node if one of its children wins or all are certain; return whether it is proven."""
    first, distance = tree.first[node], 0
    is_drawn, is_open = False, False
    for child in range(first, first + tree.counts[node]):
        if tree.proof[child] == X_WON + side:
            tree.proof[node], tree.distance[node] = X_WON + side, tree.distance[child] + 1
            return True
        is_open = is_open or tree.proof[child] == ONGOING
        is_drawn = is_drawn or tree.proof[child] == DRAWN
        distance = max(distance, int(tree.distance[child]))
    if is_open:
        if is_drawn:
            tree.distance[node] = DRAW_AT_HAND
        return False
    tree.proof[node] = DRAWN if is_drawn else X_WON + 1 - side
    tree.distance[node] = distance + 1
    return True


@kernel
def choose(tree: Tree, node: int, exploration: float, side: int) -> int:
    """Return the child to follow: the best sum of value and exploration.

    Children whose result is certain are left out. -1 where that of the node is certain, too: its
    children have been proven by way of another node. That a draw is at hand counts in `backup`.
    """
    best = -1
    best_score = np.float32(-1.0)
    visits = tree.visits[node]
    bonus = np.float32(exploration * math.sqrt(visits + 1.0))
    first = tree.first[node]
    for child in range(first, first + tree.counts[node]):
        if tree.proof[child] != ONGOING:
            if tree.proof[child] == X_WON + side:
                return -1
            if tree.proof[child] == DRAWN:
                tree.distance[node] = DRAW_AT_HAND
            continue
        score = tree.value[child] + bonus * tree.prior[child] / np.float32(tree.visits[child] + 1)
        if score > best_score:
            best, best_score = child, score
    return best


@kernel
def prove(tree: Tree, path: Ints, length: int, root_side: int) -> None:
    """Carry the certain result of the last node of the path upwards."""
    for place in range(length - 1, -1, -1):
        if not settle(tree, path[place], (root_side + place) & 1):
            return


@kernel
def backup(tree: Tree, path: Ints, length: int, value: float) -> None:
    """Add the value of the end of the path to all of it; a draw at hand is the least to expect."""
    for place in range(length, -1, -1):
        node = path[place]
        if tree.distance[node] == DRAW_AT_HAND and tree.proof[node] == ONGOING:
            value = max(value, 0.5)
        value = 1.0 - value
        tree.visits[node] += 1
        tree.value[node] += np.float32((value - tree.value[node]) / tree.visits[node])


@kernel
def shuffle(tree: Tree, rng: Rng) -> None:
    """Change the priors of the root's moves a little, so that games differ."""
    root = tree.head[ROOT]
    first = tree.first[root]
    for child in range(first, first + tree.counts[root]):
        luck = below(rng, 1024) / 1024.0 - 0.5
        tree.prior[child] *= np.float32(1.0 + 2.0 * JITTER * luck)


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

    They are fewer once the root is proven or the tree has `node_limit` nodes; where that is
    more than it has room for, a full tree is searched on without growing. A root
    without children is expanded first, which does not count.
    """
    work, path, root = scratch.work, scratch.path, tree.head[ROOT]
    root_side = play.ply(start, rules) & 1
    done = -1 if tree.counts[root] == 0 else 0
    while done < iteration_count:
        is_over = tree.proof[root] != ONGOING or tree.head[USED] >= node_limit
        if is_over and tree.counts[root] > 0:
            return max(done, 0)
        play.copy(work, start, rules)
        node, length, side = root, 0, root_side
        path[0] = root
        while tree.counts[node] > 0 and tree.proof[node] == ONGOING:
            child = choose(tree, node, exploration, side)
            if child < 0:
                settle(tree, node, side)
                prove(tree, path, length, root_side)
                break
            node = child
            play.push(work, rules, tables, int(tree.move[node]))
            length += 1
            path[length] = node
            side = (root_side + length) & 1
        if tree.proof[node] != ONGOING:
            value = valuing.value_of(tree.proof[node], side)
        else:
            key = key_of(work.words, rules, tree.head[ERA]) if rules.depth == 2 else 0
            if rules.depth == 2 and link(tree, node, key):
                value = 1.0 - tree.value[node]
            else:
                value = expand(tree, node, work, rules, tables, evaluator, scratch.room)
                if rules.depth == 2 and tree.counts[node] > 0:
                    slot = key & (tree.keys.size - 1)
                    tree.keys[slot], tree.holders[slot] = key, node
            if tree.proof[node] != ONGOING:
                prove(tree, path, length, root_side)
                value = valuing.value_of(tree.proof[node], side)
        if done < 0:
            shuffle(tree, rng)
        else:
            backup(tree, path, length, value)
        done += 1
    return iteration_count


@kernel
def advance(tree: Tree, move: int) -> bool:
    """Make the child of `move` the root; False when the tree does not have it."""
    root = tree.head[ROOT]
    first = tree.first[root]
    for child in range(first, first + tree.counts[root]):
        if tree.move[child] == move:
            tree.head[ROOT] = child
            return True
    return False


@kernel
def note(tree: Tree, path: Ints, move: int, proof: int, distance: int, side: int) -> None:
    """Take for certain what comes of `move` at the root, where `side` is to move."""
    root = tree.head[ROOT]
    first = tree.first[root]
    for child in range(first, first + tree.counts[root]):
        if tree.move[child] == move:
            tree.proof[child], tree.distance[child] = proof, distance
            path[0], path[1] = root, child
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
    """Forget what came after the nodes visited least, until about `wanted` nodes are left.

    What is certain is kept where that is enough. The nodes themselves keep their value, and
    their visits: they are expanded again when the search comes back to them. Those that are no
    longer under the root are dropped by `compact`. `sizes` is scratch.
    """
    used, root = tree.head[USED], tree.head[ROOT]
    for bucket in range(sizes.shape[1]):
        sizes[0, bucket] = sizes[1, bucket] = 0
    for node in range(root, used):
        if tree.counts[node] > 0:
            row = 0 if tree.proof[node] == ONGOING else 1
            sizes[row, bucket_of(tree.visits[node])] += tree.counts[node]
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
    for node in range(root + 1, used):
        is_seldom = tree.counts[node] > 0 and bucket_of(tree.visits[node]) < least
        if is_seldom and (tree.proof[node] == ONGOING or not keeps_proofs):
            tree.counts[node] = 0


@kernel
def compact(tree: Tree, places: NDArray[np.int32]) -> None:
    """Drop everything that is not under the root; `places` is scratch, as long as the tree.

    Children come after their parents, but for those that a node shares with an earlier one.
    """
    root, used = tree.head[ROOT], tree.head[USED]
    for node in range(used):
        places[node] = 0
    places[root] = 1
    kept = 0
    for node in range(root, used):
        if places[node] == 0:
            continue
        first, count = tree.first[node], tree.counts[node]
        if count > 0 and first < node and places[first] == 0:
            count = 0  # they were another node's, which is dropped
        if first > node:
            for child in range(first, first + count):
                places[child] = 1
        places[node] = kept
        tree.visits[kept] = tree.visits[node]
        tree.value[kept] = tree.value[node]
        tree.prior[kept] = tree.prior[node]
        tree.first[kept] = first
        tree.counts[kept] = count
        tree.move[kept] = tree.move[node]
        tree.proof[kept] = tree.proof[node]
        tree.distance[kept] = tree.distance[node]
        kept += 1
    for node in range(kept):
        if tree.counts[node] > 0:
            tree.first[node] = places[tree.first[node]]
    tree.head[USED], tree.head[ROOT] = kept, 0
    tree.head[ERA] += 1
