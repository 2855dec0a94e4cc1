"""A real browser on the page of a sandbox in which a real bot is online."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from deploy.sandbox.model import Channel, ChannelKind
from deploy.sandbox.server import Sandbox, running_sandbox
from tests.sandbox.page.bot import ShowBot, online
from tests.sandbox.page.window import Windows

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    """Return the browser's path: the variable CHROMIUM, else where systems keep it."""
    names = (os.environ.get("CHROMIUM"), *(f"/usr/bin/{name}" for name in NAMES), *NAMES)
    found = (shutil.which(name) for name in names if name)
    return next((path for path in found if path is not None), None)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium: install one or name it in the variable CHROMIUM")
    async with async_playwright() as playwright:
        # Its own sandbox cannot start for root in containers; it loads this page only.
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with running_sandbox() as sandbox:
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
