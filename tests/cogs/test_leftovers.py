"""Messages that name somebody who has had their data deleted are edited afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.client import GameBot
from bot.model.actions import Resign
from bot.model.match import Match
from bot.model.preferences import ServerSettings
from bot.storage.erasing import Outdated, Subject
from cogs.answering import DiscordError
from cogs.play.showing import edit_posted
from cogs.privacy import leftovers
from deploy.sandbox import Sandbox
from tests.cogs.table import Board, Table, running_bot, settings_for
from tests.cogs.test_challenge import begun, challenged, newest
from tests.cogs.test_privacy import left


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "PAUSE_S", 0.0)


async def finished(table: Table) -> tuple[Board, Match]:
    """Let Ben win a game against Ann."""
    board, match = await begun(table)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    return table.again(board), match


async def all_edited(table: Table) -> None:
    await until_left(table, 0)
    await table.quiet()


async def until_left(table: Table, count: int) -> list[Outdated]:
    """Wait until this number of messages is still to be edited, and return them."""
    for _ in range(1000):
        noted = await table.bot.privacy.list_outdated()
        if len(noted) == count:
            return noted
        await asyncio.sleep(0.02)
    raise AssertionError(noted)


async def test_boards_of_finished_games_lose_the_name(table: Table):
    against_ben, _ = await finished(table)
    alone = await table.start()
    await table.press(alone, alone.buttons["Resign"])
    alone = table.again(alone)
    assert "Ann" in table.again(against_ben).text
    assert "Ann" in table.again(alone).alt

    pictures = [await table.files(board) for board in (against_ben, alone)]

    done = await left(table)
    await all_edited(table)

    assert "Your name is now being removed from boards" in done.text
    for board, other, picture in zip(
        (against_ben, alone), ("Ben", "Computer"), pictures, strict=True
    ):
        shown = table.again(board)
        assert "Ann" not in shown.text + shown.alt
        assert "Deleted player" in shown.text
        assert other in shown.text
        assert await table.files(shown) != picture


async def test_closed_challenges_lose_the_name_and_boards_are_not_made_challenges_again(
    table: Table,
):
    withdrawn = await challenged(table)
    await table.press(withdrawn, withdrawn.buttons["Withdraw"])
    declined = await challenged(table, player=str(table.ben))
    await table.press(declined, declined.buttons["Decline"], user=table.ben)
    board, _ = await finished(table)

    await left(table)
    await all_edited(table)

    assert "Deleted player has withdrawn it" in table.again(withdrawn).text
    assert "Deleted player challenges Ben" in table.again(declined).text
    assert table.again(board).alt
    assert not any("Ann" in str(each.get("components")) for each in table.seen(table.ben))


async def test_a_thread_is_renamed_where_it_was_put_away_too(table: Table):
    world = table.sandbox.world
    guild_id = world.channel(table.channel).guild_id
    assert guild_id is not None
    await table.bot.servers.put(guild_id, ServerSettings(threads=True))
    threads = []
    for _ in range(2):
        offer, match = await begun(table)
        match = await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
        assert match.channel_id not in (None, table.channel)
        threads.append((offer, match.channel_id or 0))
    table.sandbox.people.set_archived(table.ann, threads[0][1], archived=True)
    await asyncio.sleep(0.1)

    await left(table)
    await all_edited(table)

    for (offer, thread_id), archived in zip(threads, (True, False), strict=True):
        thread = world.channel(thread_id)
        assert thread.name.startswith(("Deleted player – Ben", "Ben – Deleted player"))  # noqa: RUF001
        assert thread.archived is archived
        board = Board(table.seen(table.ben, thread.id)[-1])
        assert "Ann" not in board.text + board.alt
        assert "is played in" in table.again(offer).text
        assert "Ann" not in table.again(offer).text


async def test_a_message_that_is_gone_does_not_keep_the_others(table: Table):
    boards = [await finished(table) for _ in range(3)]
    channel = table.bot.get_partial_messageable(table.channel)
    await channel.get_partial_message(boards[1][0].id).delete()

    await left(table)
    await all_edited(table)

    for board, _ in (boards[0], boards[2]):
        assert "Deleted player" in table.again(board).text


async def test_a_place_that_discord_cannot_name_just_now_is_asked_for_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(leftovers, "AGAIN_S", 0.05)
    board, _ = await finished(table)
    table.sandbox.faults.fail(f"GET /channels/{table.channel}", status=403)

    await left(table)
    await all_edited(table)

    assert "Deleted player" in table.again(board).text


def refusal(status: int, code: int = 0) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="")
    return discord.HTTPException(response, {"code": code, "message": "no"})


@pytest.mark.parametrize(
    ("error", "is_tried_again"),
    [
        (ConnectionResetError(), True),
        (aiohttp.ServerDisconnectedError(), True),
        (refusal(503), True),
        (refusal(429), True),
        (refusal(403, 50001), False),
        (RuntimeError(), False),
    ],
)
async def test_what_discord_could_not_take_just_now_is_tried_again(
    table: Table, monkeypatch: pytest.MonkeyPatch, error: Exception, is_tried_again: bool
):
    monkeypatch.setattr(leftovers, "AGAIN_S", 0.05)
    board, _ = await finished(table)
    failures = [error]

    async def fail_once(bot: GameBot, match: Match) -> None:
        if failures:
            error = failures.pop()
            raise error if isinstance(error, RuntimeError) else DiscordError(error)
        await edit_posted(bot, match)

    monkeypatch.setattr(leftovers, "edit_posted", fail_once)

    await left(table)
    await all_edited(table)

    assert not failures
    assert ("Deleted player" in table.again(board).text) is is_tried_again


async def test_a_game_that_cannot_be_replayed_is_left_as_it_is(table: Table):
    _, match = await finished(table)
    await table.bot.matches.database.write(
        lambda c: c.exec_driver_sql(f"UPDATE match SET rules = 'gone' WHERE id = {match.id}")
    )
    board, _ = await finished(table)

    await left(table)
    await all_edited(table)

    assert "Deleted player" in table.again(board).text


@asynccontextmanager
async def opened(sandbox: Sandbox, folder: Path) -> AsyncIterator[Table]:
    async with running_bot(settings_for(sandbox, folder)) as bot:
        yield Table(sandbox, bot)


async def test_a_restart_in_between_forgets_none(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(leftovers, "PAUSE_S", 3600.0)
    async with opened(sandbox, tmp_path) as table:
        boards = [await finished(table) for _ in range(3)]
        await left(table)
        noted = await until_left(table, 2)
        # The newest first: that is what people look at.
        assert noted == [Outdated(Subject.MATCH, match.id) for _, match in boards[1::-1]]

    monkeypatch.setattr(leftovers, "PAUSE_S", 0.0)
    async with opened(sandbox, tmp_path) as table:
        await all_edited(table)
        for board, _ in boards:
            assert "Deleted player" in table.again(board).text
        assert newest(table)


async def test_messages_are_edited_one_after_the_other_with_a_pause(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    for _ in range(3):
        await finished(table)
    pauses = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        if seconds == 12.5:
            pauses.append(len(await table.bot.privacy.list_outdated()))
            seconds = 0
        await sleep(seconds)

    monkeypatch.setattr(leftovers, "PAUSE_S", 12.5)
    monkeypatch.setattr(asyncio, "sleep", note)

    await left(table)
    await all_edited(table)

    assert pauses[:2] == [2, 1]
