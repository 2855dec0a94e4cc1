"""A newcomer's first minutes: `make run`, a browser, a whole game, a crash in between."""

from __future__ import annotations

import os
import random
import re
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser import running_chromium
from tests.e2e.running import ROOT, Run, running
from tests.openapi import mistakes

MOVES_BEFORE_THE_CRASH = 8


@pytest.fixture
async def run(tmp_path: Path) -> AsyncIterator[Run]:
    async with running(tmp_path / "sandbox") as run:
        yield run


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who clicks at random, with an rng of their own."""

    page: Page
    rng: random.Random

    @property
    def board(self) -> Locator:
        """The newest message."""
        return self.page.locator("#messages > [data-message-id]").last

    def buttons(self, kind: str) -> Locator:
        """Return the newest board's buttons of one kind that can be pressed."""
        return self.board.locator(
            f"[data-component=button][data-custom-id^='{kind}:']:not([aria-disabled=true])"
        )

    async def begin(self) -> None:
        """Press the first button there is, which waits for the bot's commands."""
        await self.page.get_by_role("button", name="Play the computer").click()
        await expect(self.buttons("board")).to_have_count(9)

    async def click(self, kind: str) -> None:
        """Click one of the buttons of a kind and wait until the board has changed."""
        revision = await self.board.get_attribute("data-revision") or ""
        offered = self.buttons(kind)
        await offered.nth(self.rng.randrange(await offered.count())).click()
        await expect(self.board).not_to_have_attribute("data-revision", revision)

    async def move(self) -> bool:
        """Make one move, the choice of a board included; return whether the game goes on."""
        if await self.buttons("board").count():
            await self.click("board")
        await self.click("cell")
        # A late reply is a separate edit: until then none of these can be pressed.
        following = self.buttons("board").or_(self.buttons("cell")).or_(self.buttons("again"))
        await expect(following.first).to_be_visible()
        return not await self.buttons("again").count()

    async def image_is_shown(self) -> bool:
        """Return whether the board's image has been loaded."""
        width = await self.board.locator("img").last.evaluate("img => img.naturalWidth")
        return bool(width)


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    async with running_chromium() as browser:
        context = await browser.new_context(viewport={"width": 390, "height": 844})
        page = await context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        await context.close()
        assert errors == []


@pytest.mark.browser
@pytest.mark.timeout(240)
async def test_a_newcomer_plays_a_whole_game_through_a_crash_of_the_bot(run: Run, page: Page):
    """`kill -9` in the middle, then every button of the same message still works."""
    address = (await run.match(r"Play at (http://\S+)"))[1]
    bot = int((await run.match(r"The bot is process (\d+)"))[1])
    await page.goto(address)
    await expect(page.locator("#bot-status")).to_contain_text("online")
    player = Player(page, random.Random(20))

    await player.begin()
    for _ in range(MOVES_BEFORE_THE_CRASH):
        assert await player.move()
    before = await player.board.get_attribute("data-message-id")
    os.kill(bot, signal.SIGKILL)
    again = int((await run.match(r"The bot is process (\d+)"))[1])
    await run.match(r"\bready\b")
    goes_on = await player.move()
    moves = MOVES_BEFORE_THE_CRASH + 1
    while goes_on:
        goes_on = await player.move()
        moves += 1

    assert again != bot
    assert await player.board.get_attribute("data-message-id") == before
    assert await player.image_is_shown()
    await expect(player.board).to_contain_text(re.compile(r"wins|Draw"))
    await expect(player.board).to_contain_text(
        re.compile(rf"\b({2 * moves}|{2 * moves - 1}) moves")
    )
    sent = await (await page.request.get(f"{address}sandbox/requests")).json()
    assert len([each for each in sent if each["path"].endswith("/callback")]) > moves
    assert mistakes((each["method"], each["path"], each["body"]) for each in sent) == []
    await page.screenshot(path=ROOT / "build" / "result.png")
