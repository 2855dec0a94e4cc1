"""The bot's own downtime: it costs nobody time."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from bot.model.errors import RestartingError, StorageFailedError
from bot.services.clocks import ClockScheduler, settle_overdue
from bot.services.matches import MatchService
from bot.storage.matches import ScreenRow, Shown, list_behind, save_screens
from tests.bot.services.timed import (
    DAY,
    HOUR,
    LINE,
    MINUTE,
    SECOND,
    begin,
    deadline_of,
    silent_queue,
)
from tests.waiting import until

if TYPE_CHECKING:
    from bot.model.match import Match
    from tests.bot.services.conftest import Server


async def test_the_bots_own_absence_costs_nobody_time(server: Server) -> None:
    match, live = await begin(server, "1h", 1), await begin(server, "5+0", 1)
    challenge = await server.offer(opponent=None)
    shown = [
        ScreenRow(match_id=each.id, shown_revision=each.revision, shown_as=Shown.BOARD)
        for each in (match, live)
    ]
    await server.database.write(partial(save_screens, rows=shown))
    assert await server.database.read(list_behind) == []
    await server.matches.note_running()
    away_from = server.clock.instant
    await server.crash()
    server.clock.instant = away_from + 5 * HOUR - SECOND
    await server.start()

    for before in (match, live):
        after = await server.matches.load(before.id)
        assert deadline_of(after) == deadline_of(before) + 5 * HOUR
    assert set(await server.database.read(list_behind)) == {match.id, live.id}  # to be redrawn
    assert await settle_overdue(server.matches) == []
    offered = await server.challenges.load(challenge.id)
    assert offered.expires_at == challenge.expires_at + 5 * HOUR
    assert (await server.play(await server.matches.load(match.id), LINE[1])).ply == 2


async def test_many_crashes_give_the_time_once(server: Server) -> None:
    match = await begin(server, "1d", 1)
    await server.matches.note_running()
    noted_at = server.clock.instant
    await server.crash()
    server.clock.instant = noted_at + HOUR - SECOND
    for _ in range(5):
        await server.start()
        await server.crash()
    await server.start()

    after = await server.matches.load(match.id)
    assert deadline_of(after) == deadline_of(match) + HOUR
    rows = await server.database.read(
        lambda c: c.execute(text("SELECT ended_at - began_at FROM downtime")).scalars().all()
    )
    assert rows == [HOUR // timedelta(milliseconds=1)]


async def test_a_crash_while_the_time_is_given_gives_all_or_nothing(server: Server) -> None:
    match = await begin(server, "1d", 1)
    await server.crash()
    server.clock.instant += HOUR
    await server.start()
    given = deadline_of(await server.matches.load(match.id)) - deadline_of(match)
    await server.database.write(
        lambda c: c.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON downtime "
                "BEGIN SELECT RAISE(ABORT, 'full'); END"
            )
        )
    )
    await server.crash()
    server.clock.instant += HOUR

    with pytest.raises(Exception, match="full"):
        await server.start()
    await server.stop()

    with sqlite3.connect(server.url.removeprefix("sqlite+aiosqlite:///")) as connection:
        connection.execute("DROP TRIGGER full")
    connection.close()
    await server.start()
    later = deadline_of(await server.matches.load(match.id)) - deadline_of(match)
    assert given < later
    assert later >= 2 * HOUR


async def test_a_short_absence_is_none(server: Server) -> None:
    match = await begin(server, "1h", 1)
    await server.matches.note_running()
    noted_at = server.clock.instant
    await server.crash()
    server.clock.instant = noted_at + 2 * MINUTE - SECOND
    await server.start()

    assert (await server.matches.load(match.id)).deadline == match.deadline


async def test_a_deadline_that_had_passed_before_is_not_saved_by_it(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match)
    await server.matches.note_running()
    await server.crash()
    server.clock.instant += DAY
    await server.start()

    assert [ended.id for ended in await settle_overdue(server.matches)] == [match.id]


async def test_a_full_disk_does_not_keep_the_bot_from_closing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = []

    async def refuse(matches: MatchService) -> None:
        refused.append(matches)
        raise StorageFailedError

    match = await begin(server, "1h", 1)
    monkeypatch.setattr(MatchService, "note_running", refuse)

    await server.matches.close()

    assert len(refused) == 1, "it tried"
    with pytest.raises(RestartingError):
        await server.matches.load(match.id)


async def test_a_host_clock_set_three_days_ahead_costs_nobody_a_match(server: Server) -> None:
    match, live = await begin(server, "1d", 1), await begin(server, "5+0", 1)
    await server.matches.note_running()
    server.clock.instant += 3 * DAY

    await server.matches.catch_up()

    for before in (match, live):
        after = await server.matches.load(before.id)
        assert abs(deadline_of(after) - deadline_of(before) - 3 * DAY) < MINUTE
        assert (await server.play(after, LINE[1])).ply == 2
    assert await settle_overdue(server.matches) == []


async def test_a_host_clock_set_back_an_hour_and_forth_costs_nobody_a_match(
    server: Server,
) -> None:
    before = await begin(server, "5+0", 1)
    await server.matches.note_running()
    server.clock.instant -= HOUR
    await server.matches.catch_up()
    await server.matches.note_running()
    meanwhile = await begin(server, "5+0", 1)
    server.clock.instant += HOUR

    await server.matches.catch_up()

    assert await settle_overdue(server.matches) == []
    for match in (before, meanwhile):
        after = await server.matches.load(match.id)
        assert abs(deadline_of(after) - deadline_of(match) - HOUR) < MINUTE
        assert (await server.play(after, LINE[1])).ply == 2


async def test_a_clock_that_jumps_twice_from_the_same_moment_costs_nobody_a_match(
    server: Server,
) -> None:
    match = await begin(server, "1d", 1)
    noted_at = server.clock.instant
    for _ in range(2):
        server.clock.instant = noted_at
        await server.matches.note_running()
        server.clock.instant += HOUR
        await server.matches.catch_up()

    after = await server.matches.load(match.id)
    assert deadline_of(after) - deadline_of(match) >= 2 * HOUR
    assert (await server.play(after, LINE[1])).ply == 2


async def test_catching_up_gives_nothing_while_the_bot_runs(server: Server) -> None:
    match = await begin(server, "5+0", 1)
    for _ in range(4):
        server.clock.instant += MINUTE
        await server.matches.note_running()
        await server.matches.catch_up()

    assert (await server.matches.load(match.id)).deadline == match.deadline


async def test_many_who_click_at_once_after_a_jump_get_the_time_once(server: Server) -> None:
    match = await begin(server, "1d", 1)
    await server.matches.note_running()
    server.clock.instant += 3 * DAY

    await asyncio.gather(*(server.matches.catch_up() for _ in range(20)))

    given = deadline_of(await server.matches.load(match.id)) - deadline_of(match)
    assert abs(given - 3 * DAY) < MINUTE


async def test_a_move_on_its_way_when_the_clock_jumps_leaves_the_other_their_time(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time is given back between reading the match and the move, so the match is read again."""
    match = await begin(server, "1d", 1)
    await server.matches.note_running()
    current, jumps = server.matches.cache.current, [3 * DAY]

    async def slow(match_id: int) -> Match:
        found = await current(match_id)
        if jumps:
            server.clock.instant += jumps.pop()
            await server.matches.come_back()
        return found

    monkeypatch.setattr(server.matches.cache, "current", slow)
    after = await server.play(match, LINE[1])

    assert after.ply == match.ply + 1
    assert deadline_of(after) == server.clock.instant + DAY
    assert await settle_overdue(server.matches) == []


