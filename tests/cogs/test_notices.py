"""Players are told what is new as they ask for it, or when they have not moved for a while."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.clock import system_clock
from bot.model import clocks
from bot.model.actions import Resign
from bot.model.match import Match
from bot.model.preferences import Notices
from bot.services import notifications
from bot.services.matches import MatchService
from bot.storage.notices import list_unreached
from deploy.sandbox import Sandbox
from tests.cogs.table import Board, Table, mistakes_in, running_bot, settings_for
from tests.cogs.test_challenge import age_database, begun, challenged, newest, to_move
from tests.waiting import until

JSON = dict[str, Any]


@pytest.fixture(autouse=True)
def nobody_sits_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Assume that nobody is at the board: tests do not wait until they have gone."""
    monkeypatch.setattr(notifications, "PRESENT_FOR", timedelta())


async def wants(table: Table, user: int, notices: Notices) -> None:
    await table.bot.preferences.change(user, notices=notices)


async def direct(table: Table, user: int) -> list[JSON]:
    """Return what the bot has written to `user`, oldest first."""
    channel = await table.sandbox.people.open_direct(user)
    return table.everything(user, channel.id)


def said(table: Table, user: int | None = None) -> list[JSON]:
    """Return the plain messages in the channel, without boards and challenges."""
    return [each for each in table.everything(user) if each["content"] and not each["flags"] & 64]


def mentioned(message: JSON) -> list[int]:
    return [int(each["id"]) for each in message["mentions"]]


async def settle(table: Table) -> None:
    """Wait until all notifications have been sent."""
    cog: Any = table.bot.get_cog("Notices")
    await until(lambda: not cog.telling.is_waiting and cog.current is None)
    await table.quiet()


async def begun_quietly(table: Table, **options: Any) -> tuple[Board, Match]:
    """Begin a game that only Ben may want to be told about."""
    await wants(table, table.ann, Notices.NONE)
    return await begun(table, **options)


async def test_nobody_is_told_who_wants_nothing_or_has_a_day_to_answer(table: Table):
    board, _ = await begun_quietly(table, colour=0)
    await table.play(board, pick=4)
    await settle(table)

    assert said(table) == []
    assert await direct(table, table.ben) == []


