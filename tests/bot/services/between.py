"""A match between two people after some moves, for the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.model.match import Match

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server

# A line of legal moves by the standard rules.
LINE = (40, 36, 0, 4, 37, 10, 9, 1, 12)


async def between(server: Server, count: int, **options: object) -> Match:
    """Begin a match between Anna, X, and Ben, and play `count` moves."""
    return await server.play(await server.begin_between(**options), *LINE[:count])