async def test_a_board_moved_while_the_time_is_given_back_has_it_too(server: Server) -> None:
    match = await begin(server, "1d", 1)
    await server.matches.note_running()
    server.clock.instant += 3 * DAY

    coming = asyncio.create_task(server.matches.come_back())
    await asyncio.sleep(0)  # what it writes is on its way
    placed = server.matches.place(match.id, channel_id=5, message_id=7)
    await asyncio.gather(coming, placed)

    after = await server.matches.load(match.id)
    assert after.message_id == 7
    assert deadline_of(after) - deadline_of(match) >= 3 * DAY


async def test_a_clock_set_while_people_are_told_costs_nobody_a_match(server: Server) -> None:
    """Between two notifications the bot notes that it runs, but not that it ran for three days."""
    lost, other = await begin(server, "1h", 1), await begin(server, "1d", 1)

    def jump(_value: object) -> None:
        server.clock.instant += 3 * DAY

    server.matches.notifications = silent_queue(jump)
    scheduler = ClockScheduler(server.matches, server.challenges, on_settled=jump, on_expired=jump)
    for _ in range(31):  # until somebody is reminded
        server.clock.instant += SECOND
        await scheduler.work()
    await scheduler.work()

    assert server.clock.instant - other.created_at > 3 * DAY
    for each in (lost, other):
        assert not (await server.matches.load(each.id)).is_over


async def test_an_outage_of_discord_costs_nobody_time(server: Server) -> None:
    """The bot runs but nobody can reach it: nothing is settled, and the time is given back."""
    match, is_online = await begin(server, "5+0", 1), [False]
    await server.matches.note_running()

    async def minute(_seconds: float) -> None:
        server.clock.instant += MINUTE
        is_online[0] = server.clock.instant > deadline_of(match) + HOUR
        await asyncio.sleep(0)

    scheduler = ClockScheduler(
        server.matches,
        server.challenges,
        on_settled=lambda _match: None,
        on_expired=lambda _challenge: None,
        is_online=lambda: is_online[0],
        sleep=minute,
    )
    running = asyncio.create_task(scheduler.run())
    await until(lambda: is_online[0])
    await server.matches.catch_up()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    after = await server.matches.load(match.id)
    assert not after.is_over
    assert deadline_of(after) - deadline_of(match) > HOUR


async def test_an_outage_that_goes_on_at_the_end_is_given_back(server: Server) -> None:
    match = await begin(server, "1h", 1)
    await server.matches.note_running()
    server.clock.instant += 30 * MINUTE
    server.matches.watches_clock = True
    await server.restart()

    after = await server.matches.load(match.id)
    assert deadline_of(after) - deadline_of(match) >= 30 * MINUTE
