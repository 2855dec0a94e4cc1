"""A bot that is online in a sandbox, with people to play it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest

from bot import clock
from deploy.sandbox import Sandbox, running_sandbox
from tests.cogs.table import (
    PATIENCE_S,
    Table,
    mistakes_in,
    raw_commands,
    running_bot,
    settings_for,
)


@pytest.fixture
def discord_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the library's addresses back after the test."""
    monkeypatch.setattr(discord.http.Route, "BASE", discord.http.Route.BASE)
    gateway = discord.gateway.DiscordWebSocket
    monkeypatch.setattr(gateway, "DEFAULT_GATEWAY", gateway.DEFAULT_GATEWAY)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be too late: a busy machine must not make a test fail."""
    for part in ("REPLY_WITHIN_S", "BEGIN_WITHIN_S", "SEND_WITHIN_S"):
        monkeypatch.setattr(clock, part, PATIENCE_S)


@pytest.fixture
async def sandbox(discord_addresses: None, patience: None) -> AsyncIterator[Sandbox]:
    async with running_sandbox() as sandbox:
        sandbox.world.limits.answer_seconds = PATIENCE_S
        yield sandbox


@pytest.fixture
async def table(sandbox: Sandbox, tmp_path: Path) -> AsyncIterator[Table]:
    """A bot that is online; what it sent is checked at the end.

    It has to fit Discord's description, and every command in a text has to be a mention.
    """
    async with running_bot(settings_for(sandbox, tmp_path)) as bot:
        yield Table(sandbox, bot)
    assert mistakes_in(sandbox) == []
    assert raw_commands(sandbox) == []
