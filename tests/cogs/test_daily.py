"""The daily puzzle: the same for everybody, posted once a day, played in private, shared."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import discord
import pytest
from sqlalchemy import insert

from bot.model.puzzles import post_at
from bot.services import publisher
from bot.services.puzzles import PuzzleBook
from bot.services.ratings import RatingBook
from bot.storage.database import Database
from bot.storage.outbox import LEAVE, OutboxKind, OutboxRow, note_tried, outbox_writes
from bot.storage.schema import daily_puzzle
from bot.storage.writer import put
from cogs.puzzles.daily import DailyPuzzle
from deploy.sandbox import Sandbox
from deploy.sandbox import permissions as bits
from deploy.sandbox.model import Overwrite
from tests.cogs.bot_process import begun_bot, bot_process
from tests.cogs.panels import choose, chosen, menus, panel_of
from tests.cogs.table import Board, Table
from tests.cogs.test_kill import read
from tests.cogs.test_puzzles import play, press, puzzle_in, round_of, wrong_move
from tests.empty_database import put_empty_database
from tests.waiting import until

DAY = 20_780
"""2026-11-23."""

OUTBOX = "SELECT kind FROM outbox"


class Time:
    """A clock that tests set."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def time(table: Table) -> Time:
    """The clock of the bot's puzzles and profiles; it checks what is due only when told to."""
    posting(table)._watching.cancel()
    time = Time(datetime(2026, 11, 23, 6, 0, tzinfo=UTC))
    table.bot.puzzles = PuzzleBook(table.bot.matches.database, time)
    table.bot.ratings = RatingBook(table.bot.matches.database, time)
    return time


@pytest.fixture
async def channel(table: Table, time: Time) -> int:
    """The channel in which the server wants the puzzle; the bot's clock is already `time`.

    Otherwise the bot may post the puzzle of the real day there before the test begins.
    """
    channel = table.sandbox.world.channel_called("games")
    await table.bot.servers.change(server_of(table.sandbox), daily_channel=channel.id)
    return channel.id


def server_of(sandbox: Sandbox) -> int:
    guild_id = sandbox.world.channel_called("games").guild_id
    assert guild_id is not None
    return guild_id


def posting(table: Table) -> DailyPuzzle:
    cog = table.bot.get_cog("DailyPuzzle")
    assert isinstance(cog, DailyPuzzle)
    return cog


async def look(table: Table) -> None:
    """Let the bot check what is due, as it does each minute."""
    await posting(table).look()
    await table.quiet()


def posted(table: Table, channel: int) -> list[Board]:
    """Return the posts that everybody reads there."""
    return [Board(each) for each in table.seen(table.ben, channel) if not each["flags"] & 64]


async def outbox(table: Table) -> list[Any]:
    return await table.bot.matches.database.read(lambda c: list(c.exec_driver_sql(OUTBOX)))


async def solve(table: Table, board: Board) -> Board:
    for move in puzzle_in(board).solution[::2]:
        board = await play(table, board, move)
    return board


