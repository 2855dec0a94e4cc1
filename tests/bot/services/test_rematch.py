"""Rematches between people: offered, accepted, with seats exchanged."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Resign, Swap
from bot.model.challenges import Challenge
from bot.model.clocks import ClockRules
from bot.model.errors import CannotChallengeError, MatchNotOverError, RematchNeedsBothError
from bot.model.match import Match
from bot.services.starting import start_again
from cogs.audience import told_names
from tests.bot.services.conftest import ANNA, BEN

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_a_rematch_is_offered_and_accepted_with_seats_exchanged(server: Server) -> None:
    match = await server.begin_between(rated=True, clock=ClockRules.parse("1d"), guild_id=8)
    with pytest.raises(MatchNotOverError):
        await server.challenges.rematch(match.id, person=ANNA)
    await server.matches.perform(match.id, Resign(), user_id=ANNA.id)
    with pytest.raises(RematchNeedsBothError):
        await start_again(server.matches, match.id, user_id=ANNA.id)

    offered = await server.challenges.rematch(match.id, person=ANNA, channel_id=3)
    again = await server.challenges.rematch(match.id, person=ANNA)
    assert isinstance(offered, Challenge)
    assert offered == again
    following = await server.challenges.accept(offered.id, person=BEN)

    assert told_names(following) == ("Ben", "Anna")
    assert (following.previous_id, following.channel_id, following.guild_id) == (match.id, 3, 8)
    assert (following.rated, following.clock.key) == (True, "1d")
    assert await server.challenges.rematch(match.id, person=BEN) == following
    assert await start_again(server.matches, match.id, user_id=BEN.id) == following


async def test_both_asking_for_a_rematch_at_once_begins_one(server: Server) -> None:
    match = await server.begin_between()
    await server.matches.perform(match.id, Resign(), user_id=ANNA.id)

    results = await asyncio.gather(
        *(server.challenges.rematch(match.id, person=person) for person in (ANNA, BEN) * 5)
    )

    begun = [result for result in results if isinstance(result, Match)]
    assert len({match.id for match in begun}) == 1
    assert await server.matches.ongoing_of(ANNA.id) == [begun[0]]
    assert told_names(begun[0]) == ("Ben", "Anna")


async def test_after_a_swap_the_first_move_changes_hands(server: Server) -> None:
    match = await server.play(await server.begin_between(variant_key="pie"), 40)
    await server.matches.perform(match.id, Swap(), user_id=BEN.id, ply=1)
    await server.matches.perform(match.id, Resign(), user_id=BEN.id)

    offered = await server.challenges.rematch(match.id, person=ANNA)
    following = await server.challenges.accept(offered.id, person=BEN)

    assert told_names(following) == ("Ben", "Anna")


async def test_a_rematch_that_has_begun_otherwise_cannot_be_accepted(server: Server) -> None:
    match = await server.begin_between()
    await server.matches.perform(match.id, Resign(), user_id=ANNA.id)
    offered = await server.challenges.rematch(match.id, person=ANNA)
    other = await server.begin()
    await server.database.write(
        lambda c: c.exec_driver_sql(
            "UPDATE match SET previous_id = ? WHERE id = ?", (match.id, other.id)
        )
    )

    with pytest.raises(CannotChallengeError, match="has begun already"):
        await server.challenges.accept(offered.id, person=BEN)


async def test_against_the_computer_a_rematch_begins_at_once(server: Server) -> None:
    match = await server.begin()
    await server.matches.perform(match.id, Resign(), user_id=ANNA.id)

    again = await server.challenges.rematch(match.id, person=ANNA)

    assert isinstance(again, Match)
    assert again.previous_id == match.id
