"""The authors' published tables of Strategic Tic-Tac-Toe, where they are at hand.

They are not part of this project, which generates its own. `STTT_TABLES` names
their folder; without it the tests look in a folder beside the checkout, and
skip if it is not there.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

PLACES = (
    Path(os.environ.get("STTT_TABLES", "/nonexistent")),
    Path(__file__).resolve().parents[2] / "shared" / "sttt",
)


def read_table(name: str) -> list[list[str]]:
    """Return the rows of a table, or skip the test where there is none."""
    path = next((place / name for place in PLACES if (place / name).is_file()), None)
    if path is None:
        pytest.skip(f"{name} is not at hand: STTT_TABLES may name its folder")
    with path.open(newline="") as file:
        return list(csv.reader(file))