async def test_it_is_posted_once_a_day_for_all_and_played_by_each_alone(
    table: Table, channel: int, time: Time
):
    time.now = post_at(DAY, server_of(table.sandbox), None) - timedelta(seconds=1)
    await look(table)
    assert posted(table, channel) == []
    time.now += timedelta(seconds=1)
    await look(table)
    await look(table)
    (board,) = posted(table, channel)
    assert board.text.startswith("### Daily puzzle: ")
    assert "-# <t:1795435200:D> · the same for everyone" in board.text
    assert list(board.buttons) == ["Try it", "Yesterday's answer"]
    assert board.alt
    assert "Yesterday:" not in board.text
    assert await outbox(table) == []

    # By the button or the command, in the server or in a conversation: the same one for both.
    await table.press(board, board.buttons["Try it"])
    private = Board(table.seen(table.ann, channel)[-1])
    puzzle = puzzle_in(private)
    assert puzzle == await table.bot.puzzles.puzzle_of(DAY)
    assert private.message["flags"] & 64
    direct = await table.sandbox.people.open_direct(table.ben)
    await table.command("daily", user=table.ben, channel=direct.id)
    assert puzzle_in(Board(table.seen(table.ben, direct.id)[-1])) == puzzle
    assert len(posted(table, channel)) == 1
    # There is no other way to it, not even for those who have just begun.
    for _puzzle in range(3):
        await table.command("puzzle")
        assert puzzle_in(Board(table.seen()[-1])) != puzzle

    await table.command("daily")
    solved = await solve(table, Board(table.seen()[-1]))
    assert "**Solved!**" in solved.text
    assert "placement puzzle 1 of 5" in solved.text
    assert "Daily puzzle streak: 1 · best 1 · solved by 1 of 1 person" in solved.text
    assert (await round_of(table, puzzle)).row.won == 1
    shown = await press(table, solved, solved.buttons["Share"])
    for user in (table.ann, table.ben):
        line = Board(table.seen(user)[-1])
        squares = "🟩" * puzzle.turns
        assert line.text == f"**Ann** solved the daily puzzle of <t:1795435200:D>\n{squares}"
    assert list(line.buttons) == ["Try it"]
    await table.press(shown, shown.buttons["Share"])
    assert "you can share each result once" in table.whispers(table.ann)[-1]
    await table.command("profile")
    assert "Daily puzzle streak: 1 · best 1" in Board(table.seen()[-1]).text


async def test_the_day_after_tells_how_it_went_and_has_the_answer(
    table: Table, channel: int, time: Time
):
    """People who had not tried see it, and are not rated for that."""
    ben, cleo = table.ben, table.sandbox.world.people[2].id
    puzzle = await table.bot.puzzles.puzzle_of(DAY)
    await table.command("daily")
    await solve(table, Board(table.seen()[-1]))
    direct = await table.sandbox.people.open_direct(ben)
    await table.command("daily", user=ben, channel=direct.id)
    begun = Board(table.seen(ben, direct.id)[-1])
    await table.press(begun, begun.buttons["Solution"], user=ben)
    assert "Share" not in Board(table.seen(ben, direct.id)[-1]).buttons  # nobody would read it
    time.now = post_at(DAY + 1, server_of(table.sandbox), None)
    await look(table)
    (board,) = posted(table, channel)
    assert board.text.endswith("-# Yesterday: solved by 1 of 1 person")
    for user in (cleo, ben):
        await table.press(board, board.buttons["Yesterday's answer"], user=user)
        answer = Board(table.seen(user, channel)[-1])
        assert f"1/{len(puzzle.solution)}" in str(answer.message)
        assert "Solution: **" in answer.text
        assert "Share" not in answer.buttons
        await table.command("profile", user=user)
        tried = "Puzzles: 0 of 1 solved" in Board(table.seen(user)[-1]).text
        assert tried == (user == ben)
    # Nor does it come as an ordinary puzzle then.
    found = await table.bot.puzzles.round_of(cleo, "standard", puzzle.id, DAY)
    assert (found.won, found.turn) == (0, 0)


