"""What goes wrong around a game: restarts, crashes, slow replies, refusals, bugs."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import discord
import pytest
from pydantic import SecretStr

from bot import client, clock
from bot.app import application
from bot.host_errors import StartError
from bot.model.actions import Play
from bot.settings import Settings
from cogs.play import showing as posted
from deploy.sandbox import Sandbox
from tests.cogs.table import PATIENCE_S, Table, mistakes_in, running_bot, settings_for


async def test_every_button_works_after_a_restart(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        forced = await table.play(await table.start())
        free = await table.start()
        chosen = await table.start()
        await table.press(chosen, chosen.starting("board")[3])
        asked = await table.start()
        await table.press(asked, asked.buttons["Resign"])

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        forced = await table.play(table.again(forced))
        free = await table.play(table.again(free))
        chosen = await table.play(table.again(chosen))
        await table.press(asked, table.again(asked).buttons["Yes, resign"])

    assert "4 moves" in forced.text
    assert "2 moves" in free.text
    assert "2 moves" in chosen.text
    assert "resigned" in table.again(asked).text
    assert table.whispers(table.ann) == []
    assert mistakes_in(sandbox) == []


async def test_a_reply_that_a_crash_swallowed_is_played_and_shown_at_the_start(
    sandbox: Sandbox, tmp_path: Path
):
    """The move is on the disk, nothing was shown: nobody has to click to go on."""
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board = await table.start()
        match = (await bot.matches.ongoing_of(table.ann))[0]
        await bot.matches.perform(match.id, Play(40), user_id=table.ann, ply=0)

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        with sandbox.world.news.subscribe(table.ann) as news:
            if "2 moves" not in table.again(board).text:
                await news.wait_for("message_update")

        assert "2 moves" in table.again(board).text


async def test_commands_are_sent_once_and_again_when_asked_to(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path)
    for _ in range(2):
        async with running_bot(settings):
            pass
    assert len(sandbox.requests.matching("PUT /applications/*/commands")) == 1

    client.point_at(settings)
    async with application(settings, sync=True) as bot:
        await bot.login(sandbox.token)
        assert bot.syncing is not None
        await bot.syncing

    assert len(sandbox.requests.matching("PUT /applications/*/commands")) == 2


async def test_a_slow_reply_does_not_hide_ones_own_move(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)
    monkeypatch.setattr(clock, "REPLY_WITHIN_S", -1.0)
    table.sandbox.requests.clear()

    await table.press(board, board.starting("cell")[4])

    first, second = list(table.sandbox.requests)
    assert first.body["type"] == 7
    assert "is thinking" in str(first.body)
    assert second.path.startswith("/webhooks/")
    assert (second.method, second.path.rsplit("/", 1)[-1]) == ("PATCH", str(board.id))
    assert "2 moves" in table.again(board).text


async def test_a_refused_edit_posts_the_board_afresh(table: Table, monkeypatch: pytest.MonkeyPatch):
    """Discord has been reported to refuse a later edit that carries a new image."""
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)
    monkeypatch.setattr(clock, "REPLY_WITHIN_S", -1.0)
    table.sandbox.faults.fail("PATCH /webhooks/*/messages/*", status=400, code=50035)

    await table.press(board, board.starting("cell")[4])

    assert table.newest().id > board.id
    assert "2 moves" in table.newest().text
    assert await table.play(table.newest())


async def test_a_move_whose_answer_came_too_late_is_shown_all_the_same(table: Table):
    """The player sees that the click failed; the board must not stay behind the game."""
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)
    table.sandbox.faults.fail("POST /interactions/*/callback", status=404, code=10062)

    await table.sandbox.people.press(table.ann, board.id, board.starting("cell")[4])
    with table.sandbox.world.news.subscribe(table.ann) as news:
        await news.wait_for("message_update")
    await table.quiet()

    assert "2 moves" in table.again(board).text
    assert await table.play(table.again(board))


async def test_an_old_board_is_posted_afresh(table: Table, monkeypatch: pytest.MonkeyPatch):
    """Discord caps the edits of messages older than an hour."""
    board = await table.start()
    monkeypatch.setattr(posted, "EDITS_UNTIL", timedelta(seconds=-1))

    await table.press(board, board.starting("board")[4])

    assert table.newest().id > board.id
    assert len(table.newest().starting("cell")) == 9
    assert "is now at the bottom" in table.again(board).text


async def test_a_click_that_came_too_late_changes_nothing_and_says_so(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)
    late, in_time = board.starting("cell")[:2]
    with monkeypatch.context() as patch:
        patch.setattr(table.bot.arrivals, "age_s", lambda _: 2 * PATIENCE_S)
        await table.press(board, late)
    assert "too slow" in table.whispers(table.ann)[-1]

    # If the late move were played after its refusal, this one would be out of date.
    await table.press(board, in_time)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.ply == 2
    assert match.game.moves[0] == int(in_time.rsplit(":", 1)[-1])


async def test_a_command_that_came_too_late_starts_no_game(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(table.bot.arrivals, "age_s", lambda _: 2 * PATIENCE_S)
        await table.command("play", level=1)
    assert "too slow" in table.whispers(table.ann)[-1]

    await table.command("play", level=1)

    assert len(await table.bot.matches.ongoing_of(table.ann)) == 1


async def test_a_bot_that_is_stopping_takes_no_more_clicks(table: Table):
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)
    await table.bot.drain()

    # Two, so that the first would have been played by the time the second is refused.
    for cell in board.starting("cell")[:2]:
        await table.press(board, cell)
        assert "restarting" in table.whispers(table.ann)[-1]

    assert (await table.bot.matches.ongoing_of(table.ann))[0].ply == 0


async def test_a_bug_is_told_with_a_number_that_is_in_the_log(
    table: Table, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    board = await table.start()

    async def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("a bug for this test")

    monkeypatch.setattr(table.bot.matches, "check_turn", broken)
    await table.press(board, board.starting("board")[4])

    found = re.search(r"incident (\w{8})", table.whispers(table.ann)[-1])
    assert found is not None
    assert found[1] in capsys.readouterr().out
    assert "a bug" not in table.whispers(table.ann)[-1]


async def test_gateway_drops_lose_nothing(table: Table):
    board = await table.start()
    await table.sandbox.gateway.drop_connections()

    board = await table.play(board)

    assert "2 moves" in board.text


async def test_a_refused_token_is_told_without_the_token(
    sandbox: Sandbox, tmp_path: Path, discord_addresses: None
):
    settings = settings_for(sandbox, tmp_path)
    client.point_at(settings)
    async with application(settings) as bot:
        with pytest.raises(StartError, match="refused the token") as caught:
            await bot.serve(SecretStr("not-the-token"))

    assert "not-the-token" not in str(caught.value)


async def test_an_unreachable_discord_is_told_in_words(tmp_path: Path, discord_addresses: None):
    """Port 9 is the discard port: nothing listens there."""
    settings = Settings(
        _env_file=None,
        discord_api_base="http://127.0.0.1:9/api/v10",
        discord_gateway_url="ws://127.0.0.1:9/gateway",
        database_url=f"sqlite+aiosqlite:///{tmp_path / 'matches.sqlite3'}",
    )
    client.point_at(settings)
    async with application(settings) as bot:
        with pytest.raises(StartError, match="could not be reached"):
            await bot.serve(SecretStr("token"))


async def test_after_a_long_outage_the_bot_is_back_within_half_a_minute():
    backoff = discord.shard.ExponentialBackoff()  # type: ignore[attr-defined]

    assert max(backoff.delay() for _ in range(60)) <= client.LONGEST_RECONNECT_PAUSE_S
