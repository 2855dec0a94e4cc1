"""Growing trees until a limit: chunks of kernel work, one thread for each tree.

A chunk is one or two milliseconds of compiled work without the interpreter's
lock, so that a search can be cancelled soon and leaves other threads alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from engine import kernels
from engine.search.report import Limit

if TYPE_CHECKING:
    from engine.search.trees import SearchTree

CHUNK_SECONDS: Final = 0.0015
FIRST_CHUNK: Final = 16

_SEED_STEP: Final = 0x9E3779B97F4A7C15  # the seeds of the trees are far from each other's


def grow_all(
    trees: Sequence[SearchTree],
    seed: int,
    started: float,
    limit: Limit,
    stop: threading.Event | None,
) -> int:
    """Grow every tree in a thread of its own; return the sum of the iterations.

    Limits in iterations and nodes are shared out, so that they mean the same for any
    number of trees. With a limit in time alone, the first tree to be certain of the
    result ends the others too; otherwise that would make chance of a seed.
    """
    parts = [_part(limit, place, len(trees)) for place in range(len(trees))]
    if len([part for part in parts if part is not None]) == 1:
        assert parts[0] is not None
        return grow_until(trees[0], kernels.rng.make_rng(seed), started, parts[0], (stop,))
    certain = threading.Event()
    is_timed = limit.iterations is None and limit.nodes is None

    def grow(place: int) -> int:
        part, rng = parts[place], kernels.rng.make_rng(seed + place * _SEED_STEP)
        if part is None:
            return 0
        iterations = grow_until(trees[place], rng, started, part, (stop, certain))
        if is_timed and trees[place].proof(trees[place].root) != kernels.codes.ONGOING:
            certain.set()
        return iterations

    with ThreadPoolExecutor(len(trees) - 1, thread_name_prefix="search") as pool:
        others = [pool.submit(grow, place) for place in range(1, len(trees))]
        return grow(0) + sum(other.result() for other in others)


def _part(limit: Limit, place: int, count: int) -> Limit | None:
    """Return the part of a limit that is for one of the trees, None if nothing is left."""
    iterations, nodes = (
        None if whole is None else (whole + count - 1 - place) // count
        for whole in (limit.iterations, limit.nodes)
    )
    if iterations == 0 or nodes == 0:
        return None
    return replace(limit, iterations=iterations, nodes=nodes)


def grow_until(
    tree: SearchTree,
    rng: kernels.codes.Rng,
    started: float,
    limit: Limit,
    stops: Sequence[threading.Event | None],
) -> int:
    """Run chunks until a limit is reached, a stop is set or the result is certain.

    The first chunk, some microseconds, is always run: there is always a move.
    """
    chunk, iterations = FIRST_CHUNK, 0
    node_limit = 2**62 if limit.nodes is None else tree.nodes + limit.nodes
    while True:
        if limit.iterations is not None:
            chunk = min(chunk, limit.iterations - iterations)
        before = time.perf_counter()
        done = tree.grow(rng, chunk, node_limit)
        now = time.perf_counter()
        iterations += done
        if done < chunk or iterations == limit.iterations:
            return iterations
        if any(stop is not None and stop.is_set() for stop in stops):
            return iterations
        wanted = CHUNK_SECONDS
        if limit.seconds is not None:
            left = started + limit.seconds - now
            if left <= 0:
                return iterations
            wanted = min(wanted, left)
        # At most doubled at once: the first chunk may have been slow for another reason.
        rate = done / max(now - before, 1e-6)
        chunk = max(FIRST_CHUNK, min(2 * chunk, int(rate * wanted)))
