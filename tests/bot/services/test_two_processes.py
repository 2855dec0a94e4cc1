"""Two processes on one PostgreSQL database: neither relies on what the other has changed."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import TYPE_CHECKING

import psycopg
import pytest

from bot.host_errors import DatabaseInUseError
from bot.model.actions import Resign
from bot.model.hosting import Shards
from bot.model.notices import News, NewsKind
from bot.model.preferences import Notices
from bot.services.computer import Replies
from bot.services.hosting import Hosting
from bot.services.notifications import SentNotifications
from bot.services.preferences import PreferenceStore
from bot.services.publisher import Outcome
from bot.services.vacations import set_vacation
from bot.storage import open_storage, postgresql
from bot.storage.matches import ScreenRow, save_screens
from bot.storage.notices import NoticeRow, replace_news
from bot.storage.outbox import OutboxKind, OutboxRow, list_outbox, outbox_writes
from tests.bot.services import stored
from tests.bot.services.conftest import ANNA, BEN, Server
from tests.bot.services.test_publisher import placed, publishing
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.model.match import Match
    from tests import postgresql as servers

ON_SHARD_1 = (2**40 + 1) << 22
"""A server's number; by Discord's formula its shard is 1 of 2."""

FIRST, SECOND = Shards.parse("0/2"), Shards.parse("1/2")


@pytest.fixture
def database_url(postgresql_server: servers.Server) -> str:
    return postgresql_server.new_database()


@pytest.fixture
async def both(database_url: str) -> AsyncIterator[tuple[Server, Server]]:
    """Two processes, as far as the database can tell."""
    one, other = Server(database_url, FIRST), Server(database_url, SECOND)
    await one.start()
    await other.start()
    yield one, other
    await one.stop()
    await other.stop()


async def listen_to_nobody(*_given: object) -> None:
    """Be a process that ends before others see it."""


async def until_heard(server: Server, table: str) -> str | None:
    """Wait until a process hears that another has changed a row of a table, and return which."""
    heard: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
    watchers = server.database.watchers[table]
    watchers.append(heard.set_result)
    try:
        return await asyncio.wait_for(heard, 30)
    finally:
        watchers.remove(heard.set_result)


async def test_a_match_is_played_through_two_processes(both: tuple[Server, Server]):
    """Each remembers it from its own last move, and is told of the other's."""
    match = await both[0].begin_between()
    for ply, move in enumerate((40, 36, 0, 4, 39)):
        here, there = both[ply % 2], both[1 - ply % 2]
        hearing = asyncio.create_task(until_heard(there, "match"))
        await asyncio.sleep(0)
        match = await here.play(match, move)
        assert await hearing == str(match.id)
        assert await there.matches.load(match.id) == match


async def test_a_board_that_another_process_has_shown_can_be_played_on_at_once(
    both: tuple[Server, Server],
):
    one, other = both
    match = await one.begin_between()
    await other.matches.load(match.id)
    other.database.watchers.clear()  # as if what it is told came too late
    match = await one.play(match, 40)

    match = await other.play(match, 36)

    assert match.moves == (40, 36)


async def test_what_was_decided_by_an_older_match_is_decided_again(both: tuple[Server, Server]):
    one, other = both
    match = await one.begin_between()
    await other.matches.load(match.id)
    other.database.watchers.clear()
    await one.play(match, 40)

    ended = await other.matches.perform(match.id, Resign(), user_id=BEN.id)

    assert (ended.moves, ended.winner) == ((40,), 0)
    assert stored.check(one.url) == []


async def test_settings_are_those_of_the_other_process_as_well(both: tuple[Server, Server]):
    one, other = (PreferenceStore(each.database) for each in both)
    assert (await other.of(ANNA.id)).notices is Notices.AUTO
    hearing = asyncio.create_task(until_heard(both[1], "player_setting"))
    await asyncio.sleep(0)
    await one.change(ANNA.id, notices=Notices.DM)
    await hearing

    assert (await other.of(ANNA.id)).notices is Notices.DM
    await until(lambda: other.notices_of(ANNA.id) is Notices.DM)


async def test_after_a_lost_connection_nothing_is_remembered(both: tuple[Server, Server]):
    """Nobody knows what was changed meanwhile."""
    one, other = both
    match = await one.begin_between()
    await other.matches.load(match.id)
    hearing = asyncio.create_task(until_heard(other, "match"))
    await asyncio.sleep(0)
    with psycopg.connect(one.url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
        )
    await one.play(match, 40)

    assert await hearing in (None, str(match.id))
    assert (await other.matches.load(match.id)).moves == (40,)


