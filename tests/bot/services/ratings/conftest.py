"""A rating book on a real file, and matches that are rated in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.services.ratings.league import Evening

if TYPE_CHECKING:
    from bot.storage import Database


@pytest.fixture
def evening(database: Database) -> Evening:
    """Matches to end on an open database, and the book that rates them."""
    return Evening(database)
