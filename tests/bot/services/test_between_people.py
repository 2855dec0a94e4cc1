"""Two people play one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Play, Resign
from bot.model.errors import NotAPlayerError
from tests.bot.services.conftest import ANNA, BEN, CLEO

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_two_people_play_and_neither_can_move_for_the_other(server: Server) -> None:
    match = await server.begin_between()
    with pytest.raises(NotAPlayerError):
        await server.matches.perform(match.id, Play(40), user_id=CLEO.id, ply=0)

    match = await server.play(match, 40, 36, 0, 4)

    assert match.moves == (40, 36, 0, 4)
    assert [match.side_of(person.id) for person in (ANNA, BEN, CLEO)] == [0, 1, None]
    assert await server.matches.reply(match.id) == match
    await server.restart()
    assert await server.matches.load(match.id) == match


async def test_both_may_give_up(server: Server) -> None:
    match = await server.begin_between()

    ended = await server.matches.perform(match.id, Resign(), user_id=BEN.id)

    assert str(ended.result_in_words) == "Anna won because Ben resigned"
