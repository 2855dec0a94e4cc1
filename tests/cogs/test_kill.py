"""A bot that is killed in the middle of a game of two people keeps the game."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from deploy.sandbox import Sandbox, World, permissions
from deploy.sandbox.model import Channel, ChannelKind, Overwrite
from tests.cogs.bot_process import bot_process, impatient, telling
from tests.cogs.table import Board
from tests.empty_database import put_empty_database
from tests.waiting import until

LIVES = 2
MOVES_EACH = 3


def read(folder: Path, query: str) -> list[Any]:
    """Return the first column of a query's rows, read beside the bot."""
    with closing(sqlite3.connect(folder / "matches.sqlite3")) as file:
        return [first for first, *_ in file.execute(query)]


def stored(folder: Path) -> list[int]:
    """Return the cells that are stored."""
    return read(folder, "SELECT cell FROM move ORDER BY ply")


class Players:
    """Two people at one board."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.people = sandbox.people
        self.ann, self.ben = (each.id for each in sandbox.world.people[:2])
        self.channel = sandbox.world.channel_called("general").id

    def board(self) -> Board:
        """Return the newest board or challenge; notices are plain text."""
        seen = self.people.visible_messages(self.ann, self.channel)
        return [Board(each) for each in seen if not each["content"]][-1]

    async def begin(self, **options: str) -> None:
        options = {"player": str(self.ben), "colour": "0", **options}
        asked = await self.people.slash(self.ann, self.channel, "challenge", options)
        await asked.wait()
        offer = self.board()
        await (await self.people.press(self.ben, offer.id, offer.buttons["Accept"])).wait()

    async def show(self) -> None:
        """Show the board again."""
        await (await self.people.slash(self.ann, self.channel, "board")).settled()

    async def move(self, ply: int, rng: random.Random) -> None:
        """Make a move for the player to move; it is answered when this returns."""
        user = (self.ann, self.ben)[ply % 2]
        board = self.board()
        if board.starting("board"):
            pressed = await self.people.press(user, board.id, rng.choice(board.starting("board")))
            await pressed.wait()
            board = self.board()
        pressed = await self.people.press(user, board.id, rng.choice(board.starting("cell")))
        await pressed.wait()

    async def press_a_cell(self, ply: int) -> None:
        """Press a cell without waiting for the answer."""
        board = self.board()
        user = (self.ann, self.ben)[ply % 2]
        buttons = board.starting("cell") or board.starting("board")
        await self.people.press(user, board.id, buttons[0])


async def test_two_people_play_on_after_the_bot_was_killed(sandbox: Sandbox, tmp_path: Path):
    players, rng, answered = Players(sandbox), random.Random(8), 0
    for life in range(LIVES):
        async with bot_process(sandbox, tmp_path) as process:
            if not life:
                await players.begin()
            else:
                await players.show()
                assert f"{answered} moves" in players.board().text
            for ply in range(answered, answered + MOVES_EACH):
                await players.move(ply, rng)
            answered += MOVES_EACH
            await players.press_a_cell(answered)
            await asyncio.sleep(rng.uniform(0, 0.05))
            await process.kill()
        moves = stored(tmp_path)
        # Answered moves are there; an unanswered one may be, as a whole.
        assert len(moves) in (answered, answered + 1)
        assert len(set(moves)) == len(moves)
        answered = len(moves)


async def test_a_profile_is_answered_after_the_opponent_has_left_and_the_bot_stops_when_told(
    sandbox: Sandbox, tmp_path: Path
):
    """A hanging answer would block everybody else's, and the signal to stop as well."""
    players = Players(sandbox)
    people, ann, ben = players.people, players.ann, players.ben
    async with bot_process(sandbox, tmp_path) as process:
        await players.begin()
        for user, command, label in (
            (ben, "resign", "Yes, resign"),
            (ben, "privacy", "Delete my data"),
            (ben, None, "Yes, delete it all"),
        ):
            if command is not None:
                await (await people.slash(user, players.channel, command)).settled()
            shown = Board(people.visible_messages(user, players.channel)[-1])
            await (await people.press(user, shown.id, shown.buttons[label])).settled()

        asked = await people.slash(ann, players.channel, "profile")
        await asyncio.wait_for(asked.settled(), 20)

        assert "1 game: 1 won, 0 drawn, 0 lost" in players.board().text
        process.terminate()
        assert await asyncio.wait_for(process.ended(), 20) == 0


