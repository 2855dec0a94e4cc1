"""Somebody leaves, on the page of `make run`: their data first, then everything deleted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.async_api import expect

from tests.browser import running_chromium
from tests.e2e.running import Seat, running, seat

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.timeout(240)]

PICTURES = os.environ.get("PRIVACY_PICTURES")
"""A folder for pictures of each step, to be looked at."""


async def look(person: Seat, name: str) -> None:
    if PICTURES:
        await person.page.screenshot(path=f"{PICTURES}/{name}.png")


async def test_ann_takes_her_data_along_and_leaves_and_ben_has_won(tmp_path: Path):
    async with running(tmp_path / "sandbox") as run, running_chromium() as browser:
        address = (await run.match(r"Play at (http://\S+)"))[1]
        await run.match(r"\bcommands synced\b")
        async with (
            seat(browser, address, "ann", phone=True) as ann,
            seat(browser, address, "ben") as ben,
        ):
            await ann.say("/challenge player:Ben colour:X, and move first")
            await ben.newest.get_by_role("button", name="Accept").click()
            await expect(ann.newest).to_contain_text("Ann (X) against Ben (O)")

            await ann.say("/privacy")
            await expect(ann.newest).to_contain_text("Your data here")
            await look(ann, "policy")
            await ann.button("Get my data").click()
            await expect(ann.newest).to_contain_text("Everything that is stored about you")
            await look(ann, "file")
            link = ann.newest.locator("a[href*='my-data.json']")
            where = urljoin(address, str(await link.get_attribute("href")))
            answer = await ann.page.request.get(where)
            found = json.loads(await answer.body())
            await ann.button("Delete my data").click()
            await expect(ann.newest).to_contain_text("Your 1 ongoing game")
            await look(ann, "question")
            await ann.button("Yes, delete it all").click()

            await expect(ann.newest).to_contain_text("Your data is deleted")
            await look(ann, "deleted")
            await expect(ben.newest).to_contain_text("Deleted player")
            await expect(ben.newest).not_to_contain_text("Ann (X)")
            await look(ben, "won")
    assert found["person"]["name"] == "Ann"
    assert found["matches"][0]["X"] == {"name": "Ann", "is_you": True}
