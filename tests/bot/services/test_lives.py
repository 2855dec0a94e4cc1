"""Two people do anything at any time, many things at once: what is stored stays consistent."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.model.actions import (
    AcceptDraw,
    AcceptTakeback,
    AskTakeback,
    ClaimTime,
    DeclineDraw,
    DeclineTakeback,
    OfferDraw,
    Play,
    Resign,
    Swap,
)
from bot.model.clocks import ClockRules
from bot.model.errors import PlayerError
from bot.model.match import Match
from cogs.audience import told_names
from engine import EngineError, Game
from engine.records import EndReason
from tests.bot.services.conftest import ANNA, BEN

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server

ACTS = (
    *(Play,) * 10,
    *(Swap, OfferDraw, DeclineDraw, AskTakeback, AcceptTakeback, DeclineTakeback),
    *(AcceptTakeback,) * 2,
)
RARE_ACTS = (Resign, AcceptDraw, ClaimTime)


def check(match: Match) -> None:
    """Check that everything a match says is consistent."""
    replayed = Game.replay(
        match.rules, match.moves, opening_code=match.opening_code, swapped=match.swapped
    )
    assert replayed.position == match.position
    numbers = [event.number for event in match.events]
    assert numbers == sorted(set(numbers))
    assert match.revision >= len(match.events) + match.ply
    taken_back = sum(len(event.cells) for event in match.events)
    assert match.revision == len(match.events) + match.ply + taken_back
    assert {seat.name for seat in match.seats} == {"Anna", "Ben"}
    assert told_names(match) == (("Ben", "Anna") if match.swapped else ("Anna", "Ben"))
    has_clock = match.clock.budget is not None
    assert (match.deadline is not None) == (has_clock and not match.is_over)
    if match.is_over:
        assert (match.draw_offer, match.takeback_offer) == (None, None)
        assert (match.end_reason is EndReason.BOARD) == (match.outcome is not None)


async def act(server: Server, match_id: int, rng: random.Random) -> Match | None:
    """Do something that a player might; return the match if it was done."""
    seen = await server.matches.load(match_id)
    user_id = rng.choice((ANNA.id, BEN.id))
    if seen.seat_to_move is not None and rng.random() < 0.7:
        assert seen.seat_to_move.player_id is not None
        user_id = seen.seat_to_move.player_id
    kind: Any = rng.choice(RARE_ACTS if rng.random() < 0.01 else ACTS)
    given: Any = {"ply": seen.ply, "revision": seen.revision} if kind in (Play, Swap) else {}
    action = kind(rng.choice(seen.position.legal_moves or (0,))) if kind is Play else kind()
    await asyncio.sleep(0)
    try:
        done = await server.matches.perform(match_id, action, user_id=user_id, **given)
    except (PlayerError, EngineError):
        return None
    return done


@pytest.mark.parametrize(
    ("variant_key", "clock"),
    [("pie", "1h"), ("balanced", "1+0"), ("random-four", "none"), ("depth=1,opening=pie", "3d")],
)
async def test_whatever_two_people_do_is_stored_whole(
    server: Server, variant_key: str, clock: str
) -> None:
    rng = random.Random(variant_key)
    kinds = set()
    for _ in range(4):
        match = await server.begin_between(variant_key=variant_key, clock=ClockRules.parse(clock))
        revision = match.revision
        for _ in range(40):
            results = await asyncio.gather(*(act(server, match.id, rng) for _ in range(4)))
            for done in results:
                if done is not None:
                    check(done)
            match = await server.matches.load(match.id)
            check(match)
            assert match.revision >= revision
            revision = match.revision
            if match.is_over:
                break
            if rng.random() < 0.03:
                server.clock.instant += timedelta(minutes=rng.randrange(40))
        await server.restart()
        assert await server.matches.load(match.id) == match
        kinds |= {event.kind for event in match.events}
    assert len(kinds) >= 3