async def test_a_kill_between_the_store_and_the_answer_leaves_no_board_behind(
    sandbox: Sandbox, tmp_path: Path
):
    """The move is on the disk and its answer on the way: nobody clicks, the board goes on."""
    players = Players(sandbox)
    async with bot_process(sandbox, tmp_path) as process:
        played = await sandbox.people.slash(players.ann, players.channel, "play", {"level": 1})
        await played.wait()
        board = players.board()
        chosen = await sandbox.people.press(players.ann, board.id, board.starting("board")[4])
        await chosen.wait()
        sandbox.faults.hold("POST /interactions/*/callback")
        await sandbox.people.press(players.ann, board.id, players.board().starting("cell")[4])
        await until(lambda: stored(tmp_path))
        await process.kill()

    assert "0 moves" in players.board().text
    async with bot_process(sandbox, tmp_path):
        await until(lambda: "2 moves" in players.board().text)

    assert players.board().starting("cell") or players.board().starting("board")


async def test_a_kill_between_a_late_reply_and_its_edit_leaves_no_board_thinking(
    sandbox: Sandbox, tmp_path: Path
):
    """The reply is on the disk, the board says that the computer thinks, and nobody clicks."""
    players = Players(sandbox)
    async with bot_process(sandbox, tmp_path, impatient) as process:
        played = await sandbox.people.slash(players.ann, players.channel, "play", {"level": 1})
        await played.wait()
        board = players.board()
        await (await sandbox.people.press(players.ann, board.id, board.starting("board")[4])).wait()
        sandbox.faults.hold("PATCH /*", times=9)
        cell = players.board().starting("cell")[4]
        await (await sandbox.people.press(players.ann, board.id, cell)).wait()
        await until(lambda: len(stored(tmp_path)) >= 2)
        assert "is thinking" in players.board().text
        await process.kill()
    sandbox.faults.clear()

    async with bot_process(sandbox, tmp_path):
        await until(lambda: "2 moves" in players.board().text)

    assert players.board().starting("cell") or players.board().starting("board")


ANSWERS = "POST /interactions/*/callback"
POSTS = "POST /channels/*/messages"
EDITS = "PATCH /channels/*/messages/*"


def texts(players: Players) -> list[str]:
    seen = players.people.visible_messages(players.ann, players.channel)
    return [Board(each).text for each in seen]


@pytest.mark.parametrize("arrived", [False, pytest.param(True, marks=pytest.mark.long)])
async def test_a_first_board_is_posted_once_whether_its_answer_arrived_or_not(
    sandbox: Sandbox, tmp_path: Path, arrived: bool
):
    """Killed after `/play` was stored, and before the place of its board could be noted."""
    players = Players(sandbox)
    async with bot_process(sandbox, tmp_path) as process:
        if arrived:
            sandbox.faults.reset("GET /webhooks/*", times=99)
            sandbox.faults.reset(ANSWERS, times=99, after=True)
        else:
            sandbox.faults.reset(ANSWERS, times=99)
        await sandbox.people.slash(players.ann, players.channel, "play", {"level": 1})
        await until(lambda: read(tmp_path, "SELECT 1 FROM screen WHERE token IS NOT NULL"))
        if arrived:
            await until(lambda: texts(players))
        await process.kill()
    sandbox.faults.clear()
    assert read(tmp_path, "SELECT message_id FROM match") == [None]
    assert len(texts(players)) == arrived

    async with bot_process(sandbox, tmp_path):
        await until(lambda: read(tmp_path, "SELECT message_id FROM screen") != [None])
        assert len(texts(players)) == 1
        await players.move(0, random.Random(1))
        assert "2 moves" in players.board().text
    assert read(tmp_path, "SELECT token FROM screen") == [None]


async def test_a_board_that_only_one_sees_is_not_posted_for_all(sandbox: Sandbox, tmp_path: Path):
    players = Players(sandbox)
    async with bot_process(sandbox, tmp_path) as process:
        channel = sandbox.world.channel_called("general", "Elsewhere")
        guild = sandbox.world.guilds[channel.guild_id or 0]
        guild.owner_id = players.ben
        channel.overwrites = [Overwrite(id=guild.id, kind=0, deny=permissions.USE_EXTERNAL_APPS)]
        played = await sandbox.people.slash(players.ann, channel.id, "play", {"level": 1})
        await played.settled()
        await until(lambda: read(tmp_path, "SELECT shown_as FROM screen") == ["gone"])
        await process.kill()
    sandbox.requests.clear()

    async with bot_process(sandbox, tmp_path):
        await asyncio.sleep(0.5)

    assert sandbox.requests.matching(POSTS) == []


