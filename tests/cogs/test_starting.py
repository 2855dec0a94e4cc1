"""What Discord may do to a bot that is starting, to its commands, and to a running bot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot import client
from bot.app import application
from bot.client import GameBot, point_at
from bot.host_errors import HostError, StartError, UnreachableError
from bot.settings import Settings
from bot.tree import GameTree
from deploy.sandbox import Sandbox
from tests.cogs.bot_process import begun_bot, bot_process
from tests.cogs.table import Table, running_bot, settings_for
from tests.waiting import until

SYNC = "PUT /applications/*/commands"
HOUR_S = 3600.0


@pytest.fixture
async def settings(sandbox: Sandbox, tmp_path: Path) -> Settings:
    """Settings of a bot whose commands Discord has from an earlier run."""
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings):
        pass
    sandbox.requests.clear()
    return settings


@asynccontextmanager
async def syncing_bot(settings: Settings) -> AsyncIterator[GameBot]:
    """Run a bot that always sends its commands; the block starts once people can play."""
    point_at(settings)
    async with application(settings, sync=True) as bot:
        assert settings.discord_token is not None
        serving = asyncio.create_task(bot.serve(settings.discord_token))
        await asyncio.wait_for(bot.ready_once.wait(), 10)
        yield bot
        await bot.drain()
        await asyncio.wait_for(bot.close(), 5)
        await asyncio.wait_for(serving, 5)


async def run_out(settings: Settings) -> HostError:
    """Run a bot until it ends by itself, and return what it tells its host."""
    point_at(settings)
    async with application(settings) as bot:
        assert settings.discord_token is not None
        with pytest.raises(HostError) as caught:
            await asyncio.wait_for(bot.serve(settings.discord_token), 20)
        return caught.value


FAULTS: dict[str, Callable[[Sandbox], object]] = {
    "500": lambda sandbox: sandbox.faults.fail(SYNC, status=500, times=99),
    "400": lambda sandbox: sandbox.faults.fail(SYNC, status=400, times=99),
    "429": lambda sandbox: sandbox.faults.rate_limit(SYNC, HOUR_S, times=99),
    "no answer": lambda sandbox: sandbox.faults.hold(SYNC, times=99),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_commands_that_discord_does_not_take_keep_nobody_from_playing(
    sandbox: Sandbox, settings: Settings, fault: str
):
    FAULTS[fault](sandbox)
    began_at = time.monotonic()

    async with syncing_bot(settings) as bot:
        table = Table(sandbox, bot)
        board = await table.play(await table.start())
        assert bot.syncing is not None
        assert not bot.syncing.done()

    assert "2 moves" in board.text
    assert time.monotonic() - began_at < 10, "stopping must not wait for them either"


async def test_commands_are_sent_until_discord_takes_them(
    sandbox: Sandbox, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(client, "SYNC_AGAIN_S", 0.01)
    sandbox.faults.fail(SYNC, status=400, times=1)
    sandbox.faults.fail(SYNC, status=403, times=1)
    sandbox.faults.fail(SYNC, status=503, times=1)

    with capture_logs() as lines:
        async with syncing_bot(settings) as bot:
            assert bot.syncing is not None
            await asyncio.wait_for(bot.syncing, 10)

    assert [each.status for each in sandbox.requests.matching(SYNC)] == [400, 403, 503, 200]
    pauses = [line["again_in_s"] for line in lines if line["event"] == "commands not synced"]
    assert pauses == [0.01, 0.02, 0.04]


@dataclass
class Mistake:
    """A mistake in the description of one command, while `is_there`."""

    number: int = 5
    is_there: bool = True

    def put_into(self, commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self.is_there:
            commands[self.number] |= {"description": "x" * 101}
        return commands


@pytest.fixture
def mistake(monkeypatch: pytest.MonkeyPatch) -> Mistake:
    mistake, payload = Mistake(), GameTree.payload

    async def with_mistake(tree: GameTree) -> list[dict[str, Any]]:
        return mistake.put_into(await payload(tree))

    monkeypatch.setattr(GameTree, "payload", with_mistake)
    return mistake


async def test_a_mistake_in_the_commands_is_told_by_name_and_sent_once(
    sandbox: Sandbox, settings: Settings, mistake: Mistake, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(client, "SYNC_AGAIN_S", 0.01)
    with capture_logs() as lines:
        for _ in range(2):
            async with running_bot(settings) as bot:
                table = Table(sandbox, bot)
                board = await table.play(await table.start())
                assert "2 moves" in board.text
                name = bot.tree.get_commands()[mistake.number].name

    sent = sandbox.requests.matching(SYNC)
    assert [(each.status, each.answer["code"]) for each in sent] == [(400, 50035)]
    told = [line for line in lines if "commands" in line["event"]]
    assert [line["log_level"] for line in told] == ["error", "warning"]
    assert f"In command {name!r}" in told[0]["reason"]
    assert "description" in told[0]["reason"]


async def test_refused_commands_are_sent_when_asked_to_and_once_they_are_mended(
    sandbox: Sandbox, tmp_path: Path, mistake: Mistake
):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings):
        pass
    async with syncing_bot(settings) as bot:
        assert bot.syncing is not None
        await bot.syncing
    assert [each.status for each in sandbox.requests.matching(SYNC)] == [400, 400]
    mistake.is_there = False

    async with running_bot(settings) as bot:
        commands = len(bot.tree.get_commands())

    assert sandbox.requests.matching(SYNC)[-1].status == 200
    assert len(sandbox.world.commands[None]) == commands


@pytest.mark.parametrize("path", ["/users/@me", "/oauth2/applications/@me", "/gateway/bot"])
async def test_a_discord_that_is_out_of_order_is_worth_trying_again(
    sandbox: Sandbox, settings: Settings, path: str
):
    sandbox.faults.fail(f"GET {path}", status=503, times=9)

    error = await run_out(settings)

    assert isinstance(error, UnreachableError)


@pytest.mark.parametrize("path", ["/users/@me", "/oauth2/applications/@me", "/gateway/bot"])
async def test_a_start_that_discord_puts_off_ends_instead_of_hanging(
    sandbox: Sandbox, settings: Settings, path: str
):
    """The library would sleep for the whole hour."""
    sandbox.faults.rate_limit(f"GET {path}", HOUR_S, times=9)

    error = await run_out(settings)

    assert isinstance(error, UnreachableError)
    assert "no sooner than in 3600 seconds" in str(error)


async def test_the_limit_of_the_start_does_not_end_a_bot_that_runs(
    sandbox: Sandbox, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(client, "START_SECONDS", 2.0)
    async with syncing_bot(settings) as bot:
        await asyncio.sleep(2.2)
        assert not bot.is_closed()


async def test_a_connection_that_breaks_while_logging_in_is_told_in_words(
    sandbox: Sandbox, settings: Settings
):
    """A server that hangs up without an answer, as behind a proxy that restarts."""

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await run_out(
            settings.model_copy(update={"discord_api_base": f"http://127.0.0.1:{port}/api/v10"})
        )

    assert isinstance(error, UnreachableError)
    assert "could not be reached" in str(error)


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (4004, StartError, "DISCORD_TOKEN"),
        (4012, StartError, "upgrade"),
        (4013, StartError, "intents"),
        (4014, StartError, "intents"),
        (4010, UnreachableError, "4010"),
        (4011, UnreachableError, "4011"),
    ],
)
async def test_a_connection_that_discord_ends_for_good_is_told_in_words(
    sandbox: Sandbox, settings: Settings, code: int, kind: type[HostError], words: str
):
    running = asyncio.create_task(run_out(settings))
    await until(lambda: sandbox.world.bot_online)
    await sandbox.gateway.drop_connections(code)

    error = await running

    assert type(error) is kind
    assert words in str(error)


@pytest.mark.parametrize(("code", "status"), [(4004, 69), (4014, 69), (4011, 75)])
async def test_what_the_process_ends_with_tells_a_supervisor_what_to_do(
    sandbox: Sandbox, tmp_path: Path, code: int, status: int
):
    async with bot_process(sandbox, tmp_path) as process:
        await sandbox.gateway.drop_connections(code)
        ended = await asyncio.wait_for(process.ended(), 30)

    told = (tmp_path / "stderr").read_text()
    assert ended == status
    assert "Traceback" not in told
    assert told.strip()


async def test_a_process_that_discord_does_not_let_in_is_to_be_started_again(
    sandbox: Sandbox, tmp_path: Path
):
    sandbox.faults.fail("GET /users/@me", status=503, times=9)

    async with begun_bot(sandbox, tmp_path) as process:
        ended = await asyncio.wait_for(process.ended(), 30)

    told = (tmp_path / "stderr").read_text()
    assert ended == 75
    assert "503" in told
    assert "Traceback" not in told
