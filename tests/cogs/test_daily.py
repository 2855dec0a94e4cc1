"""The daily puzzle: the same for everybody, posted once a day, played in private, shared."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.model.puzzles import post_at
from bot.services.puzzles import PuzzleBook
from cogs.puzzles.daily import DailyPuzzle
from tests.cogs.table import Board, Table
from tests.cogs.test_puzzles import puzzle_in

DAY = 20_780
"""2026-11-23."""


class Time:
    """A clock that is set."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def time(table: Table) -> Time:
    """The clock of the bot's puzzles; early in the morning at first."""
    time = Time(datetime(2026, 11, 23, 6, 0, tzinfo=UTC))
    table.bot.puzzles = PuzzleBook(table.bot.matches.database, time)
    return time


def server_of(table: Table) -> int:
    guild_id = table.sandbox.world.channel_called("games").guild_id
    assert guild_id is not None
    return guild_id


@pytest.fixture
async def posts(table: Table, time: Time) -> int:
    """The channel in which the server wants the puzzle."""
    channel = table.sandbox.world.channel_called("games")
    await table.bot.servers.change(server_of(table), daily_channel=channel.id)
    return channel.id


async def look(table: Table) -> None:
    """Let the bot look what is due, as it does each minute."""
    cog = table.bot.get_cog("DailyPuzzle")
    assert isinstance(cog, DailyPuzzle)
    await cog.look()
    await table.quiet()


def posted(table: Table, channel: int) -> list[Board]:
    return [Board(each) for each in table.seen(table.ben, channel)]


async def test_it_is_posted_once_a_day_and_played_in_private(table: Table, posts: int, time: Time):
    guild_id = server_of(table)
    time.now = post_at(DAY, guild_id, None) - timedelta(seconds=1)
    await look(table)
    assert posted(table, posts) == []
    time.now += timedelta(seconds=1)
    await look(table)
    await look(table)
    (board,) = posted(table, posts)
    assert "### Daily puzzle of <t:" in board.text
    assert list(board.buttons) == ["Try it", "Yesterday's answer"]
    assert board.alt

    # Ben solves it, Ann does not: neither sees what the other has done.
    puzzle = await table.bot.puzzles.puzzle_of(DAY)
    await table.press(board, board.buttons["Try it"], user=table.ben)
    await table.press(board, board.buttons["Try it"], user=table.ann)
    private = Board(table.seen(table.ann, posts)[-1])
    assert private.message["flags"] & 64
    assert puzzle_in(private) == puzzle