async def test_a_challenge_is_the_board_though_its_acceptance_was_not_answered(
    sandbox: Sandbox, tmp_path: Path
):
    players = Players(sandbox)
    async with bot_process(sandbox, tmp_path) as process:
        options = {"player": str(players.ben), "colour": 0}
        await (
            await sandbox.people.slash(players.ann, players.channel, "challenge", options)
        ).settled()
        sandbox.faults.reset(ANSWERS, times=99)
        offer = players.board()
        await sandbox.people.press(players.ben, offer.id, offer.buttons["Accept"])
        await until(lambda: read(tmp_path, "SELECT id FROM match"))
        await process.kill()
    sandbox.faults.clear()

    async with bot_process(sandbox, tmp_path):
        await until(lambda: players.board().starting("board"))
        await players.move(0, random.Random(1))

    assert [players.board().id] == [offer.id]
    assert len(texts(players)) == 1
    assert "1 move" in players.board().text


async def test_messages_beside_the_boards_follow_after_a_kill(sandbox: Sandbox, tmp_path: Path):
    """A challenge that was closed elsewhere, and the pointer that a moved board leaves."""
    players = Players(sandbox)
    async with bot_process(sandbox, tmp_path) as process:
        await players.begin()
        board = players.board()
        asked = await sandbox.people.slash(players.ann, players.channel, "challenge", {})
        await asked.settled()
        offer = players.board()
        sandbox.faults.reset(EDITS, times=99)
        await sandbox.people.slash(players.ann, players.channel, "board")
        await until(lambda: read(tmp_path, "SELECT 1 FROM outbox WHERE kind = 'pointer'"))
        copy = Board(sandbox.people.visible_messages(players.ben, players.channel)[-1])
        assert copy.id not in (board.id, offer.id)
        await (await sandbox.people.slash(players.ben, players.channel, "lobby")).wait()
        lobby = Board(sandbox.people.visible_messages(players.ben, players.channel)[-1])
        await sandbox.people.press(players.ben, lobby.id, lobby.buttons["Play Ann"])
        await until(lambda: read(tmp_path, "SELECT 1 FROM outbox WHERE kind = 'challenge'"))
        await process.kill()
    sandbox.faults.clear()

    async with bot_process(sandbox, tmp_path):
        await until(lambda: not read(tmp_path, "SELECT 1 FROM outbox"))

    seen = {
        Board(each).id: Board(each)
        for each in sandbox.people.visible_messages(players.ann, players.channel)
    }
    assert "is now at the bottom" in seen[board.id].text
    assert "Ben has accepted it" in seen[offer.id].text


def have_chosen(folder: Path, ways: dict[int, str]) -> None:
    """Store how people want to be notified before the bot runs."""
    put_empty_database(folder / "matches.sqlite3")
    with closing(sqlite3.connect(folder / "matches.sqlite3")) as file, file:
        for who, way in ways.items():
            row = (who, "notices", way, 0)
            file.execute("INSERT INTO player_setting VALUES (?, ?, ?, ?)", row)


@pytest.mark.parametrize(
    ("way", "arrived"), [("auto", False), pytest.param("dm", True, marks=pytest.mark.long)]
)
async def test_news_are_told_once_though_the_bot_is_killed(
    sandbox: Sandbox, tmp_path: Path, way: str, arrived: bool
):
    """Killed between storing the news and sending it, or between sending and noting it."""
    players = Players(sandbox)
    have_chosen(tmp_path, {players.ann: "none", players.ben: way})
    direct = (await sandbox.people.open_direct(players.ben)).id
    place = direct if way == "dm" else players.channel

    def told() -> list[str]:
        seen = sandbox.people.visible_messages(players.ben, place)
        return [each["content"] for each in seen if "Your turn" in each["content"]]

    async with bot_process(sandbox, tmp_path, telling) as process:
        await players.begin(clock="3d")
        await until(lambda: not read(tmp_path, "SELECT 1 FROM outbox"))
        sandbox.faults.reset(f"POST /channels/{place}/messages", times=99, after=arrived)
        await players.move(0, random.Random(1))
        await until(lambda: read(tmp_path, "SELECT tried_at FROM news") not in ([], [None]))
        if arrived:
            await until(told)
        await process.kill()
    sandbox.faults.clear()
    assert len(told()) == arrived

    async with bot_process(sandbox, tmp_path, telling):
        await until(lambda: not read(tmp_path, "SELECT 1 FROM news"))
        assert len(told()) == 1
        assert len(read(tmp_path, "SELECT 1 FROM notice")) == 1
        await players.move(1, random.Random(1))
        await until(lambda: not told())


