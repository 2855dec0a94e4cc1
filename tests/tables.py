"""The authors' published tables of Strategic Tic-Tac-Toe, which the program does not use itself."""

from __future__ import annotations

import csv
from pathlib import Path

FOLDER = Path(__file__).parent / "sttt"


def read_table(name: str) -> list[list[str]]:
    """Return the rows of a table; the README in its folder says what it holds."""
    with (FOLDER / name).open(newline="") as file:
        return list(csv.reader(file))
