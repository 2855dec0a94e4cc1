"""What happens to people who wait for an answer when the bot is stopped."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot import client
from bot.model.actions import Resign
from bot.services import analysis as analyst
from cogs import fields, records
from cogs.analysis import replays, reviews
from deploy.sandbox import Interaction, Sandbox
from tests.cogs.table import Table, running_bot, settings_for

RECORD = '[Variant "depth=1"] 1. 5 2 *'


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Threads stand still until this is set: after the end, or never."""
    monkeypatch.setattr(client, "DRAIN_SECONDS", 0.3)
    gate = threading.Event()
    yield gate
    gate.set()


def standing_still(gate: threading.Event) -> Callable[..., Any]:
    def stand_still(*_args: object, stop: threading.Event | None = None, **_more: object) -> None:
        while not gate.wait(0.01):
            if stop is not None and stop.is_set():
                gate.set()
        raise AssertionError("nobody waits for it any more")

    return stand_still


SLOW: dict[str, tuple[object, str, str, dict[str, Any]]] = {
    "a hint": (analyst, "best_moves", "hint", {}),
    "a review": (analyst, "analyse_game", "review", {"game": 1}),
    "the picture of a review": (reviews, "draw_review", "review", {"game": 1}),
    "a replay": (replays, "draw_film", "replay", {"game": 1}),
    "a field to print": (fields, "draw_sheets", "field", {"name": "basic"}),
    "an import": (records, "parse_game", "import", {"record": RECORD}),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("what", SLOW)
async def test_someone_who_waits_for_something_slow_is_told(
    sandbox: Sandbox,
    tmp_path: Path,
    gate: threading.Event,
    what: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    module, function, command, options = SLOW[what]
    with capture_logs() as lines, caplog.at_level(logging.WARNING):
        async with running_bot(settings_for(sandbox, tmp_path)) as bot:
            table = Table(sandbox, bot)
            await table.command("import", record=RECORD, level=1)
            over = (await bot.matches.ongoing_of(table.ann))[0]
            await bot.matches.perform(over.id, Resign(), user_id=table.ann)
            await table.start()
            monkeypatch.setattr(module, function, standing_still(gate))
            asked = await sandbox.people.slash(table.ann, table.channel, command, options)
            await asyncio.sleep(0.1)
            began_at = asyncio.get_running_loop().time()
            # An analyst that is not told to stop would keep the process alive until the test's end.
            opener = asyncio.get_running_loop().call_later(2.5, gate.set)
        opener.cancel()
        await asked.settled()

    assert asyncio.get_running_loop().time() - began_at < 6
    assert "The bot is restarting" in str(answer_of(table, asked))
    assert [line for line in lines if line["log_level"] in ("warning", "error")] == []
    assert caplog.messages == []


def answer_of(table: Table, interaction: Interaction) -> Any:
    """Return the answer; one that follows a public promise is another message."""
    message = interaction.message
    assert message is not None, "nothing was answered"
    answers = [each for each in table.seen() if int(each["id"]) == message.id]
    return (answers or table.seen())[-1]


async def test_a_quick_answer_is_waited_for(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with running_bot(settings_for(sandbox, tmp_path)) as bot:
        table = Table(sandbox, bot)
        await table.start()
        asked = await sandbox.people.slash(table.ann, table.channel, "hint", {})
        await asyncio.sleep(0.05)
    await asked.settled()

    assert "restarting" not in str(answer_of(table, asked))
    assert "%" in str(answer_of(table, asked))


async def test_a_stop_does_not_wait_for_a_discord_that_answers_nothing(
    sandbox: Sandbox,
    tmp_path: Path,
    gate: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    monkeypatch.setattr(client, "TELLING_SECONDS", 0.3)
    loop = asyncio.get_running_loop()
    with capture_logs() as lines, caplog.at_level(logging.WARNING):
        async with running_bot(settings_for(sandbox, tmp_path)) as bot:
            table = Table(sandbox, bot)
            await table.start()
            monkeypatch.setattr(analyst, "best_moves", standing_still(gate))
            held = sandbox.faults.hold("POST /webhooks/*", times=9)
            await sandbox.people.slash(table.ann, table.channel, "hint", {})
            await asyncio.sleep(0.1)
            began_at = loop.time()
        assert loop.time() - began_at < 5
        held.set()

    told = [line["event"] for line in lines if line["log_level"] in ("warning", "error")]
    assert told == ["shutdown did not wait for every answer"]
    assert caplog.messages == []