async def test_a_board_is_placed_as_another_process_has_left_the_match(
    both: tuple[Server, Server],
):
    one, other = both
    match = await placed(one)
    await other.matches.load(match.id)
    other.database.watchers.clear()
    await one.play(match, 40)

    moved = await other.matches.place(match.id, channel_id=7, message_id=8)

    assert (moved.moves, moved.message_id) == ((40,), 8)
    await one.play(moved, 36)
    assert (await other.matches.load(match.id)).moves == (40,)
    assert (await other.matches.reload(match.id)).moves == (40, 36)


async def test_a_click_that_is_answered_late_does_not_hide_what_another_process_has_shown(
    both: tuple[Server, Server],
):
    one, other = both
    match = await placed(one)
    async with publishing(other) as screen:
        with screen.publisher.claim(match.id):
            clicked = await other.play(match, 40)
            hearing = asyncio.create_task(until_heard(other, "match"))
            await asyncio.sleep(0)
            await one.play(clicked, 36)
            await hearing
            screen.publisher.note(clicked, match.message_id or 0)
        await screen.publisher.settled()

    assert screen.shown == [(match.id, 2)]


async def test_a_board_that_two_processes_show_at_once_is_in_one_place(both: tuple[Server, Server]):
    """The board that the second has not heard of yet gets a pointer to the second's own."""
    one, other = both
    match = await one.begin_between()
    other.database.watchers.clear()  # first: it may still hear that the match has begun
    await other.matches.load(match.id)
    await one.matches.place(match.id, channel_id=5, message_id=6)

    placed = await other.matches.place(match.id, channel_id=7, message_id=8)

    assert (placed.channel_id, placed.message_id) == (7, 8)
    left = await other.database.read(list_outbox)
    assert [(each.kind, each.channel_id, each.message_id) for each in left] == [
        (OutboxKind.POINTER, 5, 6)
    ]


async def test_one_process_leads_and_another_takes_over(both: tuple[Server, Server]):
    await until(lambda: any(each.database.leads for each in both))
    leader, other = sorted(both, key=lambda each: not each.database.leads)
    assert not other.database.leads
    await leader.stop()
    await until(lambda: other.database.leads)


async def leave_behind(server: Server, guild_id: int | None) -> list[int]:
    """Store a match whose board is behind, with a pointer to set, and one that awaits a reply."""
    match = await server.begin_between(guild_id=guild_id)
    message_id = 70 + match.id
    shown = ScreenRow(match_id=match.id, message_id=message_id, shown_revision=0)
    pointer = OutboxRow(OutboxKind.POINTER, match.id, 5, 60 + match.id)
    await server.matches.place(match.id, channel_id=5, message_id=message_id)
    await server.database.write(save_screens, [shown])
    await server.database.store(outbox_writes(pointer))
    await server.play(match, 40)
    asked = await server.play(await server.begin(guild_id=guild_id), 40)
    return [match.id, match.id, asked.id]


async def test_what_another_process_enters_while_it_is_sent_is_sent_again(
    both: tuple[Server, Server],
):
    """A board comes back to where a pointer is just being left, and moves once more."""
    here, there = both
    row = OutboxRow(OutboxKind.POINTER, 1, 5, 6)
    await here.database.store(outbox_writes(row))
    sent: list[OutboxRow] = []

    async def point(row: OutboxRow) -> Outcome:
        sent.append(row)
        if len(sent) == 1:
            await there.database.store(outbox_writes(row))
        return Outcome.SHOWN

    async with publishing(here, senders={OutboxKind.POINTER: point}) as screen:
        await until(lambda: len(sent) == 1)
        await screen.publisher.settled()
        assert await there.database.read(list_outbox, row) == [row]
        screen.publisher.check(row)
        await screen.publisher.settled()
    assert (len(sent), await there.database.read(list_outbox, row)) == (2, [])


async def test_what_a_process_leaves_is_seen_to_by_another(
    both: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
):
    """Nobody touches the unfinished work of a process that is alive."""
    await until(lambda: any(each.database.leads for each in both))
    leader, other = sorted(both, key=lambda each: not each.database.leads)
    own = await leave_behind(leader, None if leader.shards == FIRST else ON_SHARD_1)
    left = await leave_behind(other, None if other.shards == FIRST else ON_SHARD_1)
    sent: list[int] = []
    replied: list[int] = []
    leader.matches.watchers.append(lambda step: replied.append(step.after.id))

    async def point(row: OutboxRow) -> Outcome:
        sent.append(row.number)
        return Outcome.SHOWN

    async with (
        publishing(leader, senders={OutboxKind.POINTER: point}) as screen,
        Replies(leader.matches),
    ):

        def done() -> list[int]:
            return [*(number for number, _ in screen.shown), *sent, *replied]

        await until(lambda: len(done()) >= 3)
        assert sorted(done()) == own
        await other.stop()
        await until(lambda: len(done()) >= 6)
        assert sorted(done()) == sorted(own + left)

        monkeypatch.setattr(postgresql, "listen", listen_to_nobody)
        await other.start()
        left += await leave_behind(other, None if other.shards == FIRST else ON_SHARD_1)
        await other.stop()
        await until(lambda: len(done()) >= 9)
    assert sorted(done()) == sorted(own + left)