async def test_a_thread_is_completed_after_a_kill(sandbox: Sandbox, tmp_path: Path):
    players = Players(sandbox)
    put_empty_database(tmp_path / "matches.sqlite3")
    guild_id = sandbox.world.channel(players.channel).guild_id
    with closing(sqlite3.connect(tmp_path / "matches.sqlite3")) as file, file:
        file.execute("INSERT INTO guild_setting VALUES (?, 'threads', 'on', 0)", (guild_id,))
    async with bot_process(sandbox, tmp_path) as process:
        sandbox.faults.reset("PUT /channels/*/thread-members/*", times=99)
        await players.begin()
        await until(lambda: sandbox.requests.matching("PUT /channels/*/thread-members/*"))
        await process.kill()
    sandbox.faults.clear()

    async with bot_process(sandbox, tmp_path):
        await until(lambda: not read(tmp_path, "SELECT 1 FROM outbox"))

    (thread_id,) = read(tmp_path, "SELECT channel_id FROM match")
    boards = [Board(each) for each in sandbox.people.visible_messages(players.ann, thread_id)]
    assert [bool(each.starting("board")) for each in boards if each.alt] == [True]
    assert f"<#{thread_id}>" in players.board().text
    assert {players.ann, players.ben} <= set(sandbox.world.channels[thread_id].thread_member_ids)


def new_channel(world: World, name: str) -> Channel:
    guild_id = world.channel_called("general").guild_id
    kind, number = ChannelKind.TEXT, world.snowflakes.next()
    return world.add_channel(Channel(id=number, kind=kind, name=name, guild_id=guild_id))


def live_boards(world: World, channel_id: int) -> int:
    """Return how many boards of a channel can be played on."""
    shown = [str(message.components) for message in world.messages[channel_id].values()]
    return sum("'cell:" in each or "'board:" in each for each in shown)


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.long)])
async def test_after_a_kill_all_boards_are_live_within_seconds(
    sandbox: Sandbox, tmp_path: Path, count: int
):
    """Some wait for the computer, and the edits of others are under way when the bot is killed.

    In forty channels, under limits like Discord's: 50 requests a second, 5 in 5 a channel.
    """
    world, folder = sandbox.world, tmp_path
    guild = world.guilds[world.channel_called("general").guild_id or 0]
    people = [world.add_user(f"Player {number}").id for number in range(max(1, count // 40))]
    for user in people:
        world.add_member(guild, world.users[user])
    channels = [new_channel(world, f"c{number}").id for number in range(40)]
    slow = {"COMPUTER_THREADS": "1", "COMPUTER_SECONDS": "2.5"}
    async with bot_process(sandbox, folder, impatient, **slow) as process:
        boards = []
        for number in range(count):
            user, channel = people[number % len(people)], channels[number % len(channels)]
            played = await sandbox.people.slash(
                user, channel, "play", {"level": 1 + 9 * (number % 2)}
            )
            await played.settled()
            board = Board(sandbox.people.visible_messages(user, channel)[-1])
            await (await sandbox.people.press(user, board.id, board.starting("board")[4])).wait()
            boards.append((user, channel, board.id))
        sandbox.faults.reset("PATCH /*", times=100 * count)
        for user, channel, board_id in boards:
            board = Board(
                next(
                    m
                    for m in sandbox.people.visible_messages(user, channel)
                    if int(m["id"]) == board_id
                )
            )
            await (await sandbox.people.press(user, board_id, board.starting("cell")[4])).wait()
        await until(lambda: len(stored(folder)) > count)
        await process.kill()
    waiting = count * 2 - len(stored(folder))
    assert sum(live_boards(world, channel) for channel in channels) == 0
    sandbox.faults.clear()
    sandbox.rate_limits.like_discord()

    async with bot_process(sandbox, folder):
        began = time.monotonic()
        await until(lambda: sum(live_boards(world, each) for each in channels) == count, 120)
        took = time.monotonic() - began

    logging.getLogger(__name__).info("%d boards, %d wait: %.1f s", count, waiting, took)
    assert 0 < waiting < count
    # On a busy machine everything takes that much longer.
    assert took < 10 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
