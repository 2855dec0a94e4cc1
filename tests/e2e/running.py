"""A running `make run`, and people with windows on its page."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, ViewportSize, expect

ROOT = Path(__file__).resolve().parents[2]
# The machine may be busy with other tests.
expect.set_options(timeout=20_000)

COLOUR_OF_CORNER = """image => {
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return [...context.getImageData(2, 2, 1, 1).data].slice(0, 3);
}"""
PHONE = ViewportSize(width=400, height=850)
DESKTOP = ViewportSize(width=1280, height=800)


@dataclass(slots=True)
class Run:
    """A running `make run`: where it keeps its games, and what it has printed so far."""

    process: asyncio.subprocess.Process
    folder: Path
    lines: list[str]

    async def match(self, pattern: str) -> re.Match[str]:
        """Return the next line that matches, reading until it comes."""
        assert self.process.stdout is not None
        while True:
            raw = await asyncio.wait_for(self.process.stdout.readline(), 60)
            assert raw, "".join(self.lines)
            self.lines.append(raw.decode())
            endings = sum("starting it again" in line for line in self.lines)
            assert endings < 3, "".join(self.lines)
            found = re.search(pattern, self.lines[-1])
            if found:
                return found


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Run]:
    """Run `make run` with its games in `folder` while the block lasts."""
    make = shutil.which("make")
    assert make is not None
    process = await asyncio.create_subprocess_exec(
        make, "--no-print-directory", "run",
        cwd=ROOT,
        env=os.environ | {"SANDBOX_FOLDER": str(folder), "SANDBOX_PORT": "0"},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield Run(process, folder, [])
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        await asyncio.wait_for(process.communicate(), 20)


@dataclass(frozen=True, slots=True)
class Seat:
    """Somebody with a window of their own."""

    page: Page

    @property
    def newest(self) -> Locator:
        """The newest message."""
        return self.page.locator("#messages > [data-message-id]").last

    @property
    def image(self) -> Locator:
        """The newest picture, once it is loaded."""
        return self.page.locator("img[data-picture][data-state=ready]").last

    def button(self, words: str) -> Locator:
        """Return the newest button with exactly these words."""
        exactly = re.compile(f"^{re.escape(words)}$")
        return self.page.locator("[data-component=button]").filter(has_text=exactly).last

    async def say(self, command: str) -> None:
        """Write a command with its options, as "/play level:3", and send it."""
        await self.page.locator("#composer-input").fill(command)
        form = self.page.locator("[data-command-form] [data-send]")
        if await form.count():
            await form.click()
        else:
            await self.page.keyboard.press("Enter")

    async def choose(self, custom_id: str, words: str) -> None:
        """Choose from a select menu by the option's words."""
        menu = self.page.locator(f"[data-component=select][data-custom-id='{custom_id}']").last
        await menu.click()
        box = self.page.locator(".select-box").filter(has=menu)
        await box.get_by_role("option", name=words).click()

    async def corner(self) -> tuple[int, ...]:
        """Return the colour near the newest picture's upper left corner."""
        colour: list[int] = await self.image.evaluate(COLOUR_OF_CORNER)
        return tuple(colour)

    async def play(self, match_id: int, ply: int, move: str) -> None:
        """Play "53" as soon as it is their turn: on a free choice board 5 first, then cell 3."""
        boards = self.page.locator(f"[data-custom-id^='board:{match_id}:{ply}:']")
        cells = self.page.locator(f"[data-custom-id^='cell:{match_id}:{ply}:']")
        await expect(boards.or_(cells).first).to_be_visible()
        if await boards.count():
            await boards.get_by_text(move[0], exact=True).click()
        await cells.get_by_text(move[1], exact=True).click()


@asynccontextmanager
async def seat(
    browser: Browser, address: str, name: str, *, phone: bool = False
) -> AsyncIterator[Seat]:
    """Open a window as the person called `name`; complain at its end about script errors."""
    size = PHONE if phone else DESKTOP
    context = await browser.new_context(viewport=size, is_mobile=phone, has_touch=phone)
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.goto(f"{address}#user={name}&channel=games")
    await expect(page.locator("#app")).to_have_attribute("data-ready", "true")
    yield Seat(page)
    await context.close()
    assert errors == []
