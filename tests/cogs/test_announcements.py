"""Games between people and their results are announced where their server follows them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bot.model.actions import Resign
from bot.model.challenges import Offer
from bot.model.match import Match, Person
from bot.services import publisher
from cogs import announcements
from cogs.privacy import leftovers
from deploy.sandbox import Sandbox
from deploy.sandbox import permissions as bits
from deploy.sandbox.model import Overwrite
from tests.cogs.bot_process import bot_process
from tests.cogs.panels import choose, chosen, panel_of
from tests.cogs.table import Board, Table
from tests.cogs.test_challenge import begun
from tests.cogs.test_kill import Players, read
from tests.cogs.test_leftovers import all_edited
from tests.cogs.test_privacy import left
from tests.empty_database import put_empty_database
from tests.waiting import until

FEED = "rule:feed_channel"


@pytest.fixture
async def feed(table: Table) -> int:
    """The channel that a server's games are announced in."""
    channel = table.sandbox.world.channel_called("games")
    assert channel.guild_id is not None
    await table.bot.servers.change(channel.guild_id, feed_channel=channel.id)
    return channel.id


def told(table: Table, feed: int) -> list[Board]:
    """Return what everybody reads there."""
    return [Board(each) for each in table.seen(table.ben, feed)]


def link_of(board: Board) -> str:
    return next(str(part["url"]) for part in board.parts if part.get("url"))


async def resign(table: Table, match: Match) -> None:
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.quiet()


async def test_a_line_turns_into_the_result(table: Table, feed: int):
    table.sandbox.people.set_person(table.ann, locale="de")  # the server's is used, not hers
    board, match = await begun(table, colour=0, rated=True, clock="3d")

    (line,) = told(table, feed)
    assert line.text == (
        "**Ann** (X) and **Ben** (O) have started game 1: Standard, 3 days a move, rated."
    )
    assert link_of(line).endswith(f"/{table.channel}/{board.id}")
    assert not line.alt

    await resign(table, match)

    (result,) = told(table, feed)
    assert result.id == line.id
    assert result.text.startswith("### Ann (X) against Ben (O)\n**Ben (O) wins**: Ann resigned.")
    assert "Ben" in result.alt
    assert "Standard" in result.alt
    assert list(await table.files(result)) == ["result.png"]
    assert list(result.buttons) == ["Review", "Replay", "Export"]
    await table.press(result, result.buttons["Export"], user=table.ben)
    assert "The record of game 1" in told(table, feed)[-1].text
    assert not [each.message["mentions"] for each in told(table, feed) if each.message["mentions"]]


async def test_after_a_long_game_the_result_is_a_new_message(
    table: Table, feed: int, monkeypatch: pytest.MonkeyPatch
):
    """Nobody would see the line, which is far up by then."""
    _, match = await begun(table)
    (line,) = told(table, feed)
    monkeypatch.setattr(announcements, "EDITS_UNTIL", timedelta())

    await resign(table, match)

    (result,) = told(table, feed)
    assert result.id != line.id
    assert "resigned" in result.text


