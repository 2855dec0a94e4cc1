"""Two people play each other on the page of `make run`: by clicks, on a phone and a desktop."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import ClientSession
from playwright.async_api import Browser, expect

from bot.render.theme import DARK, LIGHT
from tests.browser import running_chromium
from tests.e2e.running import Run, Seat, running, seat
from tests.openapi import mistakes

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(240),
]

# One of the shortest whole games there are: X wins boards 3, 9 and 6, a column.
SHORT_GAME = "35 59 91 19 93 33 34 43 36 69 92 26 65 56 64 46 66"


@dataclass(slots=True)
class House:
    """A running `make run`: where its page is, and which process the bot is."""

    run: Run
    address: str
    bot_pid: int

    async def kill_the_bot(self) -> None:
        """End the bot as a power cut would; the sandbox starts it again by itself."""
        os.kill(self.bot_pid, signal.SIGKILL)
        self.bot_pid = int((await self.run.match(r"The bot is process (\d+)"))[1])

    async def mistakes(self) -> list[str]:
        """Return what is wrong with all that the bot has sent, by Discord's description."""
        async with ClientSession() as client, client.get(f"{self.address}sandbox/requests") as it:
            sent = await it.json()
        return mistakes((each["method"], each["path"], each["body"]) for each in sent)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with running(tmp_path_factory.mktemp("house") / "sandbox") as run:
        address = (await run.match(r"Play at (http://\S+)"))[1]
        bot_pid = int((await run.match(r"The bot is process (\d+)"))[1])
        await run.match(r"\bcommands synced\b")
        yield House(run, address, bot_pid)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with running_chromium() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def ann(browser: Browser, house: House) -> AsyncIterator[Seat]:
    async with seat(browser, house.address, "ann") as ann:
        yield ann


@pytest_asyncio.fixture(loop_scope="module")
async def ben(browser: Browser, house: House) -> AsyncIterator[Seat]:
    async with seat(browser, house.address, "ben", phone=True) as ben:
        yield ben


@pytest_asyncio.fixture(loop_scope="module")
async def cleo(browser: Browser, house: House) -> AsyncIterator[Seat]:
    """Somebody who speaks other languages in some tests."""
    async with seat(browser, house.address, "cleo", phone=True) as cleo:
        yield cleo


async def start(ann: Seat, ben: Seat, options: str) -> int:
    """Let Ann challenge Ben, who accepts, and return the game's number."""
    await ann.say(f"/challenge player:Ben colour:X, and move first {options}")
    await expect(ben.newest).to_contain_text("Ann challenges Ben")
    await ben.newest.get_by_role("button", name="Accept").click()
    await expect(ann.newest).to_contain_text("Ann (X) against Ben (O)")
    found = re.search(r"Game (\d+)", await ann.newest.inner_text())
    assert found
    return int(found[1])


async def test_a_challenge_becomes_a_rated_game_a_result_and_a_rematch(
    ann: Seat, ben: Seat, house: House
) -> None:
    """Ann plays on a desktop, Ben on a phone."""
    match_id = await start(ann, ben, "")
    for ply, move in enumerate(SHORT_GAME.split()):
        await (ann, ben)[ply % 2].play(match_id, ply, move)

    for each in (ann, ben):
        await expect(each.newest).to_contain_text("Ann (X) wins with boards 3, 6, 9 in a row.")
        await expect(each.newest).to_contain_text("Ann: placement game 1 of 5")
        await expect(each.newest).to_contain_text("Ben: placement game 1 of 5")
    await ann.button("Rematch").click()
    await expect(ben.newest).to_contain_text("Ann challenges Ben")
    await ben.button("Rematch").click()

    for each in (ann, ben):
        await expect(each.newest).to_contain_text("Ben (X) against Ann (O)")
        await expect(each.newest).to_contain_text("rated · 0 moves")
        await expect(each.image).to_have_attribute("alt", re.compile("X: Ben. O: Ann."))
    await ben.say("/profile")
    card = ben.newest.get_by_role("img", name=re.compile(r"Placement 1.5\."))
    await expect(card).to_be_visible()
    await ben.say("/leaderboard")
    await expect(ben.newest).to_contain_text("You are number 2 of 2.")
    assert await house.mistakes() == []