async def test_what_was_tried_is_shared_and_what_was_known_is_not_rated_again(
    table: Table, time: Time
):
    book = table.bot.puzzles
    puzzle = await book.puzzle_of(DAY)
    await table.command("daily")
    board = await play(table, Board(table.seen()[-1]), wrong_move(puzzle))
    assert list(board.buttons) == [
        "Try again",
        "Solution",
        "Next puzzle",
        "Share",
        "Yesterday's answer",
    ]
    board = await press(table, board, board.buttons["Try again"])
    board = await press(table, board, board.buttons["Hint"])
    board = await solve(table, board)
    assert "though not on your first try" in board.text
    assert "Daily puzzle streak: 0 · best 0 · solved by 0 of 1 person" in board.text
    # What happens after the end is not shared.
    board = await press(table, board, board.buttons["Step through it"])
    await table.press(board, board.buttons["Share"])
    line = Board(table.seen(table.ben)[-1]).text
    assert line == f"**Ann** tried the daily puzzle of <t:1795435200:D>\n🟥🟨{'🟩' * puzzle.turns}"
    assert board.buttons["Next puzzle"] == "puzzle-next:standard:n:-"
    first = await round_of(table, puzzle)
    assert (first.row.won, first.solver.rounds) == (0, 1)

    # Once all have had their turn it comes again, and counts for the streak, not the rating.
    await book.database.write(
        lambda c: c.execute(insert(daily_puzzle), {"day": DAY + 2, "puzzle_id": puzzle.id})
    )
    time.now += timedelta(days=2)
    await table.command("daily")
    board = await solve(table, Board(table.seen()[-1]))
    assert "Daily puzzle streak: 1 · best 1" in board.text
    assert (await round_of(table, puzzle)).solver == first.solver
    found = await book.round_of(table.ann, "standard", puzzle.id, DAY + 2)
    assert found.gain is None

    # Its button stays forever, but some day it is too late for the streak.
    time.now += timedelta(days=5)
    wall = table.post({"type": 2, "style": 1, "label": "?", "custom_id": f"daily:{DAY + 3}"})
    await table.press(wall, f"daily:{DAY + 3}")
    assert "Too late for the streak" in Board(table.seen()[-1]).text