async def test_what_one_process_has_told_no_other_tells(both: tuple[Server, Server]):
    one, other = (SentNotifications(each.database, each.clock) for each in both)
    for each, server in ((one, both[0]), (other, both[1])):
        for table in ("notice", "mute"):
            server.database.keep_current(table, each.hear)
    match = await both[0].begin_between()
    news = News(kind=NewsKind.TURN, match_id=match.id, user_id=ANNA.id, revision=0)
    await both[0].database.write(replace_news, news, both[0].clock())
    assert await one.note_tried(news)
    call = NoticeRow(match_id=match.id, player_id=ANNA.id, channel_id=5, message_id=6)
    await one.finish(news, call)

    assert not await other.note_tried(news)
    await until(lambda: other.find(match.id, ANNA.id) == call)
    await other.drop(call)
    await other.mute(match.id, ANNA.id)
    key = (match.id, ANNA.id)
    await until(lambda: one.find(*key) is None and key in one.muted)


async def test_of_what_two_processes_say_at_once_the_newest_message_stays(
    both: tuple[Server, Server],
):
    books = [SentNotifications(each.database, each.clock) for each in both]
    match = await both[0].begin_between()
    key = (match.id, ANNA.id)
    first, second, third = (
        NoticeRow(match_id=match.id, player_id=ANNA.id, channel_id=5, message_id=6 + number)
        for number in range(3)
    )
    turns = [
        News(kind=NewsKind.TURN, match_id=match.id, user_id=ANNA.id, revision=each)
        for each in range(3)
    ]

    assert await books[1].finish(turns[1], second) is None
    assert await books[0].finish(turns[0], first) == first
    assert books[0].find(*key) is None
    assert await books[0].finish(turns[2], third) == second
    await books[1].drop(second)
    assert await books[1].finish(turns[2], third) is None
    assert (await books[1].open()).standing == [third]


async def test_vacations_and_bans_are_those_of_the_other_process_as_well(
    both: tuple[Server, Server],
):
    hosts = [Hosting(each.matches) for each in both]
    for host in hosts:
        await host.open()
    await hosts[0].ban(BEN.id, is_server=False)
    until_then = both[0].clock() + timedelta(days=3)
    await set_vacation(both[0].matches, ANNA.id, until_then)

    await until(lambda: BEN.id in hosts[1].bans and ANNA.id in both[1].matches.away)


async def test_each_shard_has_one_process(both: tuple[Server, Server], database_url: str):
    for shards, why in (
        (FIRST, "another process serves shard 0 already"),
        (Shards.parse("0-2/4"), "another process serves shard 0 already"),
        (None, "another bot is using this database"),
    ):
        with pytest.raises(DatabaseInUseError, match=why):
            async with open_storage(database_url, shards):
                pass
    await both[1].stop()
    async with open_storage(database_url, SECOND):
        pass


async def test_processes_take_turns_to_be_let_in_and_hold_no_connection_for_them(
    both: tuple[Server, Server],
):
    """Discord lets in one shard of a bucket every five seconds, whichever process it is in."""
    one, other = (server.database.writing for server in both)
    loop = asyncio.get_running_loop()
    began_at = loop.time()
    for process in (one, other, one):
        await process.wait_turn(0, 0.2)
    assert loop.time() - began_at >= 2 * 0.2

    async with asyncio.timeout(50):
        await asyncio.gather(*(one.wait_turn(number, 60.0) for number in range(1, 30)))


async def test_a_turn_far_away_is_no_turn(both: tuple[Server, Server], database_url: str):
    """The server's clock was set back after the turn was given out."""
    address = database_url.replace("+psycopg", "")
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as there:
        await there.execute("INSERT INTO turn VALUES (0, now() + interval '1 day')")

    async with asyncio.timeout(30):
        await both[0].database.writing.wait_turn(0, 0.01)


async def test_many_games_through_two_processes_at_once_lose_nothing(both: tuple[Server, Server]):
    async def play(match: Match) -> int:
        rng = random.Random(match.id)
        while not match.is_over and match.ply < 25:
            move = rng.choice(match.position.legal_moves)
            match = await rng.choice(both).play(match, move)
        assert (await rng.choice(both).matches.reload(match.id)).moves == match.moves
        return match.ply

    matches = [await both[number % 2].begin_between() for number in range(8)]
    plies = await asyncio.gather(*map(play, matches))

    assert sum(plies) >= 100
    assert stored.check(both[0].url) == []