async def test_a_rematch_is_announced_with_the_board_it_gets(
    table: Table, feed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(publisher, "FIRST_PAUSE_S", 0.01)
    board, match = await begun(table)
    await resign(table, match)
    over = table.again(board)
    for user in (table.ann, table.ben):
        await table.press(over, over.buttons["Rematch"], user=user)

    _, line = told(table, feed)
    again = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert link_of(line).endswith(f"/{again.channel_id}/{again.message_id}")


async def test_neither_games_against_the_computer_nor_those_in_private_are_announced(
    table: Table, feed: int
):
    board = await table.start()
    await table.press(board, board.buttons["Resign"])
    await table.press(table.again(board), table.again(board).buttons["Yes, resign"])
    for guild_id in (None, 4711):
        offered = await table.bot.challenges.offer(
            Offer(challenger=Person(id=table.ann, name="Ann"), opponent=None, guild_id=guild_id)
        )
        await table.bot.challenges.accept(offered.id, person=Person(id=table.ben, name="Ben"))
    await table.quiet()

    assert told(table, feed) == []


async def test_where_the_bot_may_not_post_managers_read_why(table: Table, feed: int):
    world = table.sandbox.world
    channel = world.channels[feed]
    bots = next(
        each.id
        for each in world.guilds[channel.guild_id or 0].roles.values()
        if each.name == "bots"
    )
    overwrite = Overwrite(id=bots, kind=0, deny=bits.SEND_MESSAGES)
    table.sandbox.channels.change(channel, overwrites=[overwrite])

    _, match = await begun(table)
    await resign(table, match)

    assert told(table, feed) == []
    panel = await panel_of(table, "server")
    assert f"I may not post games and results in <#{feed}>" in panel.text
    assert chosen(panel, FEED) == [str(feed)]

    table.sandbox.channels.remove(channel)
    await begun(table)
    panel = await panel_of(table, "server")
    assert "The channel for games and results has been deleted" in panel.text
    assert chosen(panel, FEED) == []
    assert await table.bot.matches.database.read(lambda c: c.exec_driver_sql(OUTBOX).all()) == []
    panel = await choose(table, panel, FEED, str(table.channel))
    assert "⚠️" not in panel.text
    panel = await choose(table, panel, FEED)
    assert (await table.bot.servers.of(channel.guild_id)).feed_channel is None


OUTBOX = "SELECT kind FROM outbox"


async def test_names_of_those_who_delete_their_data_go_from_announcements(
    table: Table, feed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(leftovers, "PAUSE_S", 0.0)
    _, match = await begun(table)
    await resign(table, match)
    await begun(table)

    await left(table)
    await all_edited(table)

    shown = told(table, feed)
    assert len(shown) == 2
    for each in shown:
        assert "Ann" not in each.text + each.alt
        assert "Deleted player" in each.text


def follow(sandbox: Sandbox, folder: Path) -> int:
    """Let the server follow games in a channel before the bot runs, and return the channel."""
    channel = sandbox.world.channel_called("games")
    put_empty_database(folder / "matches.sqlite3")
    with closing(sqlite3.connect(folder / "matches.sqlite3")) as file, file:
        row = (channel.guild_id, "feed_channel", str(channel.id), 0)
        file.execute("INSERT INTO guild_setting VALUES (?, ?, ?, ?)", row)
    return channel.id


async def test_it_is_announced_once_though_the_bot_is_killed(sandbox: Sandbox, tmp_path: Path):
    """Killed between sending the message and noting it."""
    players, feed = Players(sandbox), follow(sandbox, tmp_path)

    def shown() -> list[Board]:
        return [Board(each) for each in sandbox.people.visible_messages(players.ben, feed)]

    async with bot_process(sandbox, tmp_path) as process:
        sandbox.faults.reset(f"POST /channels/{feed}/messages", times=99, after=True)
        await players.begin()
        await until(shown)
        await process.kill()
    sandbox.faults.clear()

    async with bot_process(sandbox, tmp_path):
        await until(lambda: not read(tmp_path, "SELECT 1 FROM outbox"))
    (line,) = shown()
    assert "have started game 1" in line.text
    assert read(tmp_path, "SELECT message_id FROM announcement") == [line.id]


async def test_what_discord_does_not_take_is_tried_again_but_not_for_long_if_it_may_be_there(
    table: Table, feed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(publisher, "FIRST_PAUSE_S", 0.01)
    posting = f"POST /channels/{feed}/messages"
    table.sandbox.faults.fail(posting, status=503, times=2)
    _, match = await begun(table)
    assert len(told(table, feed)) == 1
    assert len(table.sandbox.requests.matching(posting)) == 3

    await resign(table, match)
    monkeypatch.setattr(announcements, "SAID_ONCE_FOR", timedelta(days=-1))
    table.sandbox.faults.fail(posting, status=503, times=2)
    await begun(table)

    assert len(told(table, feed)) == 1
    assert await table.bot.matches.database.read(lambda c: c.exec_driver_sql(OUTBOX).all()) == []
