"""A real browser on the page of a sandbox in which a real bot is online."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from deploy.sandbox import OTHER, Action, Intro
from deploy.sandbox.model import Channel, ChannelKind
from deploy.sandbox.server import Sandbox, running_sandbox
from tests.browser import running_chromium
from tests.sandbox.page.bot import ShowBot, online, picture
from tests.sandbox.page.window import Windows

INTRO = Intro(
    title="A show",
    sentence="It has everything that a page can show.",
    picture=picture(7).fp.read(),
    picture_text="A picture of it",
    actions=(
        Action(label="Play it", command="play", options={"level": 4}),
        Action(label=f"Call {OTHER}", command="call", options={"who": OTHER}, then=f"Be {OTHER}."),
    ),
    groups={"Games": ("play", "game"), "Empty": ("gone",)},
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with running_chromium() as browser:
        yield browser


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with running_sandbox(intro=INTRO) as sandbox:
        yield sandbox


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(sandbox: Sandbox) -> AsyncIterator[ShowBot]:
    async with online(sandbox) as bot:
        yield bot


@pytest.fixture
def channel(sandbox: Sandbox, bot: ShowBot, request: pytest.FixtureRequest) -> Channel:
    """A channel in which nothing has been said, made for this test."""
    world = sandbox.world
    guild_id = world.channel_called("general").guild_id
    name = request.node.name.removeprefix("test_").replace("_", "-")[:60]
    identifier = world.snowflakes.next()
    return world.add_channel(
        Channel(id=identifier, kind=ChannelKind.TEXT, name=name, guild_id=guild_id, position=50)
    )


@pytest_asyncio.fixture(loop_scope="module")
async def windows(browser: Browser, sandbox: Sandbox, channel: Channel) -> AsyncIterator[Windows]:
    """Opens windows on the test's channel; closes them and reports script errors."""
    windows = Windows(browser, sandbox, channel)
    yield windows
    await windows.close()
    assert windows.errors == []
