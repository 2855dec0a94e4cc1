"""A person against the computer, played by the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.model.actions import Play
from bot.model.match import Match
from tests.bot.services.conftest import ANNA

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server

ANNA_ID = ANNA.id
CENTRE = 40


async def play_to_the_end(server: Server, match: Match, pick: int = 0) -> Match:
    """Let Anna take the `pick`th legal move until the match is over."""
    while not match.is_over:
        if match.level_to_move is not None:
            match = await server.matches.reply(match.id)
            continue
        legal = match.position.legal_moves
        match = await server.matches.perform(
            match.id, Play(legal[pick % len(legal)]), user_id=ANNA_ID, ply=match.ply
        )
    return match
