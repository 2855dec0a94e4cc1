"""How a match starts: as it was asked for, or not at all."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, text

from bot.model.actions import Play, Resign
from bot.model.errors import TooManyMatchesError, UnknownLevelError, UnknownVariantError
from bot.model.match import FirstMove, Match, MatchStatus, Person
from bot.model.starting import MOST_ONGOING
from bot.services.starting import start_again, start_from_record
from cogs.audience import told_names
from engine import VARIANTS, Game, InvalidNotationError, Rules
from tests.bot.services.against_computer import ANNA_ID
from tests.bot.services.conftest import BEN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bot.services.conftest import Server


async def test_a_new_match_is_as_it_was_asked_for(server: Server) -> None:
    match = await server.begin(level=3, channel_id=7, guild_id=8, variant_key="majority")

    assert told_names(match) == ("Anna", "Computer, level 3")
    assert match.seats[0].player_id == ANNA_ID
    assert match.seats[1].level == 3
    assert (match.variant_key, match.rules) == ("majority", VARIANTS["majority"].rules)
    assert (match.channel_id, match.guild_id, match.message_id) == (7, 8, None)
    assert match.status is MatchStatus.ONGOING
    assert (match.ply, match.side_to_move, match.winner) == (0, 0, None)
    assert match.created_at == match.updated_at
    assert await server.matches.load(match.id) == match


@pytest.mark.parametrize(("first", "side"), [(FirstMove.YOU, 0), (FirstMove.COMPUTER, 1)])
async def test_who_begins_plays_x(server: Server, first: FirstMove, side: int) -> None:
    match = await server.begin(first=first)

    assert match.side_of(ANNA_ID) == side
    assert (match.level_to_move is None) == (first is FirstMove.YOU)


async def test_chance_lets_both_begin(server: Server) -> None:
    matches = [await server.begin(first=FirstMove.RANDOM) for _ in range(20)]

    sides = Counter(match.side_of(ANNA_ID) for match in matches)
    assert min(sides[0], sides[1]) >= 3


@pytest.mark.parametrize("level", [-1, 0, 11])
async def test_levels_that_do_not_exist_are_refused(server: Server, level: int) -> None:
    with pytest.raises(UnknownLevelError, match=rf"level {level}: choose a level from 1 to 10"):
        await server.begin(level=level)


async def test_variants_that_do_not_exist_are_refused(server: Server) -> None:
    with pytest.raises(UnknownVariantError, match="standard"):
        await server.begin(variant_key="chess")


@pytest.mark.parametrize("variant_key", sorted(VARIANTS))
async def test_every_variant_is_stored_with_its_opening(server: Server, variant_key: str) -> None:
    match = await server.begin(variant_key=variant_key)
    ply = match.ply
    played = await server.matches.perform(
        match.id, Play(match.position.legal_moves[-1]), user_id=ANNA_ID, ply=ply
    )
    await server.restart()

    assert await server.matches.load(match.id) == played
    assert played.game.position == played.position
    assert (match.opening_code is not None) == match.rules.needs_opening_code


@pytest.mark.parametrize(
    "variant_key", ["won_board=open,goal=five", "depth=1,opening=pie", "depth=3,no_return=yes"]
)
async def test_custom_rules_are_stored_and_replayed(server: Server, variant_key: str) -> None:
    match = await server.begin(variant_key=variant_key)
    played = await server.matches.perform(match.id, Play(3), user_id=ANNA_ID, ply=0)
    await server.restart()

    assert match.rules == Rules.parse(variant_key)
    assert match.variant_key == match.rules.key
    assert await server.matches.load(match.id) == played
    assert (await server.matches.ongoing_of(ANNA_ID))[0] == played


async def test_rules_that_contradict_each_other_are_refused(server: Server) -> None:
    with pytest.raises(UnknownVariantError, match="depth 1 has none"):
        await server.begin(variant_key="depth=1,goal=five")


@pytest.mark.parametrize(("variant_key", "code"), [("random-four", "12345"), ("symmetric", "7")])
async def test_an_opening_can_be_asked_for(server: Server, variant_key: str, code: str) -> None:
    match = await server.begin(variant_key=variant_key, opening_code=code)
    await server.restart()

    assert match.opening_code == code
    assert await server.matches.load(match.id) == match
    assert match.position == Game(match.rules, code).position


async def test_an_opening_that_is_not_asked_for_is_drawn(server: Server) -> None:
    codes = {(await server.begin(variant_key="random-four")).opening_code for _ in range(5)}

    assert len(codes) > 1


@pytest.mark.parametrize(
    ("variant_key", "code", "sentence"),
    [
        ("random-four", "1234", "five digits from 1 to 9, not '1234'"),
        ("random-four", "11111", "would play cell 11 twice"),
        ("symmetric", "5", "but 5, not '5'"),
        ("standard", "12345", "no opening code: leave out '12345'"),
    ],
)
async def test_an_invalid_opening_is_refused_in_words(
    server: Server, variant_key: str, code: str, sentence: str
) -> None:
    with pytest.raises(InvalidNotationError, match=sentence):
        await server.begin(variant_key=variant_key, opening_code=code)

    assert await server.matches.ongoing_of(ANNA_ID) == []


async def test_one_may_have_so_many_matches_and_no_more(server: Server) -> None:
    over = await server.begin()
    await server.matches.perform(over.id, Resign(), user_id=ANNA_ID)
    starts = [server.begin() for _ in range(MOST_ONGOING + 5)]

    results = await asyncio.gather(*starts, return_exceptions=True)

    started = [result for result in results if isinstance(result, Match)]
    refused = [result for result in results if isinstance(result, TooManyMatchesError)]
    assert (len(started), len(refused)) == (MOST_ONGOING, 5)
    assert str(refused[0]).startswith("You already have 50 games")
    assert "resign one with /resign" in str(refused[0])
    with pytest.raises(TooManyMatchesError):
        await start_again(server.matches, over.id, user_id=ANNA_ID)
    with pytest.raises(TooManyMatchesError):
        await start_from_record(
            server.matches, Game(Rules()), person=Person(id=ANNA_ID, name="Anna"), side=0, level=1
        )
    assert len(await server.matches.ongoing_of(ANNA_ID)) == MOST_ONGOING

    await server.begin(person=BEN)
    await server.matches.perform(started[0].id, Resign(), user_id=ANNA_ID)
    assert (await start_again(server.matches, over.id, user_id=ANNA_ID)).ply == 0


async def test_a_name_is_the_newest_one(server: Server) -> None:
    first = await server.begin()
    await server.begin(person=Person(id=ANNA_ID, name="Anna the Great"))
    await server.restart()

    assert (await server.matches.load(first.id)).names[0] == "Anna the Great"


async def test_numbers_are_never_given_out_again(server: Server) -> None:
    """Old buttons carry them forever."""
    first = await server.begin()

    def remove(c: Connection) -> None:
        c.execute(text("DELETE FROM seat"))
        c.execute(text("DELETE FROM match"))

    await server.database.write(remove)
    await server.restart()

    assert (await server.begin()).id > first.id


@pytest.mark.parametrize(
    "loss", ["UPDATE sqlite_sequence SET seq = 1", "DELETE FROM sqlite_sequence"]
)
async def test_a_lost_match_leaves_no_rows_to_a_new_one(
    server: Server, database_path: Path, loss: str
) -> None:
    """A damaged log loses the newest match, but not everything that belongs to it."""
    assert (await server.begin()).id == 1
    lost = await server.play(await server.begin(first=FirstMove.YOU), 40)
    await server.stop()
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("DELETE FROM match WHERE id = ?", (lost.id,))
        connection.execute(f"{loss} WHERE name = 'match'")
    await server.start()

    begun = await server.begin(first=FirstMove.YOU)

    assert begun.id > lost.id
    assert (await server.play(begun, 40)).moves == (40,)
