"""Vacations: correspondence clocks stand still, live ones do not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Resign
from bot.model.clocks import LATENCY, ClockRules
from bot.model.errors import VacationError
from bot.services.clocks import settle_overdue
from bot.services.vacations import set_vacation, vacation_of
from tests.bot.services.conftest import ANNA, BEN
from tests.bot.services.timed import DAY, LINE, MINUTE, SECOND, begin, deadline_of

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_a_vacation_lets_clocks_stand_still(server: Server) -> None:
    waiting, others = await begin(server, "1d", 1), await begin(server, "1d")
    now = server.clock.instant + SECOND

    vacation = await set_vacation(server.matches, BEN.id, now + 10 * DAY)

    assert (vacation.until, vacation.left) == (now + 10 * DAY, 20 * DAY)
    assert (await server.matches.load(waiting.id)).deadline == deadline_of(waiting) + 10 * DAY
    shown = [(await server.matches.load(waiting.id)).time_shown(side) for side in (0, 1)]
    assert shown == [DAY, DAY]
    passed_on = await server.play(await server.matches.load(others.id), LINE[0])
    assert passed_on.deadline == now + 11 * DAY
    assert passed_on.time_shown(1) == DAY
    new = await server.begin_between(clock=ClockRules.parse("1d"), side=1)
    assert new.deadline == now + 11 * DAY
    await server.restart()
    assert await server.matches.load(others.id) == passed_on
    assert (await vacation_of(server.matches, BEN.id)).until == now + 10 * DAY
    assert (await vacation_of(server.matches, ANNA.id)).until is None


async def test_a_vacation_is_known_after_a_restart_and_until_it_ends(server: Server) -> None:
    first, second = await begin(server, "1d"), await begin(server, "1d")
    until = server.clock.instant + 10 * DAY
    await set_vacation(server.matches, BEN.id, until)

    await server.restart()

    away = await server.play(await server.matches.load(first.id), LINE[0])
    assert away.deadline == until + DAY
    await set_vacation(server.matches, BEN.id, None)
    back = await server.play(await server.matches.load(second.id), LINE[0])
    assert back.deadline == server.clock.instant + DAY


async def test_live_clocks_know_no_vacation(server: Server) -> None:
    live = await begin(server, "5+0", 1)
    with pytest.raises(VacationError, match=rf"Game {live.id} is played with a live clock"):
        await set_vacation(server.matches, ANNA.id, server.clock.instant + 2 * DAY)
    assert (await vacation_of(server.matches, ANNA.id)).until is None
    await server.matches.perform(live.id, Resign(), user_id=BEN.id)
    until = server.clock.instant + 2 * DAY
    await set_vacation(server.matches, ANNA.id, until)
    again = await begin(server, "5+0")

    assert again.deadline == again.updated_at + 5 * MINUTE
    longer = await set_vacation(server.matches, ANNA.id, until + DAY)
    assert longer.until == until + DAY


async def test_a_vacation_can_be_made_longer_shorter_and_ended(server: Server) -> None:
    match = await begin(server, "1d", 1)
    server.clock.instant -= SECOND
    base = server.clock.instant + SECOND
    await set_vacation(server.matches, BEN.id, base + 10 * DAY)
    await set_vacation(server.matches, BEN.id, base + 12 * DAY)
    first = await server.matches.load(match.id)
    assert deadline_of(first) == deadline_of(match) + 12 * DAY
    server.clock.instant = base + 2 * DAY - SECOND

    ended = await set_vacation(server.matches, BEN.id, None)

    assert (ended.until, ended.left) == (None, 28 * DAY)
    after = await server.matches.load(match.id)
    assert deadline_of(after) == deadline_of(match) + 2 * DAY
    assert await set_vacation(server.matches, BEN.id, None) == ended
    again = await set_vacation(server.matches, BEN.id, base + 30 * DAY)
    assert again.left < timedelta(seconds=30)


async def test_thirty_days_a_year_and_no_more(server: Server) -> None:
    now = server.clock.instant
    with pytest.raises(VacationError, match="that time has passed"):
        await set_vacation(server.matches, BEN.id, now - DAY)
    with pytest.raises(VacationError, match=r"of 2026 you have 30 days left\."):
        await set_vacation(server.matches, BEN.id, now + 31 * DAY)
    assert (await vacation_of(server.matches, BEN.id)).left == 30 * DAY
    await set_vacation(server.matches, BEN.id, now + 20 * DAY)
    with pytest.raises(VacationError, match="10 days left beyond the vacation you are on"):
        await set_vacation(server.matches, BEN.id, now + 31 * DAY)
    assert (await vacation_of(server.matches, BEN.id)).until == now + 20 * DAY


async def test_days_count_for_the_year_they_lie_in(server: Server) -> None:
    server.clock.instant = datetime(2026, 12, 17, tzinfo=UTC) - SECOND

    vacation = await set_vacation(server.matches, BEN.id, datetime(2027, 1, 31, tzinfo=UTC))

    assert vacation.left == 15 * DAY
    with pytest.raises(VacationError):
        await set_vacation(server.matches, BEN.id, datetime(2027, 2, 1, tzinfo=UTC))


async def test_a_vacation_does_not_bring_back_what_is_lost(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match)

    await set_vacation(server.matches, BEN.id, server.clock.instant + 10 * DAY)

    server.clock.instant += LATENCY
    assert [ended.id for ended in await settle_overdue(server.matches)] == [match.id]


async def test_a_vacation_can_be_ended_after_the_clock_went_back(server: Server) -> None:
    await set_vacation(server.matches, ANNA.id, server.clock.instant + timedelta(days=3))
    server.clock.instant -= timedelta(seconds=10)

    await set_vacation(server.matches, ANNA.id, None)

    server.clock.instant += timedelta(seconds=11)
    assert (await vacation_of(server.matches, ANNA.id)).until is None


async def test_a_vacation_ends_though_the_host_clock_is_set_back_before_it_began(
    server: Server,
) -> None:
    await set_vacation(server.matches, BEN.id, server.clock.instant + 10 * DAY)
    server.clock.instant -= 3 * DAY

    await set_vacation(server.matches, BEN.id, None)

    server.clock.instant += 4 * DAY
    assert (await vacation_of(server.matches, BEN.id)).until is None


async def test_a_vacation_of_a_clock_set_far_back_is_taken_off_deadlines_once(
    server: Server,
) -> None:
    match = await begin(server, "1d", 1)
    server.clock.instant += 300 * DAY
    await server.matches.come_back()
    await set_vacation(server.matches, BEN.id, server.clock.instant + 3 * DAY)
    server.clock.instant -= 300 * DAY

    for _ in range(2):
        until = server.clock.instant + DAY
        assert (await set_vacation(server.matches, BEN.id, until)).until == until
        await set_vacation(server.matches, BEN.id, None)

    assert (await vacation_of(server.matches, BEN.id)).until is None
    assert abs(deadline_of(await server.matches.load(match.id)) - match.updated_at - DAY) < MINUTE


async def test_nothing_is_taken_off_a_deadline_that_a_vacation_has_given_nothing_to(
    server: Server,
) -> None:
    await set_vacation(server.matches, BEN.id, server.clock.instant + 3 * DAY)
    server.clock.instant += 300 * DAY
    await server.matches.come_back()  # after this it is over
    match = await begin(server, "1d")
    server.clock.instant -= 300 * DAY
    match = await server.play(match, LINE[0])
    assert match.deadline == server.clock.instant + DAY

    await set_vacation(server.matches, BEN.id, None)

    assert (await server.matches.load(match.id)).deadline == match.deadline
    assert not await settle_overdue(server.matches)