async def test_who_does_not_answer_is_mentioned_and_can_mute_the_game(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(clocks, "CALLED_AFTER", timedelta())
    settings = settings_for(sandbox, tmp_path)
    board: Board

    def notice_to(user: int) -> Board | None:
        found = [Board(each) for each in said(table) if mentioned(each) == [user]]
        assert len(found) <= 1
        return found[0] if found else None

    async def play(*users: int) -> None:
        """Play and wait until all but the last have been told that it is their turn."""
        nonlocal board
        for user in users:
            board = await table.play(board, user=user)
            await settle(table)

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board, match = await begun(table, colour=0, clock="3d")
        await until(lambda: notice_to(table.ann))
        accepted = said(table)[0]["content"]
        assert f"**Ben accepted your challenge:** game {match.id} begins." in accepted
        assert "It's your turn." in accepted
        await play(table.ann)
        assert notice_to(table.ann) is None
        await until(lambda: notice_to(table.ben))
        notice = notice_to(table.ben)
        assert notice is not None
        assert "**Your turn** in game" in notice.message["content"]

        await table.press(notice, notice.buttons["Mute"], user=table.ann)
        assert "is for someone else" in table.whispers(table.ann)[-1]
        await table.press(notice, notice.buttons["Mute"], user=table.ben)
        await until(lambda: notice_to(table.ben) is None)
        answered = Board(table.seen(table.ben)[-1])
        assert answered.message["flags"] & 64
        assert "muted" in answered.text
        assert "</settings:" in answered.text
        await play(table.ben)
        await until(lambda: notice_to(table.ann))

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await play(table.ann)
        assert said(table) == []
        await table.press(answered, answered.buttons["Unmute"], user=table.ben)
        assert "not muted any more" in Board(table.seen(table.ben)[-1]).text
        await play(table.ben, table.ann)
        await until(lambda: notice_to(table.ben))
    assert mistakes_in(sandbox) == []


async def test_a_turn_is_told_where_the_board_is(table: Table):
    await wants(table, table.ben, Notices.CHANNEL)
    board, match = await begun_quietly(table, colour=0, clock="3d")
    await table.play(board, pick=4)
    await until(lambda: said(table))

    (message,) = said(table)
    assert mentioned(message) == [table.ben]
    assert f"**Your turn** in game {match.id} against Ann." in message["content"]
    assert "Your time runs out <t:" in message["content"]
    guild = table.sandbox.world.guild_of(table.sandbox.world.channel(table.channel))
    assert guild is not None
    assert message["content"].endswith(f"/channels/{guild.id}/{table.channel}/{board.id}")


async def test_one_message_at_most_calls_a_player(table: Table):
    await wants(table, table.ben, Notices.CHANNEL)
    await wants(table, table.ann, Notices.CHANNEL)
    board, match = await begun(table, colour=0)
    told, waiting = set(), 0

    def only_who_waits_is_called() -> bool:
        return [mentioned(each) for each in said(table)] == [[waiting]]

    for _ in range(6):
        board = await table.play(board, user=to_move(table, match))
        match = await table.bot.matches.load(match.id)
        waiting = to_move(table, match)
        await until(only_who_waits_is_called)
        told.add(said(table)[0]["id"])

    assert len(told) == 6  # each a new message, so that it notifies


async def test_a_turn_is_told_in_a_message_of_ones_own(table: Table):
    board, match = await begun_quietly(table, colour=0)
    await wants(table, table.ben, Notices.DM)
    board = await table.play(board, pick=4)
    await settle(table)

    (message,) = await direct(table, table.ben)
    assert f"**Your turn** in game {match.id}" in message["content"]
    assert str(board.id) in message["content"]
    assert said(table) == []
    await table.play(board, user=table.ben)
    await settle(table)
    assert await direct(table, table.ben) == []  # it is no longer his turn


async def test_a_message_that_was_taken_back_is_forgotten_for_good(
    sandbox: Sandbox, tmp_path: Path
):
    """If a restart read it again, it would be deleted a second time at the next turn."""
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await wants(table, table.ben, Notices.CHANNEL)
        board, match = await begun_quietly(table, colour=0)
        board = await table.play(board, pick=4)
        await until(lambda: said(table))
        cog: Any = bot.get_cog("Notices")
        await until(lambda: cog.book.find(match.id, table.ben) is not None)
        await table.play(board, user=table.ben)
        await until(lambda: not said(table))
        await settle(table)

    async with running_bot(settings) as bot:
        cog = bot.get_cog("Notices")
        assert cog.book.find(match.id, table.ben) is None


@pytest.mark.parametrize(
    ("button", "words"),
    [("Offer draw", "Ann offers you a draw"), ("Take back", "Ann asks you to let them take")],
)
async def test_an_offer_does_not_go_unnoticed(table: Table, button: str, words: str):
    board, _ = await begun_quietly(table, colour=0)
    await wants(table, table.ben, Notices.DM)
    board = await table.play(board, pick=4)
    await settle(table)

    await table.press(board, board.buttons[button])
    await settle(table)

    (message,) = await direct(table, table.ben)
    assert words in message["content"]


async def test_the_end_is_told_and_stays(table: Table):
    await wants(table, table.ben, Notices.CHANNEL)
    board, match = await begun_quietly(table, colour=0)
    await table.press(board, board.buttons["Resign"])
    question = newest(table)
    await table.press(question, question.buttons["Yes, resign"])
    await settle(table)

    (message,) = said(table)
    assert f"**Game {match.id} is over:** Ben won because Ann resigned." in message["content"]
    assert mentioned(message) == [table.ben]


async def test_a_game_lost_on_time_is_told_to_both_with_their_ratings(
    sandbox: Sandbox, tmp_path: Path
):
    """Nobody was looking: the clock ran out while the bot was away, long after both had gone."""
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        for user in (table.ann, table.ben):
            await wants(table, user, Notices.DM)
        board, match = await begun(table, clock="1h", colour=0, rated=True)
        for _ in range(3):
            board = await table.play(board, user=to_move(table, match))
            match = await bot.matches.load(match.id)
        await settle(table)
    await age_database(tmp_path, "match", "deadline_at")

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await until(lambda: "ran out of time" in table.again(board).text)
        await settle(table)

        for user in (table.ann, table.ben):
            last = (await direct(table, user))[-1]["content"]
            assert "Ann won because Ben ran out of time" in last
            assert "Your rating: placement game 1 of 5" in last
        match = await bot.matches.load(match.id)
        rated = await bot.ratings.changes_of(match.id)
        assert match.winner == 0
        assert rated is not None
        assert rated.reason is None
        gains = {change.player_id: change.gain for change in rated.changes}
        assert gains[table.ann] > 0 > gains[table.ben]
        assert "Ratings: Ann" in table.again(board).text
    assert mistakes_in(sandbox) == []


async def test_who_takes_no_messages_is_told_once_and_in_private(table: Table):
    board, _ = await begun_quietly(table, colour=0)
    await wants(table, table.ben, Notices.DM)
    table.sandbox.world.users[table.ben].accepts_direct_messages = False
    board = await table.play(board, pick=4)
    await settle(table)
    assert not any("privacy settings" in each for each in table.whispers(table.ben))

    board = await table.play(board, user=table.ben)
    await until(lambda: any("privacy settings" in each for each in table.whispers(table.ben)))
    board = await table.play(board, user=table.ann)
    await table.command("lobby", user=table.ben)

    told = [each for each in table.whispers(table.ben) if "privacy settings" in each]
    assert len(told) == 1
    assert table.whispers(table.ann) == []


async def test_where_the_bot_may_not_write_it_writes_to_the_player(table: Table):
    await wants(table, table.ben, Notices.CHANNEL)
    elsewhere = table.sandbox.world.channel_called("general", "Elsewhere").id
    await table.command("challenge", channel=elsewhere, player=str(table.ben), colour=0)
    offer = Board(table.seen(table.ben, elsewhere)[-1])
    await table.press(offer, offer.buttons["Accept"], user=table.ben)
    await table.command("move", channel=elsewhere, cell="55")
    await settle(table)

    (message,) = await direct(table, table.ben)
    assert "**Your turn**" in message["content"]
    assert f"/{elsewhere}/" in message["content"]


async def test_a_challenge_calls_whom_it_is_for(table: Table):
    await wants(table, table.ben, Notices.DM)
    offer = await challenged(table, player=str(table.ben), clock="3d")

    assert mentioned(offer.message) == [table.ben]
    assert f"<@{table.ben}>, do you accept?" in offer.text
    route = f"POST /channels/{(await table.sandbox.people.open_direct(table.ben)).id}/messages"
    await until(lambda: table.sandbox.requests.matching(route))
    (message,) = await direct(table, table.ben)
    assert "**Ann challenges you**" in message["content"]
    assert "3 days a move" in message["content"]
    assert str(offer.id) in message["content"]


async def test_what_is_put_off_is_told_though_the_hosts_clock_is_set_back(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(notifications, "PRESENT_FOR", timedelta(seconds=3))
    ahead = timedelta()
    defaults: Any = MatchService.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "clock", lambda: system_clock() + ahead)
    async with running_bot(settings_for(sandbox, tmp_path)) as bot:
        table = Table(sandbox, bot)
        await wants(table, table.ben, Notices.CHANNEL)
        board, _ = await begun(table, colour=0)
        for user in (table.ann, table.ben, table.ann):
            board = await table.play(board, user=user)
        await until(lambda: said(table) == [])  # Ben is at the board: the first call is taken back
        ahead = -timedelta(hours=1)

        await asyncio.wait_for(until(lambda: said(table)), 10)


async def test_an_open_challenge_calls_nobody(table: Table):
    offer = await challenged(table)

    assert mentioned(offer.message) == []


async def test_a_reminder_says_how_much_time_is_left(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await wants(table, table.ann, Notices.NONE)
        board, _ = await begun(table, clock="4h", colour=0)
        await wants(table, table.ann, Notices.AUTO)
    with closing(sqlite3.connect(tmp_path / "matches.sqlite3")) as file, file:
        gone = 7 * 1_800_000  # half an hour is left
        file.execute("UPDATE match SET deadline_at = deadline_at - ?, remind_at = 0", (gone,))

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await until(lambda: said(table))
        (message,) = said(table)

        assert "**Your time runs out <t:" in message["content"]
        assert mentioned(message) == [table.ann]
        await table.play(board)
        await until(lambda: said(table) == [])
    async with running_bot(settings):
        await asyncio.sleep(0.2)
        assert said(table) == []


async def test_after_a_restart_the_message_before_is_still_taken_back(
    sandbox: Sandbox, tmp_path: Path
):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await wants(table, table.ben, Notices.CHANNEL)
        board, _ = await begun_quietly(table, colour=0)
        board = await table.play(board, pick=4)
        await until(lambda: said(table))

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        assert len(said(table)) == 1  # a restart notifies nobody again
        await table.play(board, user=table.ben)
        await until(lambda: said(table) == [])


async def test_many_at_once_are_no_flood(table: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("cogs.notices.cog.PAUSE_S", 0.3)
    matches = [await _begin(table) for _ in range(4)]
    await wants(table, table.ben, Notices.DM)
    table.sandbox.requests.clear()
    direct_id = (await table.sandbox.people.open_direct(table.ben)).id
    loop = asyncio.get_running_loop()
    began_at = loop.time()

    for match in matches:
        await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    route = f"POST /channels/{direct_id}/messages"
    await until(lambda: len(table.sandbox.requests.matching(route)) == 4)

    assert loop.time() - began_at >= 3 * 0.3


async def _begin(table: Table) -> Match:
    _, match = await begun_quietly(table, colour=0)
    return match


@pytest.mark.sampled(3)
@pytest.mark.parametrize("way", [Notices.CHANNEL, Notices.DM])
@pytest.mark.parametrize(
    ("kind", "after"), [("reset", False), ("reset", True), (500, False), (503, True), (429, False)]
)
async def test_news_is_told_once_whatever_is_lost(
    table: Table, monkeypatch: pytest.MonkeyPatch, way: Notices, kind: str | int, after: bool
):
    monkeypatch.setattr(notifications, "FIRST_PAUSE", timedelta(seconds=0.05))
    board, _ = await begun_quietly(table, colour=0)
    await wants(table, table.ben, way)
    faults, pattern = table.sandbox.faults, "POST /channels/*/messages"
    if isinstance(kind, int):
        faults.fail(pattern, status=kind, after=after)
    else:
        faults.reset(pattern, after=after, times=2)

    await table.play(board, pick=4)
    await settle(table)

    told = said(table) if way is Notices.CHANNEL else await direct(table, table.ben)
    assert ["Your turn" in each["content"] for each in told] == [True]


async def test_a_notice_that_could_not_be_taken_back_goes_later(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(notifications, "FIRST_PAUSE", timedelta(seconds=0.05))
    await wants(table, table.ben, Notices.CHANNEL)
    board, _ = await begun_quietly(table, colour=0)
    board = await table.play(board, pick=4)
    await settle(table)
    table.sandbox.faults.reset("DELETE /channels/*/messages/*", times=3)

    await table.play(board, user=table.ben)
    await settle(table)

    assert said(table) == []


async def test_conversations_that_are_begun_too_fast_are_begun_later(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(notifications, "FIRST_PAUSE", timedelta(seconds=0.05))
    table.sandbox.world.limits.direct_openings = (0, 60.0)
    board, _ = await begun_quietly(table, colour=0)
    await wants(table, table.ben, Notices.DM)
    await table.play(board, pick=4)
    await until(lambda: table.sandbox.requests.matching("POST /users/@me/channels"))
    table.sandbox.world.limits.direct_openings = (10, 60.0)
    await settle(table)

    assert len(await direct(table, table.ben)) == 1
    assert not await table.bot.matches.database.read(list_unreached)


async def test_a_channel_that_cannot_be_written_to_is_not_asked_again(table: Table):
    await wants(table, table.ben, Notices.CHANNEL)
    await wants(table, table.ann, Notices.CHANNEL)
    board, match = await begun(table, colour=0)
    await settle(table)
    table.sandbox.requests.clear()
    table.sandbox.faults.fail("POST /channels/*/messages", status=403, code=50013)
    for _ in range(4):
        board = await table.play(board, user=to_move(table, match))
        match = await table.bot.matches.load(match.id)
        await settle(table)

    asked = table.sandbox.requests.matching(f"POST /channels/{table.channel}/messages")
    assert len(asked) == 1
    assert said(table) == []


async def test_nobodys_conversation_is_opened_to_find_a_board(table: Table):
    """A player who wants to be notified in the channel gets no direct message."""
    await wants(table, table.ben, Notices.CHANNEL)
    board, _ = await begun_quietly(table, colour=0)
    await table.play(board, pick=4)
    await settle(table)

    assert table.sandbox.requests.matching("POST /users/@me/channels") == []
