"""Reminders before time runs out: who gets them, and how often."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from bot.model.actions import OfferDraw
from bot.model.clocks import ClockRules
from bot.model.notices import NewsKind
from bot.model.preferences import Notices, PlayerPreferences
from bot.services.clocks import next_reminder, remind_due
from bot.services.preferences import PreferenceStore
from bot.storage.notices import open_notices, save_mute
from tests.bot.services.conftest import ANNA, BEN
from tests.bot.services.timed import HOUR, LINE, SECOND, begin

if TYPE_CHECKING:
    from datetime import timedelta

    from tests.bot.services.conftest import Server


async def wants(server: Server, user_id: int, notices: Notices) -> None:
    store = PreferenceStore(server.database, server.clock)
    await store.put(user_id, PlayerPreferences(notices=notices))


async def test_a_reminder_comes_once_a_turn_and_only_if_wanted(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR
    # A player who wants to be told of each turn already knows of this one.
    assert await remind_due(server.matches, match.updated_at + HOUR) == []
    assert await remind_due(server.matches, due - SECOND) == []
    server.clock.instant = due

    (reminder,) = await remind_due(server.matches, due)
    server.clock.instant = due
    await server.restart()

    assert (reminder.user_id, reminder.kind) == (BEN.id, NewsKind.REMINDER)
    assert reminder.match_id == match.id
    assert (await server.matches.load(match.id)).times.remind_at is None
    assert await remind_due(server.matches, due) == []
    moved = await server.play(await server.matches.load(match.id), LINE[1], LINE[2])
    assert await remind_due(server.matches, moved.updated_at + HOUR) == []
    assert len(await remind_due(server.matches, moved.updated_at + 3 * HOUR)) == 1
    assert await remind_due(server.matches, moved.updated_at + 9 * HOUR) == []


async def test_who_has_not_asked_is_not_reminded(server: Server) -> None:
    await wants(server, BEN.id, Notices.NONE)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR

    assert await remind_due(server.matches, due) == []
    await wants(server, BEN.id, Notices.CHANNEL)
    assert len(await remind_due(server.matches, due)) == 1


@pytest.mark.parametrize(
    ("clock", "called_after"), [("4h", 30 * SECOND), ("5+0", 30 * SECOND), ("none", 24 * HOUR)]
)
async def test_by_default_one_is_called_once_a_turn_after_a_while(
    server: Server, clock: str, called_after: timedelta
) -> None:
    async def untold_to(user_id: int) -> list[NewsKind]:
        untold = (await server.database.read(open_notices)).untold
        return [each.news.kind for each in untold if each.news.user_id == user_id]

    match = await begin(server, clock, 1)
    began_at = match.updated_at
    due = began_at + called_after
    assert await remind_due(server.matches, due - SECOND) == []
    assert await next_reminder(server.matches, began_at) == due

    (reminder,) = await remind_due(server.matches, due)
    await server.restart()

    assert (reminder.user_id, reminder.kind) == (BEN.id, NewsKind.WAITING)
    assert await remind_due(server.matches, due + SECOND) == []
    assert await untold_to(BEN.id) == [NewsKind.WAITING]
    if clock == "4h":  # the reminder before time runs out is separate
        (last,) = await remind_due(server.matches, began_at + 3 * HOUR)
        assert last.kind is NewsKind.REMINDER
        assert await untold_to(BEN.id) == [NewsKind.REMINDER]
    assert await next_reminder(server.matches, due) is None


async def test_a_long_absence_leads_to_one_reminder(server: Server) -> None:
    match = await begin(server, "4h", 1)
    (reminder,) = await remind_due(server.matches, match.updated_at + 3 * HOUR)

    assert reminder.kind is NewsKind.REMINDER
    assert await remind_due(server.matches, match.updated_at + 3 * HOUR + SECOND) == []


async def test_the_computer_calls_nobody_until_time_runs_out(server: Server) -> None:
    for clock in ("none", "5+0", "4h"):
        match = await server.begin(clock=ClockRules.parse(clock))
        last = match.created_at + 3 * HOUR if clock == "4h" else None
        assert match.times.remind_at == last


async def test_a_muted_match_and_a_vacation_are_left_alone(server: Server) -> None:
    muted, untimed = await begin(server, "4h", 1), await begin(server, "none", 1)
    await server.database.write(save_mute, muted.id, BEN.id, server.clock())
    day = untimed.updated_at + 24 * HOUR
    server.matches.away[BEN.id] = day + HOUR

    assert await remind_due(server.matches, muted.updated_at + 3 * HOUR) == []
    assert await remind_due(server.matches, day) == []
    (reminder,) = await remind_due(server.matches, day + HOUR)
    assert reminder.match_id == untimed.id


async def test_of_two_who_look_one_reminds(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR

    found = await asyncio.gather(*(remind_due(server.matches, due) for _ in range(5)))

    assert sum(len(reminders) for reminders in found) == 1


async def test_a_draw_offer_does_not_bring_the_reminder_again(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR
    await remind_due(server.matches, due)

    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)

    assert await remind_due(server.matches, due) == []


async def test_a_broken_match_keeps_nobody_from_being_reminded(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    broken, sound = await begin(server, "4h", 1), await begin(server, "4h", 1)
    await server.database.write(
        lambda c: c.execute(text(f"UPDATE move SET cell = 99 WHERE match_id = {broken.id}"))
    )
    await server.restart()

    reminders = await remind_due(server.matches, sound.updated_at + 3 * HOUR)

    assert [reminder.match_id for reminder in reminders] == [sound.id]
