"""How often Python looks for garbage in a process that keeps much and makes little of it."""

from __future__ import annotations

import gc
from typing import Final

# Python's own numbers are 700, 10, 10. With ten thousand matches in memory a full look
# takes a fifth of a second, in which nobody is answered, and nearly nothing is ever found.
_NEW_OBJECTS: Final = 50_000
_YOUNG_LOOKS: Final = 20
_MIDDLE_LOOKS: Final = 100


def relax() -> None:
    """Look for garbage seldom from now on, and never again among what there is already."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _YOUNG_LOOKS, _MIDDLE_LOOKS)
