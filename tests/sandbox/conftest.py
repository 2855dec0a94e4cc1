"""A running sandbox, plain HTTP to it, and real discord.py clients that are pointed at it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord
import pytest
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from deploy.sandbox import Interaction, People, Sandbox, World, running_sandbox
from deploy.sandbox.model import Message


class ManualClock:
    """A clock that only moves when told to."""

    def __init__(self, seconds: float = 1_800_000_000.0) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds


@dataclass(frozen=True, slots=True)
class Reply:
    """What an HTTP request brought back."""

    status: int
    body: Any
    headers: dict[str, str]

    @property
    def code(self) -> int:
        """Discord's number for a refusal."""
        return int(self.body["code"])


class Http:
    """Plain requests to the REST interface, with the bot's token."""

    def __init__(self, session: aiohttp.ClientSession, sandbox: Sandbox) -> None:
        self._session = session
        self._sandbox = sandbox

    async def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        files: dict[str, bytes] | None = None,
        token: str | None = None,
    ) -> Reply:
        """Send `body` as JSON, or with `files` (by name) as a form."""
        headers = {"Authorization": f"Bot {token or self._sandbox.token}"}
        data: Any = None
        if files is not None:
            data = aiohttp.FormData(quote_fields=False)
            data.add_field("payload_json", json.dumps(body))
            for number, (name, content) in enumerate(files.items()):
                data.add_field(f"files[{number}]", content, filename=name)
        elif body is not None:
            data = json.dumps(body)
            headers["Content-Type"] = "application/json"
        url = path if path.startswith("http") else self._sandbox.api_base + path
        async with self._session.request(method, url, data=data, headers=headers) as response:
            raw = await response.read()
            is_json = response.headers.get("Content-Type") == "application/json"
            parsed = json.loads(raw) if is_json else raw
            return Reply(response.status, parsed, dict(response.headers))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def sandbox(clock: ManualClock) -> AsyncIterator[Sandbox]:
    """A sandbox with the default world, whose time stands still."""
    async with running_sandbox(world=World.default(clock=clock)) as running:
        yield running


@pytest.fixture
def world(sandbox: Sandbox) -> World:
    return sandbox.world


@pytest.fixture
def people(sandbox: Sandbox) -> People:
    return sandbox.people


@pytest.fixture
async def http(sandbox: Sandbox) -> AsyncIterator[Http]:
    async with aiohttp.ClientSession() as session:
        yield Http(session, sandbox)


@pytest.fixture
def pointed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """The sandbox, with discord.py pointed at it: the two lines that this takes."""
    monkeypatch.setattr(Route, "BASE", sandbox.api_base)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(sandbox.gateway_url))
    return sandbox


Start = Callable[[discord.Client], Awaitable[discord.Client]]


@pytest.fixture
async def start(pointed: Sandbox) -> AsyncIterator[Start]:
    """A function that logs a client in and returns it when it is ready."""
    running: list[tuple[discord.Client, asyncio.Task[None]]] = []

    async def begin(client: discord.Client) -> discord.Client:
        task = asyncio.create_task(client.start(pointed.token))
        running.append((client, task))
        while not client.is_ready():
            if task.done():
                task.result()
            await asyncio.sleep(0.01)
        return client

    yield begin
    for client, task in running:
        await client.close()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, 10)


async def answer_to(begun: Awaitable[Interaction]) -> Message:
    """Return the message that is the bot's answer to an interaction."""
    interaction = await begun
    await interaction.wait()
    assert interaction.message is not None
    return interaction.message


@pytest.fixture
def ann(world: World) -> int:
    return world.person("Ann").id


@pytest.fixture
def ben(world: World) -> int:
    return world.person("Ben").id


@pytest.fixture
def games(world: World) -> int:
    return world.channel_called("games").id
