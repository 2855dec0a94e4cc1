"""Several people on one page: switching, pings, reactions, threads, menus, files, languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import FilePayload, expect

from deploy.sandbox.server import Sandbox
from tests.sandbox.page.bot import ShowBot
from tests.sandbox.page.window import PHONE, Windows

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_one_press_is_another_person_and_their_pings_are_counted(windows: Windows) -> None:
    window = await windows.open(viewport=PHONE)
    ben = window.page.locator("[data-become=Ben]")

    await window.composer.fill("/call who:Ben")
    await window.press("Enter")
    await expect(window.newest).to_have_attribute("data-ping", "false")
    await expect(ben).to_have_accessible_name("Be Ben (1 unread, 1 for them)")
    await ben.click()
    await window.is_ready()

    await expect(window.page.get_by_role("button", name="You are: Ben")).to_be_visible()
    await expect(window.newest).to_contain_text("Your turn, @Ben!")
    await expect(window.newest).to_contain_text("This message pinged you")
    # Ben has it before his eyes now; Ann wrote nothing, so she has read it all too.
    await expect(window.page.locator("[data-become=Ann]")).to_have_accessible_name("Be Ann")


@pytest.mark.long
async def test_news_of_other_channels_are_counted_even_over_a_reload(
    windows: Windows, sandbox: Sandbox
) -> None:
    window, world = await windows.open(), sandbox.world
    ann, ben = world.person("ann"), world.person("ben")
    direct = sandbox.people.open_direct_with(ben.id, ann.id)

    await sandbox.people.say(ben.id, direct.id, "One")
    await sandbox.people.say(ben.id, direct.id, "Two")
    row = window.page.locator(f"[data-channel-id='{direct.id}']")
    await expect(row.locator(".unread")).to_contain_text("2 unread, 2 for them")
    await window.page.reload()
    await window.is_ready()
    await expect(row.locator(".unread")).to_contain_text("2")
    await expect(row).to_contain_text("Ben")
    assert (await window.page.title()).startswith("(2) ")
    await row.click()

    await expect(window.newest).to_contain_text("Two")
    await expect(row.locator(".unread")).to_have_count(0)


@pytest.mark.long
async def test_reactions_are_added_and_taken_back(windows: Windows) -> None:
    ann, ben = await windows.open(), await windows.open("ben")
    await ann.type("A fine day")
    await ann.press("Enter")

    await ben.newest.hover()
    await ben.newest.get_by_role("button", name="More").click()
    await ben.page.get_by_role("menuitem", name="React with 👍").click()
    await expect(ben.page.locator("[data-reaction]")).to_have_attribute("aria-pressed", "true")
    reaction = ann.page.locator("[data-reaction]")
    await expect(reaction).to_have_attribute("aria-pressed", "false")
    await reaction.click()
    await expect(reaction).to_have_text("👍2")
    await ben.page.locator("[data-reaction]").click()

    await expect(reaction).to_have_text("👍1")
    await expect(reaction).to_have_attribute("aria-pressed", "true")


async def test_commands_of_messages_and_people_are_in_the_menu(windows: Windows) -> None:
    window = await windows.open()
    await window.type("A fine day")
    await window.press("Enter")

    await window.newest.get_by_role("button", name="More").press("Enter")
    menu = window.page.get_by_role("menu")
    await expect(menu).to_contain_text("With Ann")
    await window.press("Escape")
    await expect(menu).to_have_count(0)
    await window.newest.get_by_role("button", name="More").press("Enter")
    await menu.get_by_role("menuitem", name="Greet").click()
    await expect(window.newest).to_contain_text("Hello Ann")
    first = window.messages.first
    await first.hover()
    await first.get_by_role("button", name="More").click()
    await menu.get_by_role("menuitem", name="Quote").click()

    await expect(window.newest.locator("blockquote")).to_have_count(1)


@pytest.mark.long
async def test_a_person_has_a_menu_with_the_mouse_and_with_the_keyboard(windows: Windows) -> None:
    window = await windows.open()
    menu = window.page.get_by_role("menu")
    await window.page.locator("[data-become=Ben]").click(button="right")
    await menu.get_by_role("menuitem", name="Greet").click()
    await expect(window.newest).to_contain_text("Hello Ben")

    await window.newest.locator(".author").press("Enter")
    assert await window.focused("data-menu-command") == "Greet"
    await window.press("ArrowUp")
    assert await window.focused("data-write") == "Game Bot"
    await window.press("Escape")
    assert await window.focused("class") == "author"
    await window.type("@Ben")
    await window.press("Enter")
    await expect(window.newest).to_contain_text("@Ben")
    await window.newest.locator(".author").press("Enter")
    await window.press("Enter")
    await expect(window.newest).to_contain_text("Hello Ann")

    # A wide window has a column with everybody in it.
    people = window.page.get_by_role("region", name="People")
    await expect(people).to_have_count(0)
    await window.page.set_viewport_size({"width": 1920, "height": 1080})
    await expect(window.page.locator(".aside [data-group][open] .command-link")).to_have_count(2)
    await people.get_by_role("button", name="Ben").click()
    await menu.get_by_role("menuitem", name="Be Ben").click()
    await expect(window.page.get_by_role("button", name="You are: Ben")).to_be_visible()


@pytest.mark.long
async def test_a_thread_is_started_from_a_message_and_closed(windows: Windows) -> None:
    window = await windows.open()
    page = window.page
    await window.type("Let us talk")
    await window.press("Enter")

    await expect(window.newest).to_contain_text("Let us talk")
    await window.newest.hover()
    await window.newest.get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="Start a thread").click()
    await page.get_by_role("dialog").get_by_label("Name").fill("The talk")
    await window.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("The talk")
    await window.type("Here I am")
    await window.press("Enter")
    await expect(window.newest).to_contain_text("Here I am")
    await page.get_by_role("button", name="Close the thread").click()
    await expect(page.get_by_role("button", name="Open the thread again")).to_be_visible()
    await page.locator(f"[data-channel-id='{windows.channel.id}']").click()

    card = window.newest.locator("[data-thread]")
    await expect(card).to_have_text("The talkclosed")
    await expect(page.get_by_role("link", name="The talk")).to_have_count(0)
    await card.click()
    await expect(window.newest).to_contain_text("Here I am")


@pytest.mark.long
async def test_a_link_to_a_message_leads_to_it(windows: Windows, sandbox: Sandbox) -> None:
    window, world = await windows.open(), sandbox.world
    ben, games = world.person("ben"), world.channel_called("games")
    first = await sandbox.people.say(ben.id, windows.channel.id, "The first of many")
    for number in range(30):
        await sandbox.people.say(ben.id, windows.channel.id, f"Line {number}")
    link = f"https://discord.com/channels/{games.guild_id}/{windows.channel.id}/{first.id}"
    await sandbox.people.say(ben.id, games.id, f"See {link}")

    await window.page.locator(f"[data-channel-id='{games.id}']").click()
    await window.newest.get_by_role("button", name=re.compile(r" message$")).click()

    await expect(window.page.get_by_text("The first of many", exact=True)).to_be_in_viewport()
    assert await window.focused("data-message-id") == str(first.id)


async def test_a_thread_named_before_it_was_heard_of_gets_its_name(
    windows: Windows, sandbox: Sandbox
) -> None:
    """The bot opens a thread and points to it in one breath."""
    window, world = await windows.open(), sandbox.world
    ben = world.person("ben")
    said = await sandbox.people.say(ben.id, windows.channel.id, "Here")

    # A thread has the number of its message.
    await sandbox.people.say(ben.id, windows.channel.id, f"Played in <#{said.id}>")
    place = window.newest.get_by_role("button", name="#a channel")
    await expect(place).to_be_visible()
    sandbox.people.start_thread(ben.id, windows.channel.id, "Game 4", said.id)
    place = window.newest.get_by_role("button", name="#Game 4")
    await place.click()

    await expect(window.page.get_by_role("heading", level=1)).to_have_text("Game 4")


async def test_a_file_goes_with_a_command(windows: Windows) -> None:
    window = await windows.open()
    await window.composer.fill("/weigh file:notes.txt")

    await window.page.locator("[data-send]").click()
    await expect(window.page.get_by_text("There is no “notes.txt” to choose")).to_be_visible()
    await window.page.locator("[data-send]").click()
    await expect(window.page.get_by_text("file is required.")).to_be_visible()
    file = FilePayload(name="a b.txt", mimeType="text/plain", buffer="grüße".encode())
    await window.option("file").set_input_files(file)
    await window.page.locator("[data-send]").click()

    await expect(window.newest).to_contain_text("a_b.txt says: grüße")


@pytest.fixture
def in_german(sandbox: Sandbox, bot: ShowBot) -> Iterator[None]:
    """A command that has a German name while the test runs."""
    commands = sandbox.world.commands[None].values()
    play = next(each for each in commands if each["name"] == "play")
    before = dict(play)
    play["name_localizations"] = {"de": "spielen"}
    play["description_localizations"] = {"de": "Ein Spiel beginnen"}
    play["options"][0]["name_localizations"] = {"de": "stufe"}
    yield
    play.update(before)
    sandbox.people.set_person(sandbox.world.person("ann").id, locale="en-US")


@pytest.mark.usefixtures("in_german")
async def test_a_person_has_a_language_and_finds_commands_in_it(
    windows: Windows, sandbox: Sandbox, bot: ShowBot
) -> None:
    window = await windows.open()

    await window.page.locator("[data-user-switch]").click()
    await window.page.get_by_label("Language of this person").select_option("Deutsch")
    await window.page.keyboard.press("Escape")
    await window.page.locator("[data-group=Games] summary").click()
    await expect(window.page.get_by_role("button", name="/spielen")).to_be_visible()
    await window.type("/sp")
    await expect(window.commands.first).to_have_text("/spielenstufefirstEin Spiel beginnen")
    await window.composer.fill("/spielen stufe:7")
    await expect(window.page.get_by_label("stufe")).to_have_value("7")
    await window.press("Enter")

    await expect(window.newest.get_by_role("img")).to_be_visible()
    assert bot.plays[-1] == (7, "you")
    assert sandbox.world.person("ann").locale == "de"


@pytest.mark.usefixtures("in_german")
async def test_a_mention_of_a_command_is_in_the_readers_language_and_opens_it(
    windows: Windows, sandbox: Sandbox, bot: ShowBot
) -> None:
    ann = sandbox.world.person("ann")
    sandbox.people.set_person(ann.id, locale="de")
    play = next(each for each in sandbox.world.commands[None].values() if each["name"] == "play")
    window = await windows.open()

    await window.type(f"Use </play:{play['id']}>, not </play:1> or </gone:{play['id']}>.")
    await window.press("Enter")

    mentions = window.newest.locator(".text .mention")
    await expect(mentions).to_have_text(["/spielen", "/play", "/gone"])
    await expect(window.newest.get_by_role("button", name="/play")).to_have_count(0)
    await window.newest.get_by_role("button", name="/spielen").click()
    await expect(window.page.get_by_label("stufe")).to_be_visible()
