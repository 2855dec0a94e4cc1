"""One window of the page, as a person uses it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, BrowserContext, Locator, Page, expect

from deploy.sandbox.model import Channel
from deploy.sandbox.server import Sandbox

PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 800}


@dataclass(slots=True)
class Windows:
    """Opens windows; each is a browser of its own."""

    browser: Browser
    sandbox: Sandbox
    channel: Channel
    errors: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    async def open(self, user: str = "ann", **options: Any) -> Window:
        """Open the test's channel as `user`."""
        options.setdefault("viewport", DESKTOP)
        context = await self.browser.new_context(**options)
        context.set_default_timeout(10_000)
        self._contexts.append(context)
        page = await context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        await page.goto(f"{self.sandbox.address}/#user={user}&channel={self.channel.id}")
        window = Window(page)
        await window.is_ready()
        return window

    async def close(self) -> None:
        """Close all of them."""
        for context in self._contexts:
            await context.close()


@dataclass(frozen=True, slots=True)
class Window:
    """What a person sees and does in one window."""

    page: Page

    @property
    def composer(self) -> Locator:
        return self.page.locator("#composer-input")

    @property
    def commands(self) -> Locator:
        return self.page.get_by_role("listbox", name="Commands").locator("[data-command]")

    @property
    def messages(self) -> Locator:
        return self.page.locator("#messages > [data-message-id]")

    @property
    def newest(self) -> Locator:
        return self.messages.last

    @property
    def whispers(self) -> Locator:
        return self.page.locator("[data-ephemeral=true]")

    async def is_ready(self) -> None:
        """Wait until the window hears from the sandbox."""
        await expect(self.page.locator("#app")).to_have_attribute("data-ready", "true")

    async def type(self, text: str) -> None:
        """Type into the message box, key by key."""
        await self.composer.click()
        await self.composer.press_sequentially(text)

    async def run(self, command: str) -> None:
        """Type a command and press Enter."""
        await self.type(f"/{command}")
        await self.page.keyboard.press("Enter")

    async def press(self, key: str) -> None:
        """Press a key wherever the focus is."""
        await self.page.keyboard.press(key)

    def option(self, name: str) -> Locator:
        """Return a command's field."""
        return self.page.locator(f"[data-option='{name}']")

    def button(self, custom_id: str) -> Locator:
        """Return a message's button."""
        return self.page.locator(f"[data-component=button][data-custom-id='{custom_id}']")

    def select(self, custom_id: str) -> Locator:
        """Return a message's select menu."""
        return self.page.locator(f"[data-component=select][data-custom-id='{custom_id}']")

    async def focused(self, attribute: str) -> str | None:
        """Return an attribute of what has the focus."""
        found: str | None = await self.page.evaluate(
            "name => document.activeElement.getAttribute(name)", attribute
        )
        return found
