"""Playing again, and finding a match."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Play, Resign
from bot.model.errors import MatchNotOverError, NoMatchError
from bot.services.starting import start_again
from cogs.audience import told_names
from tests.bot.services.against_computer import ANNA_ID, CENTRE
from tests.bot.services.conftest import BEN

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_again_exchanges_the_seats_and_happens_once(server: Server) -> None:
    match = await server.begin(level=2, variant_key="majority", guild_id=8)
    with pytest.raises(MatchNotOverError):
        await start_again(server.matches, match.id, user_id=ANNA_ID)
    await server.matches.perform(match.id, Resign(), user_id=ANNA_ID)

    first, second = await asyncio.gather(
        start_again(server.matches, match.id, user_id=ANNA_ID, channel_id=9),
        start_again(server.matches, match.id, user_id=ANNA_ID, channel_id=9),
    )

    assert first == second
    assert first.id != match.id
    assert told_names(first) == ("Computer, level 2", "Anna")
    assert (first.previous_id, first.variant_key) == (match.id, "majority")
    assert (first.guild_id, first.channel_id, first.message_id) == (8, 9, None)


async def test_where_the_board_is_shown_is_remembered(server: Server) -> None:
    match = await server.begin(channel_id=7)

    placed = await server.matches.place(match.id, channel_id=9, message_id=2**63 - 1)
    again = await server.matches.place(match.id, channel_id=9, message_id=2**63 - 1)
    await server.restart()

    assert placed == again == await server.matches.load(match.id)
    assert (placed.channel_id, placed.message_id) == (9, 2**63 - 1)


async def test_the_latest_match_is_an_ongoing_one(server: Server) -> None:
    old = await server.begin(channel_id=7)
    new = await server.begin(channel_id=7)
    elsewhere = await server.begin(channel_id=8)
    await server.begin(person=BEN, channel_id=7)
    latest = server.matches.latest_of

    assert await latest(ANNA_ID, 7) == new
    assert await latest(ANNA_ID) == elsewhere
    assert await latest(ANNA_ID, 99) is None
    assert await latest(4242) is None

    new = await server.matches.perform(new.id, Resign(), user_id=ANNA_ID)
    assert await latest(ANNA_ID, 7) == old
    await server.matches.perform(old.id, Resign(), user_id=ANNA_ID)
    assert (await latest(ANNA_ID, 7)).id == old.id  # type: ignore[union-attr]


async def test_the_match_meant_is_here_or_else_anywhere(server: Server) -> None:
    with pytest.raises(NoMatchError, match="/play"):
        await server.matches.latest_for(ANNA_ID, 7)
    here = await server.begin(channel_id=7)
    newer = await server.begin(channel_id=8)

    assert await server.matches.latest_for(ANNA_ID, 7) == here
    assert await server.matches.latest_for(ANNA_ID, 99) == newer


async def test_ongoing_matches_are_listed_newest_first(server: Server) -> None:
    first = await server.begin()
    second = await server.begin()
    over = await server.begin()
    await server.matches.perform(over.id, Resign(), user_id=ANNA_ID)
    first = await server.matches.perform(first.id, Play(CENTRE), user_id=ANNA_ID, ply=0)

    assert await server.matches.ongoing_of(ANNA_ID) == [first, second]
    assert await server.matches.awaiting_computer() == [first]
