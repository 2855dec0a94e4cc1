"""Matches as records, and records as matches."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.model.actions import Play, Resign, Swap
from bot.model.errors import FinishedGameError, UnknownLevelError
from bot.model.exporting import record_of
from bot.model.match import EventKind, FirstMove, Match, MatchStatus, Person
from bot.services.starting import start_from_record
from bot.storage.matches import EventRow, MatchRow, SeatRow, to_match
from cogs.audience import told_names
from engine import VARIANTS, Game, O, Rules, X, draw_opening_code
from engine.records import GameRecord, Result, format_record, parse_record
from tests import strategies

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server

ANNA = Person(id=100_000_000_000_000_001, name="Anna")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def random_game(rules: Rules, rng: random.Random, longest: int) -> Game:
    """Play at random, swapping seats half the time, but not to the end."""
    game = Game(rules, draw_opening_code(rules, seed=rng.getrandbits(30)))
    for _ in range(longest):
        game.push(rng.choice(game.position.legal_moves))
        if game.outcome is not None:
            game.pop()
            break
        if game.can_swap and rng.random() < 0.5:
            game.swap()
    return game


def stored(game: Game, names: tuple[str, str]) -> Match:
    """Return a match as if it had been read from storage."""
    swap = EventRow(number=1, ply=1, kind="swap", side=1, happened_at=NOW)
    outcome = game.outcome
    row = MatchRow(
        id=1,
        variant_key=game.rules.key,
        rules=game.rules.key,
        opening_code=game.opening_code,
        status="ongoing" if outcome is None else "finished",
        ply=len(game.moves),
        revision=len(game.moves) + int(game.swapped),
        to_move=game.position.side if outcome is None else None,
        winner=None if outcome is None else outcome.winner,
        end_reason=None if outcome is None else "board",
        previous_id=None,
        guild_id=None,
        channel_id=None,
        message_id=None,
        created_at=NOW,
        updated_at=NOW,
        ended_at=None if outcome is None else NOW,
        seats=(SeatRow(player_id=1, name=names[0]), SeatRow(player_id=2, name=names[1])),
        moves=game.moves,
        events=(swap,) if game.swapped else (),
    )
    return to_match(row)


@given(
    among=st.one_of(strategies.presets(), strategies.rules()),
    rng=st.randoms(use_true_random=False),
    longest=st.integers(0, 90),
    names=st.tuples(st.text(max_size=32), st.text(max_size=32)),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_match_can_be_written_down_and_read_back(
    among: Rules, rng: random.Random, longest: int, names: tuple[str, str]
) -> None:
    match = stored(random_game(among, rng, longest), names)

    record = record_of(match)

    assert parse_record(format_record(record)) == record
    assert (record.moves, record.swapped) == (match.moves, match.swapped)
    assert (record.rules, record.opening_code) == (match.rules, match.opening_code)
    assert (record.players, record.date) == (names, NOW.date())
    assert record.result is Result.UNFINISHED


@pytest.mark.sampled(4)
@pytest.mark.parametrize("variant_key", list(VARIANTS))
async def test_a_match_written_down_read_in_and_written_down_is_the_same(
    server: Server, variant_key: str
) -> None:
    rng = random.Random(variant_key)
    for longest in (0, 1, 1, 7, 40, 200):
        given = random_game(VARIANTS[variant_key].rules, rng, longest)
        side = rng.choice((X, O))
        first = await start_from_record(server.matches, given, person=ANNA, side=side, level=1)

        written = format_record(record_of(first))
        second = await start_from_record(
            server.matches, parse_record(written), person=ANNA, side=side, level=1
        )
        assert format_record(record_of(second)) == written
        assert (second.moves, second.swapped) == (given.moves, given.swapped)
        assert (second.opening_code, second.variant_key) == (given.opening_code, variant_key)
        assert second.position == given.position
        assert second.side_of(ANNA.id) == side
        await server.restart()
        assert await server.matches.load(second.id) == second
        for match in (first, second):
            await server.matches.perform(match.id, Resign(), user_id=ANNA.id)


async def test_a_game_read_in_is_played_on(server: Server) -> None:
    record = parse_record('[Variant "pie"] [X "Bea"] [O "Cem"] 1. 55 swap 51 2. 15 *')

    match = await start_from_record(
        server.matches, record, person=ANNA, side=X, level=1, channel_id=7, guild_id=8
    )

    assert told_names(match) == ("Anna", "Computer, level 1")
    assert (match.variant_key, match.channel_id, match.guild_id) == ("pie", 7, 8)
    assert (match.ply, match.revision, match.level_to_move) == (3, 4, 1)
    assert [event.kind for event in match.events] == [EventKind.SWAP]
    assert await server.matches.awaiting_computer() == [match]
    replied = await server.matches.reply(match.id)
    played = await server.matches.perform(
        match.id, Play(replied.position.legal_moves[0]), user_id=ANNA.id, ply=4
    )
    await server.restart()
    assert await server.matches.load(match.id) == played
    assert record_of(played).moves[:3] == record.moves


async def test_seats_can_be_swapped_in_a_game_read_in(server: Server) -> None:
    match = await start_from_record(
        server.matches, parse_record('[Variant "pie"] 1. 55 *'), person=ANNA, side=O, level=1
    )

    swapped = await server.matches.perform(match.id, Swap(), user_id=ANNA.id, ply=1)

    assert swapped.side_of(ANNA.id) == X
    assert format_record(record_of(swapped)).endswith("\n1. 55 swap *\n")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('[Variant "depth=1"] 1. 1 4 2. 2 5 3. 3 1-0', "X wins"),
        ('[Variant "depth=1"] [End "resigned"] 1. 1 4 0-1', "O wins"),
        ('[Variant "depth=1"] [End "agreed"] 1. 1 4 1/2-1/2', "a draw"),
    ],
)
async def test_a_finished_game_is_not_played_on(server: Server, text: str, result: str) -> None:
    with pytest.raises(FinishedGameError, match=rf"over \({result}\): it can be looked at"):
        await start_from_record(server.matches, parse_record(text), person=ANNA, side=X, level=1)

    assert await server.matches.ongoing_of(ANNA.id) == []


async def test_a_finished_game_that_is_no_record_is_not_played_on(server: Server) -> None:
    game = Game.replay(Rules.parse("depth=1"), (0, 3, 1, 4, 2))

    with pytest.raises(FinishedGameError, match="X wins"):
        await start_from_record(server.matches, game, person=ANNA, side=X, level=1)


async def test_a_level_that_does_not_exist_is_refused(server: Server) -> None:
    with pytest.raises(UnknownLevelError):
        await start_from_record(server.matches, GameRecord(), person=ANNA, side=X, level=11)


async def test_a_resigned_match_says_so(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)
    ended = await server.matches.perform(match.id, Resign(), user_id=ANNA.id)

    record = record_of(ended)

    assert (record.result, record.end) == (Result.X_WINS, "resigned")
    assert '[End "resigned"]' in format_record(record)
    assert parse_record(format_record(record)) == record
    assert ended.status is MatchStatus.FINISHED