@pytest.mark.long
async def test_a_clock_that_ran_out_is_settled_by_the_bot_after_a_crash(
    ann: Seat, ben: Seat, house: House
) -> None:
    """Nobody presses anything: the bot comes back, finds the game overdue and says who won."""
    match_id = await start(ann, ben, "clock:1+0 rated:True")
    for ply, move in enumerate(("55", "51", "15", "59")):
        await (ann, ben)[ply % 2].play(match_id, ply, move)
    await expect(ann.newest).to_contain_text("Ann, you must play in board 9")

    await house.kill_the_bot()
    # The long test waits for a real minute; here the minute is made to end earlier.
    let_time_pass(house.run.folder / "matches.sqlite3", match_id, seconds=61)
    await house.run.match(r"\bready\b")

    for each in (ann, ben):
        await expect(each.newest).to_contain_text("Ben (O) wins: Ann ran out of time")
        await expect(each.newest).to_contain_text(re.compile(r"Ann: placement game \d of 5"))
        await expect(each.button("Rematch")).to_be_visible()


@pytest.mark.long
async def test_a_clock_runs_on_after_a_crash_and_out_by_itself(
    ann: Seat, ben: Seat, house: House
) -> None:
    """The same with a real minute, of which the bot is away for some seconds."""
    match_id = await start(ann, ben, "clock:1+0")
    for ply, move in enumerate(("55", "51", "15", "59")):
        await (ann, ben)[ply % 2].play(match_id, ply, move)
    await expect(ann.newest).to_contain_text("Ann, you must play in board 9")
    number = await ann.newest.get_attribute("data-message-id")
    board = ann.page.locator(f"[data-message-id='{number}']")  # calls to games come below it
    began_at = time.monotonic()

    await house.kill_the_bot()
    await house.run.match(r"\bready\b")

    await expect(board).to_contain_text("Ann ran out of time", timeout=120_000)
    assert time.monotonic() - began_at > 50


@pytest.mark.long
async def test_colours_chosen_in_the_settings_are_those_of_the_next_board(ann: Seat) -> None:
    await ann.say("/play level:1")
    await expect(ann.newest).to_contain_text("Resign")
    await expect(ann.image).to_be_visible()
    assert await ann.corner() == DARK.canvas
    await ann.say("/settings")
    await expect(ann.newest).to_contain_text("Your settings")
    revision = await ann.newest.get_attribute("data-revision") or ""
    await ann.choose("wish:theme", "Light")
    await expect(ann.newest).not_to_have_attribute("data-revision", revision)
    await ann.say("/play level:1")
    await expect(ann.newest).to_contain_text("Resign")

    await expect(ann.newest.locator("img[data-state=ready]")).to_be_visible()
    assert await ann.corner() == LIGHT.canvas


@pytest.mark.long
@pytest.mark.parametrize(("language", "word"), [("Deutsch", "Aufgeben"), ("Русский", "Сдаться")])
async def test_buttons_are_in_the_language_of_who_plays(
    cleo: Seat, language: str, word: str
) -> None:
    await cleo.page.locator("[data-user-switch]").click()
    await cleo.page.get_by_label("Language of this person").select_option(language)
    await cleo.page.keyboard.press("Escape")
    await cleo.say("/play level:1")

    await expect(cleo.newest.get_by_role("button", name=word)).to_be_visible()
    await expect(cleo.newest.get_by_role("button", name="Resign")).to_have_count(0)


def let_time_pass(database: Path, match_id: int, *, seconds: int) -> None:
    """Move the end of a turn back, in the file of a bot that is not running."""
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "UPDATE match SET deadline_at = deadline_at - :ms WHERE id = :match_id",
            {"ms": 1000 * seconds, "match_id": match_id},
        )
