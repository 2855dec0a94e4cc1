"""A book on a real file, and matches that end in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.services.ratings.league import Evening

if TYPE_CHECKING:
    from bot.storage import Database


@pytest.fixture
def evening(database: Database) -> Evening:
    """Matches to be ended on a database that runs, and the book they are kept in."""
    return Evening(database)
