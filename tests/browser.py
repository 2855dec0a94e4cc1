"""The real browser of the browser tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, async_playwright

# The headless one first: it takes two thirds of the others' time.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)


def find_chromium() -> str | None:
    """Return the browser's path: the variable CHROMIUM, else where systems keep it."""
    names = (os.environ.get("CHROMIUM"), *(f"/usr/bin/{name}" for name in NAMES), *NAMES)
    found = (shutil.which(name) for name in names if name)
    return next((path for path in found if path is not None), None)


@asynccontextmanager
async def running_chromium() -> AsyncIterator[Browser]:
    """Run a headless browser; skip the test where there is none, unless one is required."""
    path = find_chromium()
    if path is None:
        assert not os.environ.get("REQUIRE_CHROMIUM"), "REQUIRE_CHROMIUM is set, and there is none"
        pytest.skip("no Chromium: install one or name it in the variable CHROMIUM")
    async with async_playwright() as playwright:
        # Its own sandbox cannot start for root in containers; it loads this page only.
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()