async def test_what_discord_does_to_the_post(
    table: Table, channel: int, time: Time, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(publisher, "FIRST_PAUSE_S", 0.01)
    posting, database = f"POST /channels/{channel}/messages", table.bot.matches.database
    server = server_of(table.sandbox)
    time.now = post_at(DAY, server, None)
    table.sandbox.faults.reset(posting, times=2, after=True)  # it arrives, its receipt is lost
    await look(table)
    assert len(posted(table, channel)) == 1
    assert len(table.sandbox.requests.matching(posting)) >= 3

    # A process that died, and was away for longer than Discord remembers a nonce.
    time.now += timedelta(hours=1)
    row = OutboxRow(OutboxKind.DAILY, DAY, channel, server)

    async def left_by_the_dead() -> int:
        def job(connection: Any) -> None:
            put(connection, outbox_writes(row))
            note_tried(connection, row, datetime.now(UTC) - timedelta(minutes=10))

        await database.write(job)
        table.bot.publisher.check(row)
        await table.quiet()
        assert await outbox(table) == []
        return len(posted(table, channel))

    assert await left_by_the_dead() == 1
    for each in posted(table, channel):
        table.sandbox.messages.erase(table.sandbox.world.messages[channel][each.id])
    assert await left_by_the_dead() == 1  # it had not arrived
    everyone = Overwrite(id=server, kind=0, deny=bits.READ_MESSAGE_HISTORY)
    where = table.sandbox.world.channels[channel]
    table.sandbox.channels.change(where, overwrites=[everyone])
    assert await left_by_the_dead() == 1  # nobody can tell
    table.sandbox.channels.change(where, overwrites=[])

    # Away for half a day: it comes late. For longer: it does not come.
    time.now += timedelta(days=1, hours=10)
    await look(table)
    assert len(posted(table, channel)) == 2
    time.now += timedelta(days=1, hours=2)
    await look(table)
    assert len(posted(table, channel)) == 2
    await table.bot.servers.change(server, daily_channel=None)
    assert await left_by_the_dead() == 2


async def test_a_server_sets_channel_hour_and_role(table: Table, time: Time):
    world = table.sandbox.world
    games, server = world.channel_called("games"), server_of(table.sandbox)
    role = next(each for each in world.guilds[server].roles.values() if each.name == "bots")
    panel = await panel_of(table, "server")
    assert chosen(panel, "rule:daily_channel") == []
    assert chosen(panel, "rule:daily_hour") == ["12"]
    assert menus(panel)["rule:daily_hour"]["options"][7]["label"] == "07:00 UTC"
    assert "next daily puzzle" not in panel.text
    time.now = post_at(DAY, server, 7) + timedelta(minutes=1)
    await choose(table, panel, "rule:daily_hour", "7")
    await choose(table, panel, "rule:daily_role", str(role.id))
    panel = await choose(table, panel, "rule:daily_channel", str(games.id))
    at = int(post_at(DAY + 1, server, 7).timestamp())
    assert f"The next daily puzzle comes <t:{at}:R>." in panel.text
    assert f"In <#{games.id}> I may not mention <@&{role.id}>" in panel.text
    await look(table)
    assert posted(table, games.id) == []  # not in the minute in which it was chosen
    await table.bot.servers.change(server, language="de")
    time.now += timedelta(days=1)
    await look(table)
    (board,) = posted(table, games.id)
    assert f"<@&{role.id}>" in board.text
    assert "### Rätsel des Tages: " in board.text
    assert list(board.buttons) == ["Versuchen", "Lösung von gestern"]
    table.sandbox.people.set_person(table.ann, locale="ru")
    await table.press(board, board.buttons["Versuchen"])
    assert "### Задача дня: " in Board(table.seen(table.ann, games.id)[-1]).text

    overwrite = Overwrite(id=role.id, kind=0, deny=bits.SEND_MESSAGES)
    table.sandbox.people.set_person(table.ann, locale="en-US")
    table.sandbox.channels.change(games, overwrites=[overwrite])
    time.now += timedelta(days=1)
    await look(table)
    assert len(posted(table, games.id)) == 1
    assert await outbox(table) == []
    panel = await panel_of(table, "server")
    assert f"I may not post the daily puzzle in <#{games.id}>" in panel.text
    table.sandbox.channels.remove(games)
    panel = await panel_of(table, "server")
    assert "The channel for the daily puzzle has been deleted" in panel.text
    await table.bot.privacy.forget_guild(server)
    rest = await table.bot.matches.database.read(
        lambda c: list(c.exec_driver_sql("SELECT day FROM daily_post"))
    )
    assert rest == []


def die_after(step: str) -> None:
    """Kill this process after a step of posting: a write, by its function's name, or a request."""

    def wrapped(cls: Any, name: str, is_it: Callable[..., bool]) -> None:
        real = getattr(cls, name)

        async def call(self: Any, *given: Any, **named: Any) -> Any:
            done = await real(self, *given, **named)
            if is_it(*given):
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        setattr(cls, name, call)

    wrapped(Database, "write", lambda job, *_rest: job.__name__ == step)
    is_end = step == "leave"
    wrapped(Database, "store", lambda job, *_rest: is_end and job[0].statement is LEAVE)
    wrapped(discord.abc.Messageable, "send", lambda *_rest: step == "send")


STEPS = ("enter_due", "choose_puzzle_of", "note_tried", "send", "leave")


async def test_it_is_posted_once_though_the_bot_is_killed_at_every_step(
    sandbox: Sandbox, tmp_path: Path
):
    """Each run dies one step later; all of them together post once."""
    games, ben = sandbox.world.channel_called("games").id, sandbox.world.people[1].id
    hour = (datetime.now(UTC) - timedelta(hours=2)).hour
    put_empty_database(tmp_path / "matches.sqlite3")
    with closing(sqlite3.connect(tmp_path / "matches.sqlite3")) as file, file:
        for key, value in (("daily_channel", games), ("daily_hour", hour)):
            row = (server_of(sandbox), key, str(value), 0)
            file.execute("INSERT INTO guild_setting VALUES (?, ?, ?, ?)", row)
    for step in STEPS:
        async with begun_bot(sandbox, tmp_path, partial(die_after, step)) as process:
            assert await process.ended() == -signal.SIGKILL, step
    async with bot_process(sandbox, tmp_path):
        await until(lambda: not read(tmp_path, OUTBOX))
    (message,) = sandbox.people.visible_messages(ben, games)
    assert "### Daily puzzle" in Board(message).text
