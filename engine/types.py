"""Names for the whole numbers of a game, so that a signature says which is meant."""

from __future__ import annotations

from typing import TypeAlias

Cell: TypeAlias = int
"""The number of a cell, row by row within each board: 0 to 80 at depth 2. A move is one."""

Side: TypeAlias = int
"""`X` or `O`."""

Ply: TypeAlias = int
"""How many moves have been played."""

LevelNumber: TypeAlias = int
"""The number of a `Level`, 1 (the weakest) to 10."""
