"""Reminders before time runs out: who gets them, and how often."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sqlalchemy import text

from bot.model.actions import OfferDraw
from bot.model.preferences import Notices, PlayerPreferences
from bot.services.clocks import due_reminders
from bot.services.preferences import PreferenceStore
from tests.bot.services.conftest import ANNA, BEN
from tests.bot.services.timed import HOUR, LINE, SECOND, begin

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def wants(server: Server, user_id: int, notices: Notices) -> None:
    store = PreferenceStore(server.database, server.clock)
    await store.put(user_id, PlayerPreferences(notices=notices))


async def test_a_reminder_comes_once_a_turn_and_only_if_wanted(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    live = await begin(server, "5+0", 1)
    due = match.updated_at + 3 * HOUR
    assert await due_reminders(server.matches, due - SECOND) == []
    server.clock.instant = due

    (reminder,) = await due_reminders(server.matches, due)
    server.clock.instant = due
    await server.restart()

    assert (reminder.user_id, reminder.notices) == (BEN.id, Notices.DM)
    assert reminder.match.id == match.id
    assert reminder.match.times.remind_at is None
    assert await due_reminders(server.matches, due) == []
    assert live.times.remind_at is None
    moved = await server.play(await server.matches.load(match.id), LINE[1], LINE[2])
    assert len(await due_reminders(server.matches, moved.updated_at + 3 * HOUR)) == 1
    assert await due_reminders(server.matches, moved.updated_at + 9 * HOUR) == []


async def test_who_has_not_asked_is_not_reminded(server: Server) -> None:
    await wants(server, BEN.id, Notices.NONE)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR

    assert await due_reminders(server.matches, due) == []
    await wants(server, BEN.id, Notices.CHANNEL)
    assert len(await due_reminders(server.matches, due)) == 1


async def test_of_two_who_look_one_reminds(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR

    found = await asyncio.gather(*(due_reminders(server.matches, due) for _ in range(5)))

    assert sum(len(reminders) for reminders in found) == 1


async def test_a_draw_offer_does_not_bring_the_reminder_again(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR
    await due_reminders(server.matches, due)

    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)

    assert await due_reminders(server.matches, due) == []


async def test_a_broken_match_keeps_nobody_from_being_reminded(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    broken, sound = await begin(server, "4h", 1), await begin(server, "4h", 1)
    await server.database.write(
        lambda c: c.execute(text(f"UPDATE move SET cell = 99 WHERE match_id = {broken.id}"))
    )
    await server.restart()

    reminders = await due_reminders(server.matches, sound.updated_at + 3 * HOUR)

    assert [reminder.match.id for reminder in reminders] == [sound.id]
