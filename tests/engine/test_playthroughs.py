"""A game of every variant is recorded as it was before."""

from __future__ import annotations

import pytest

from engine import VARIANTS
from tests.engine.playthrough import FOLDER, tell


@pytest.mark.parametrize("key", VARIANTS)
def test_a_game_is_told_verbatim(key: str):
    """If a change is intended: `python -m tests.engine.playthrough --regenerate`, and review it."""
    assert (FOLDER / f"{key}.txt").read_text() == tell(key)


def test_there_is_no_other_file():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(VARIANTS)
