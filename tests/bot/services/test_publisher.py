"""Boards are shown until they are seen, whatever becomes of the first attempts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from types import MappingProxyType

import pytest

from bot.model.actions import Play, Resign
from bot.model.clocks import ClockRules
from bot.model.match import Match
from bot.services import publisher
from bot.services.publisher import Attempt, Outcome, Publisher
from bot.storage.matches import Shown, find_screen
from bot.storage.outbox import OutboxKind, OutboxRow, list_outbox, outbox_writes
from tests.bot.services.conftest import ANNA, BEN, Server
from tests.waiting import until

MESSAGE = 77


class Screen:
    """The boards as they are seen, and the outcome of each attempt to show one."""

    def __init__(self, publisher: Publisher[str]) -> None:
        self.publisher = publisher
        self.shown: list[tuple[int, int]] = []
        self.outcomes: list[Outcome | Exception] = []
        self.at_once = self.most_at_once = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def show(self, match: Match, way: str | None) -> Attempt:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.gate.wait()
            outcome = self.outcomes.pop(0) if self.outcomes else Outcome.SHOWN
            if isinstance(outcome, Exception):
                raise outcome
            if outcome is Outcome.SHOWN:
                self.shown.append((match.id, match.revision))
            return Attempt(outcome, match.message_id)
        finally:
            self.at_once -= 1


@asynccontextmanager
async def publishing(
    server: Server,
    pauses: list[float] | None = None,
    senders: Mapping[OutboxKind, Callable[[OutboxRow], Awaitable[Outcome]]] = MappingProxyType({}),
) -> AsyncIterator[Screen]:
    async def pause(seconds: float) -> None:
        if pauses is not None:
            pauses.append(seconds)
        await asyncio.sleep(0)

    async with Publisher[str](server.matches, pause=pause) as publisher:
        screen = Screen(publisher)
        publisher.senders |= senders
        running = asyncio.create_task(publisher.run(screen.show))
        await publisher.has_begun.wait()
        yield screen
        await publisher.settled()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def placed(
    server: Server, publisher: Publisher[str] | None = None, **options: object
) -> Match:
    """Return a match of two people whose board is on a screen."""
    match = await server.begin_between(**options)
    match = await server.matches.place(match.id, channel_id=5, message_id=MESSAGE + match.id)
    if publisher is not None:
        publisher.note(match, MESSAGE + match.id)
    return match


async def played(server: Server, match: Match) -> Match:
    who = (ANNA, BEN)[match.ply % 2].id
    move = match.position.legal_moves[0]
    return await server.matches.perform(match.id, Play(move), user_id=who, ply=match.ply)


async def test_what_happens_without_a_click_is_shown(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        match = await played(server, match)
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 1)]


async def test_what_a_click_shows_is_not_shown_twice(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        with screen.publisher.claim(match.id):
            match = await played(server, match)
            screen.publisher.note(match, MESSAGE + match.id)
        await screen.publisher.settled()

    assert screen.shown == []


async def test_what_a_click_could_not_show_is_shown(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        with screen.publisher.claim(match.id):
            match = await played(server, match)
            assert screen.publisher.is_behind(match)
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 1)]


async def test_a_deadline_that_is_moved_while_it_is_drawn_is_drawn_again(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher, clock=ClockRules.parse("5+0"))
        drawn = await played(server, match)
        await server.matches.note_running()
        await screen.publisher.settled()
        screen.shown.clear()
        with screen.publisher.claim(match.id):
            server.clock.instant += timedelta(hours=5)
            await server.matches.come_back()
            await screen.publisher.settled()  # the publisher knows what is behind
            screen.publisher.note(drawn, MESSAGE + match.id)  # as it was before
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 1)]


async def test_what_is_to_be_sent_once_more_while_it_is_taken_out_is_sent_again(server: Server):
    row, sent, again = OutboxRow(OutboxKind.POINTER, 1, 5, 7), [], set()

    async with publishing(server) as screen:

        async def send(each: OutboxRow) -> Outcome:
            sent.append(each)
            if len(sent) == 1:
                again.add(asyncio.create_task(screen.publisher.send(row)))
                await asyncio.sleep(0)  # it is being stored
            return Outcome.SHOWN

        screen.publisher.senders[OutboxKind.POINTER] = send
        await screen.publisher.send(row)
        await screen.publisher.settled()
        await asyncio.gather(*again)
        await screen.publisher.settled()
        assert sent == [row, row]
        await asyncio.gather(screen.publisher.sent(row), screen.publisher.send(row))
        await screen.publisher.settled()

    assert sent == [row, row, row]
    assert await server.database.read(list_outbox) == []


async def test_what_a_refused_click_keeps_from_being_drawn_is_drawn_after_it(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        screen.publisher.redraw(match.id)
        with screen.publisher.claim(match.id):
            await screen.publisher.settled()
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 0)]


async def test_only_the_newest_of_many_steps_is_shown(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        screen.gate.clear()
        match = await played(server, match)
        await asyncio.sleep(0.01)
        for _ in range(4):
            match = await played(server, match)
        screen.gate.set()
        await screen.publisher.settled()

    assert [revision for _, revision in screen.shown] == [1, 5]


async def test_what_fails_is_tried_again_after_longer_and_longer_pauses(server: Server):
    pauses: list[float] = []
    async with publishing(server, pauses) as screen:
        match = await placed(server, screen.publisher)
        screen.outcomes = [Outcome.LATER] * 9
        match = await played(server, match)
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 1)]
    longest = [min(publisher.LONGEST_PAUSE_S, 2.0**number) for number in range(9)]
    assert all(most / 2 <= pause <= most for pause, most in zip(pauses, longest, strict=True))


async def test_what_is_gone_is_remembered_until_a_click_is_answered(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        screen.outcomes = [Outcome.GONE]
        match = await played(server, match)
        await screen.publisher.settled()
    async with publishing(server) as screen:
        match = await played(server, match)
        await screen.publisher.settled()
        assert screen.shown == []
        screen.publisher.note(match, MESSAGE + match.id)
        match = await played(server, match)
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 3)]


async def test_what_a_crash_left_behind_is_shown_at_the_start(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        other = await placed(server, screen.publisher)
    match = await played(server, match)
    await server.matches.perform(other.id, Resign(), user_id=ANNA.id)
    await server.restart()

    async with publishing(server) as screen:
        await screen.publisher.settled()
    async with publishing(server) as again:
        await again.publisher.settled()

    assert sorted(screen.shown) == [(match.id, 1), (other.id, 0)]
    assert again.shown == []
    found = await server.database.read(lambda c: find_screen(c, other.id))
    assert found is not None
    assert found.shown_as is Shown.OVER


async def test_many_boards_are_shown_at_once_but_not_too_many(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    async with publishing(server) as screen:
        monkeypatch.setattr(screen.publisher, "_slots", asyncio.Semaphore(4))
        matches = [await placed(server, screen.publisher) for _ in range(9)]
        screen.gate.clear()
        for match in matches:
            await played(server, match)
        await until(lambda: screen.at_once >= 4)
        screen.gate.set()
        await screen.publisher.settled()

    assert screen.most_at_once == 4
    assert len(screen.shown) == len(matches)


async def test_a_board_that_breaks_the_drawing_stops_no_other(server: Server):
    async with publishing(server) as screen:
        first, second = [await placed(server, screen.publisher) for _ in range(2)]
        screen.outcomes = [RuntimeError("a bug for this test")]
        await played(server, first)
        await screen.publisher.settled()
        await played(server, second)
        await screen.publisher.settled()

    assert screen.shown == [(second.id, 1)]


async def test_of_two_clicks_answered_at_once_nobody_knows_which_is_seen(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        with screen.publisher.claim(match.id), screen.publisher.claim(match.id):
            later = await played(server, match)
            screen.publisher.note(later, MESSAGE + match.id)
            screen.publisher.note(match, MESSAGE + match.id)
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 1)]


async def test_a_click_during_an_attempt_leaves_the_newest_on_the_screen(server: Server):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        screen.gate.clear()
        match = await played(server, match)
        await asyncio.sleep(0.01)
        with screen.publisher.claim(match.id):
            match = await played(server, match)
            screen.publisher.note(match, MESSAGE + match.id)
        screen.gate.set()
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 1), (match.id, 2)]


@pytest.mark.parametrize("claimed", [False, True])
async def test_an_attempt_that_failed_behind_a_click_may_have_come_after_it(
    server: Server, claimed: bool
):
    async with publishing(server) as screen:
        match = await placed(server, screen.publisher)
        screen.gate.clear()
        screen.outcomes = [Outcome.LATER]
        match = await played(server, match)
        await until(lambda: screen.at_once)
        with screen.publisher.claim(match.id):
            match = await played(server, match)
            if claimed:
                screen.gate.set()
                await until(lambda: not screen.at_once)
            screen.publisher.note(match, MESSAGE + match.id)
        screen.gate.set()
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 2)]


ROW = OutboxRow(OutboxKind.POINTER, 1, 5, MESSAGE)


async def test_what_is_put_into_the_outbox_again_is_not_struck_out_with_what_was_before(
    server: Server,
):
    publisher = Publisher[str](server.matches)
    await publisher.send(ROW)

    await asyncio.gather(publisher.sent(ROW), publisher.send(ROW))

    assert await server.database.read(list_outbox) == [ROW]


async def test_what_is_put_into_the_outbox_while_it_is_struck_out_is_sent(server: Server):
    sent: list[OutboxRow] = []

    async def send(row: OutboxRow) -> Outcome:
        sent.append(row)
        if len(sent) == 1:  # it is there again, and the publisher hears of it a moment later
            await server.database.store(outbox_writes(row))
            asyncio.get_running_loop().call_soon(screen.publisher.check, row)
        return Outcome.SHOWN

    async with publishing(server) as screen:
        screen.publisher.senders[OutboxKind.POINTER] = send
        await screen.publisher.send(ROW)
        await screen.publisher.settled()

    assert sent == [ROW, ROW]
    assert await server.database.read(list_outbox) == []


async def test_a_board_without_a_place_is_left_alone(server: Server):
    async with publishing(server) as screen:
        match = await played(server, await server.begin_between())
        await screen.publisher.settled()

    assert match.message_id is None
    assert screen.shown == []


@pytest.mark.parametrize(("lasts_s", "kept"), [(publisher.WAYS_LAST_S, 1), (0.0, 0)])
async def test_a_way_is_kept_no_longer_than_it_leads_anywhere(
    server: Server, monkeypatch: pytest.MonkeyPatch, lasts_s: float, kept: int
):
    monkeypatch.setattr(publisher, "WAYS_LAST_S", lasts_s)
    async with publishing(server) as screen:
        match = await placed(server)
        screen.publisher.note(match, MESSAGE + match.id, way="a click")

        assert len(screen.publisher._ways) == kept


@pytest.mark.parametrize("forget", [True, False])
async def test_whose_board_it_was_is_forgotten_with_them(server: Server, forget: bool):
    async with publishing(server) as screen:
        match = await placed(server)
        screen.publisher.note(match, MESSAGE + match.id, player_id=ANNA.id)
        if forget:
            screen.publisher.forget_player(ANNA.id)
        reader = await screen.publisher.reader_of(match.id)

    assert reader == (None if forget else ANNA.id)


def test_pauses_are_not_all_alike(monkeypatch: pytest.MonkeyPatch):
    measured: Callable[[int], float] = publisher._pause_s

    assert len({measured(3) for _ in range(20)}) > 1
