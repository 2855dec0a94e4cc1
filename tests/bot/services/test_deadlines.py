"""The task that keeps time, with a clock that jumps so that tests need not wait."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from bot.model.clocks import ClockRules
from bot.model.errors import StorageFailedError
from bot.model.preferences import Notices, PlayerPreferences
from bot.services.clocks import ClockScheduler
from bot.services.matches import MatchService
from bot.services.preferences import PreferenceStore
from tests.bot.services.conftest import BEN
from tests.bot.services.timed import silent_queue

if TYPE_CHECKING:
    from datetime import datetime

    from tests.bot.services.conftest import Server

MINUTE = timedelta(minutes=1)


@dataclass
class Shown:
    """What the task has announced, and how long it has slept."""

    server: Server
    settled: list[int] = field(default_factory=list)
    reminded: list[int] = field(default_factory=list)
    expired: list[int] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    told: asyncio.Event = field(default_factory=asyncio.Event)
    asleep: asyncio.Event = field(default_factory=asyncio.Event)
    jumps: bool = True
    fails: bool = False

    def note(self, where: list[int], number: int) -> None:
        where.append(number)
        self.told.set()
        if self.fails:
            raise RuntimeError("Discord is down")

    async def sleep(self, seconds: float) -> None:
        """Let the time pass at once, or never."""
        self.slept.append(seconds)
        self.asleep.set()
        if not self.jumps:
            await asyncio.Event().wait()
        self.server.clock.instant += timedelta(seconds=seconds)

    def deadlines(self) -> ClockScheduler:
        remind = silent_queue(lambda news: self.note(self.reminded, news.match_id))
        self.server.matches.notifications = remind
        return ClockScheduler(
            self.server.matches,
            self.server.challenges,
            on_settled=lambda match: self.note(self.settled, match.id),
            on_expired=lambda challenge: self.note(self.expired, challenge.id),
            sleep=self.sleep,
        )


async def stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def noted_at(server: Server) -> datetime:
    row = await server.database.find_setting("heartbeat")
    assert row is not None
    return server.clock.instant.fromisoformat(row)


async def test_a_match_ends_when_its_time_is_over(server: Server) -> None:
    shown = Shown(server)
    match = await server.begin_between(clock=ClockRules.parse("5+0"))
    task = asyncio.create_task(shown.deadlines().run())

    while not shown.settled:
        await asyncio.wait_for(shown.told.wait(), 20)
        shown.told.clear()
    await stop(task)

    assert (shown.reminded, shown.settled) == ([match.id], [match.id])
    assert (await server.matches.load(match.id)).winner == 1
    # Never past the deadline, and never longer than a minute.
    assert max(shown.slept) <= 60
    assert sum(shown.slept) <= 300
    assert server.matches.listeners == []


async def test_it_wakes_for_an_earlier_deadline(server: Server) -> None:
    shown = Shown(server, jumps=False)
    task = asyncio.create_task(shown.deadlines().run())
    await shown.asleep.wait()
    assert shown.slept == [60]
    shown.asleep.clear()

    await server.begin_between(clock=ClockRules.parse("1+0"))
    await asyncio.wait_for(shown.asleep.wait(), 20)
    shown.asleep.clear()
    await server.begin_between(clock=ClockRules.parse("3d"))
    await asyncio.sleep(0.05)
    await stop(task)

    assert len(shown.slept) == 2
    assert shown.slept[1] < 60


async def test_what_came_due_while_the_bot_was_down_is_settled_at_the_start(
    server: Server,
) -> None:
    match = await server.begin_between(clock=ClockRules.parse("1+0"))
    server.clock.instant += MINUTE
    await server.restart()
    shown = Shown(server, jumps=False)
    task = asyncio.create_task(shown.deadlines().run())

    await asyncio.wait_for(shown.told.wait(), 20)
    await stop(task)

    assert shown.settled == [match.id]


async def test_it_notes_that_the_bot_runs_and_tells_of_the_rest(server: Server) -> None:
    await PreferenceStore(server.database).put(BEN.id, PlayerPreferences(notices=Notices.DM))
    match = await server.begin_between(clock=ClockRules.parse("4h"), side=1)
    challenge = await server.offer(opponent=None)
    shown = Shown(server)
    deadlines = shown.deadlines()
    await deadlines.work()
    assert (shown.expired, shown.reminded) == ([], [])
    server.clock.instant = match.created_at + timedelta(hours=3)
    await server.matches.note_running()

    await deadlines.work()
    await deadlines.work()

    assert shown.expired == [challenge.id]
    assert shown.reminded == [match.id]
    assert server.clock.instant - await noted_at(server) < MINUTE


async def test_one_message_that_cannot_be_shown_is_not_the_end(server: Server) -> None:
    shown = Shown(server, fails=True)
    first = await server.begin_between(clock=ClockRules.parse("1+0"))
    second = await server.begin_between(clock=ClockRules.parse("1+0"))
    server.clock.instant += 2 * MINUTE
    await server.matches.note_running()

    with capture_logs() as lines:
        await shown.deadlines().work()

    assert shown.settled == [first.id, second.id]
    assert [line["event"] for line in lines if line["log_level"] == "error"] == [
        "could not show what the clock has done"
    ] * 2


async def test_a_round_that_fails_is_not_the_last(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Shown(server, jumps=False)
    refused = [StorageFailedError()]
    come_back = MatchService.come_back

    async def refuse_once(matches: MatchService) -> timedelta:
        if refused:
            raise refused.pop()
        return await come_back(matches)

    monkeypatch.setattr(MatchService, "come_back", refuse_once)
    task = asyncio.create_task(shown.deadlines().run())
    await shown.asleep.wait()
    match = await server.begin_between(clock=ClockRules.parse("1+0"))
    server.clock.instant += MINUTE
    await asyncio.wait_for(shown.told.wait(), 20)
    await stop(task)

    assert shown.settled == [match.id]


async def test_it_ends_with_the_service(server: Server) -> None:
    shown = Shown(server)
    await server.stop()

    await asyncio.wait_for(shown.deadlines().run(), 20)

    assert server.matches.listeners == []


async def test_a_machine_that_slept_costs_nobody_time(server: Server) -> None:
    """The process was there all the time, but nobody could reach it."""
    shown = Shown(server)
    match = await server.begin_between(clock=ClockRules.parse("5+0"))
    deadlines = shown.deadlines()
    await deadlines.work()
    asleep_from = server.clock.instant
    server.clock.instant += timedelta(hours=8)

    await deadlines.work()

    assert shown.settled == []
    after = await server.matches.load(match.id)
    assert after.deadline is not None
    assert match.deadline is not None
    given = after.deadline - match.deadline
    assert abs(given - timedelta(hours=8)) < MINUTE
    assert server.clock.instant - asleep_from > timedelta(hours=8)
