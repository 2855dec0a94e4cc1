"""What is known of a nine-bit mask, read from an entry of `Tables.masks`."""

from __future__ import annotations

from engine.kernels._jit import kernel
from engine.kernels.codes import COUNT, PICK


@kernel
def count_of(entry: int) -> int:
    """Return how many bits the mask has."""
    return int(entry >> COUNT)


@kernel
def place_of(entry: int, index: int) -> int:
    """Return the place of a set bit, counted from 0 upwards."""
    return int(entry >> (PICK + 4 * index) & 15)
