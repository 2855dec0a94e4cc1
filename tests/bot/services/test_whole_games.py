"""Every variant from its opening to its end, with a restart in the middle."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Play, Swap
from bot.model.errors import FinishedGameError
from bot.model.exporting import record_of
from bot.model.match import FirstMove, Match, Person
from bot.services.starting import start_from_record
from engine import VARIANTS, Game, Rules, X
from engine.records import EndReason, Result, format_record, parse_record

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server

ANNA = Person(id=100_000_000_000_000_001, name="Anna")

CUSTOM = (
    "won_board=open,goal=five",
    "depth=1,opening=pie",
    "drawn_board=both,no_return=yes,opening=pie+no_centre,tiebreak=most",
)
RESTART_AFTER = {1: 3, 2: 25, 3: 200}


async def play_on(server: Server, match: Match, rng: random.Random, steps: int | None) -> Match:
    """Let Anna play at random against the computer, for some steps or to the end."""
    while not match.is_over and steps != 0:
        if match.level_to_move is not None:
            match = await server.matches.reply(match.id)
        elif match.can_swap and rng.random() < 0.5:
            match = await server.matches.perform(match.id, Swap(), user_id=ANNA.id, ply=match.ply)
        else:
            move = rng.choice(match.position.legal_moves)
            match = await server.matches.perform(
                match.id, Play(move), user_id=ANNA.id, ply=match.ply
            )
        steps = None if steps is None else steps - 1
    return match


async def check_to_the_end(server: Server, match: Match, rng: random.Random) -> None:
    """Play a match, start the server again in its middle, and compare what is stored."""
    match = await play_on(server, match, rng, RESTART_AFTER[match.rules.depth])
    await server.restart()
    assert await server.matches.load(match.id) == match
    match = await play_on(server, match, rng, None)
    await server.restart()

    assert await server.matches.load(match.id) == match
    assert match.end_reason is EndReason.BOARD
    game = Game.replay(
        match.rules, match.moves, opening_code=match.opening_code, swapped=match.swapped
    )
    assert game.position == match.position
    assert game.outcome is not None
    assert match.winner == game.outcome.winner

    record = record_of(match)
    assert parse_record(format_record(record)) == record
    results = (Result.X_WINS, Result.O_WINS, Result.DRAW)
    assert record.result is results[2 if match.winner is None else match.winner]
    with pytest.raises(FinishedGameError):
        await start_from_record(server.matches, record, person=ANNA, side=X, level=1)


# The computer beginning does not depend on the variant: short runs try it with one.
BEGINNINGS = [
    *((key, FirstMove.YOU) for key in (*VARIANTS, *CUSTOM)),
    ("standard", FirstMove.COMPUTER),
    *(
        pytest.param(key, FirstMove.COMPUTER, marks=pytest.mark.long)
        for key in (*VARIANTS, *CUSTOM)
        if key != "standard"
    ),
]


@pytest.mark.parametrize(("variant_key", "first"), BEGINNINGS)
async def test_a_game_is_played_to_its_end(
    server: Server, variant_key: str, first: FirstMove
) -> None:
    match = await server.begin(variant_key=variant_key, first=first)

    await check_to_the_end(server, match, random.Random(f"{variant_key} {first}"))


def test_no_variant_is_left_out() -> None:
    assert len(VARIANTS) == 14
    assert not {Rules.parse(key).key for key in CUSTOM} & set(VARIANTS)
