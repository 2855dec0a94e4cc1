"""A bot that is killed in the middle of a game of two people keeps the game."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from deploy.sandbox import Sandbox
from tests.cogs.table import Board

IMPATIENT = (
    "-c",
    (
        "import runpy; from bot import answer_time; answer_time.REPLY_WITHIN_S = -1.0; "
        "runpy.run_module('bot', run_name='__main__')"
    ),
)
"""A bot that waits for no reply of the computer's before it answers."""

LIVES = 2
MOVES_EACH = 3


@asynccontextmanager
async def bot_process(
    sandbox: Sandbox, folder: Path, *arguments: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the bot as a process of its own until the block ends, or kills it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *(arguments or ("-m", "bot")),
        *("run", "--parent", str(os.getpid())),
        env=os.environ
        | {
            "DISCORD_TOKEN": sandbox.token,
            "DISCORD_API_BASE": sandbox.api_base,
            "DISCORD_GATEWAY_URL": sandbox.gateway_url,
            "DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'matches.sqlite3'}",
            "LOG_LEVEL": "WARNING",
        },
    )
    try:
        while not (sandbox.world.bot_online and sandbox.world.commands.get(None)):
            assert process.returncode is None, "it ended by itself"
            await asyncio.sleep(0.05)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        while sandbox.world.bot_online:  # noqa: ASYNC110  # its connection is seen to be gone
            await asyncio.sleep(0.02)


def stored(folder: Path) -> list[int]:
    """Return the cells that are stored, read beside the bot."""
    with closing(sqlite3.connect(folder / "matches.sqlite3")) as file:
        return [cell for (cell,) in file.execute("SELECT cell FROM move ORDER BY ply")]


class Players:
    """Two people at one board."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.world = sandbox.world
        self.ann, self.ben = (each.id for each in self.world.people[:2])
        self.channel = self.world.channel_called("general").id

    def board(self) -> Board:
        return Board(self.world.visible_messages(self.ann, self.channel)[-1])

    async def begin(self) -> None:
        options = {"player": str(self.ben), "colour": 0}
        asked = await self.world.slash(self.ann, self.channel, "challenge", options)
        await asked.wait()
        offer = self.board()
        await (await self.world.press(self.ben, offer.id, offer.buttons["Accept"])).wait()

    async def show(self) -> None:
        """Show the board anew."""
        await (await self.world.slash(self.ann, self.channel, "board")).settled()

    async def move(self, ply: int, rng: random.Random) -> None:
        """Make the move of whoever is to move; it is answered when this returns."""
        user = (self.ann, self.ben)[ply % 2]
        board = self.board()
        if board.starting("board"):
            pressed = await self.world.press(user, board.id, rng.choice(board.starting("board")))
            await pressed.wait()
            board = self.board()
        pressed = await self.world.press(user, board.id, rng.choice(board.starting("cell")))
        await pressed.wait()

    async def press_a_cell(self, ply: int) -> None:
        """Press a cell and wait for no answer."""
        board = self.board()
        user = (self.ann, self.ben)[ply % 2]
        buttons = board.starting("cell") or board.starting("board")
        await self.world.press(user, board.id, buttons[0])


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
            process.kill()
            await process.wait()
        moves = stored(tmp_path)
        # What was answered is there; what was not may be, whole.
        assert len(moves) in (answered, answered + 1)
        assert len(set(moves)) == len(moves)
        answered = len(moves)


async def test_a_profile_is_answered_after_the_opponent_has_left_and_the_bot_stops_when_told(
    sandbox: Sandbox, tmp_path: Path
):
    """A hanging answer would hold up everybody's, and the signal to stop as well."""
    players = Players(sandbox)
    world, ann, ben = players.world, players.ann, players.ben
    async with bot_process(sandbox, tmp_path) as process:
        await players.begin()
        for user, command, label in (
            (ben, "resign", "Yes, resign"),
            (ben, "privacy", "Delete my data"),
            (ben, None, "Yes, delete it all"),
        ):
            if command is not None:
                await (await world.slash(user, players.channel, command)).settled()
            shown = Board(world.visible_messages(user, players.channel)[-1])
            await (await world.press(user, shown.id, shown.buttons[label])).settled()

        asked = await world.slash(ann, players.channel, "profile")
        await asyncio.wait_for(asked.settled(), 20)

        assert "1 game: 1 won, 0 drawn, 0 lost" in players.board().text
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 20) == 0


async def test_a_kill_between_the_store_and_the_answer_leaves_no_board_behind(
    sandbox: Sandbox, tmp_path: Path
):
    """The move is on the disk and its answer on the way: nobody clicks, the board goes on."""
    players = Players(sandbox)
    async with bot_process(sandbox, tmp_path) as process:
        played = await sandbox.world.slash(players.ann, players.channel, "play", {"level": 1})
        await played.wait()
        board = players.board()
        chosen = await sandbox.world.press(players.ann, board.id, board.starting("board")[4])
        await chosen.wait()
        sandbox.faults.hold("POST /interactions/*/callback")
        await sandbox.world.press(players.ann, board.id, players.board().starting("cell")[4])
        while not stored(tmp_path):  # noqa: ASYNC110  # another process writes it
            await asyncio.sleep(0.01)
        process.kill()
        await process.wait()

    assert "0 moves" in players.board().text
    async with bot_process(sandbox, tmp_path):
        while "2 moves" not in players.board().text:  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    assert players.board().starting("cell") or players.board().starting("board")


async def test_a_kill_between_a_late_reply_and_its_edit_leaves_no_board_thinking(
    sandbox: Sandbox, tmp_path: Path
):
    """The reply is on the disk, the board says that the computer thinks, and nobody clicks."""
    players = Players(sandbox)
    async with bot_process(sandbox, tmp_path, *IMPATIENT) as process:
        played = await sandbox.world.slash(players.ann, players.channel, "play", {"level": 1})
        await played.wait()
        board = players.board()
        await (await sandbox.world.press(players.ann, board.id, board.starting("board")[4])).wait()
        sandbox.faults.hold("PATCH /*", times=9)
        cell = players.board().starting("cell")[4]
        await (await sandbox.world.press(players.ann, board.id, cell)).wait()
        while len(stored(tmp_path)) < 2:  # noqa: ASYNC110  # another process writes it
            await asyncio.sleep(0.01)
        assert "is thinking" in players.board().text
        process.kill()
        await process.wait()
    sandbox.faults.clear()

    async with bot_process(sandbox, tmp_path):
        while "2 moves" not in players.board().text:  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    assert players.board().starting("cell") or players.board().starting("board")
