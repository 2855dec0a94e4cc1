"""Random numbers from an explicit state, so that the same seed repeats a search."""

from __future__ import annotations

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.codes import Rng


def make_rng(seed: int) -> Rng:
    """Return the state of a generator; different seeds start far apart."""
    return np.random.SeedSequence(seed % 2**64).generate_state(1, np.uint64) | np.uint64(1)


@kernel
def shift(state: np.uint64) -> np.uint64:
    """Return the next state (xorshift64)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@kernel
def scale(state: np.uint64, bound: int) -> int:
    """Return the number from 0 to `bound - 1` that a state stands for."""
    return int(np.int64((state >> np.uint64(32)) * np.uint64(bound) >> np.uint64(32)))


@kernel
def below(rng: Rng, bound: int) -> int:
    """Return a number from 0 to `bound - 1` and advance `rng`."""
    rng[0] = shift(rng[0])
    return scale(rng[0], bound)
