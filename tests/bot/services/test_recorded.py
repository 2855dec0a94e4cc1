"""Whole matches are answered, told and stored as they were before."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.bot.services.recording import FOLDER, tell


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.txt")), ids=lambda script: script.stem)
def test_a_match_goes_as_it_went(script: Path) -> None:
    """If a change is intended: `python -m tests.bot.services.recording --regenerate`; review it."""
    assert asyncio.run(tell(script.read_text())) == script.read_text()
