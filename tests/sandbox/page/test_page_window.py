"""The window around the messages: who, where, how wide, how readable, how lasting."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, Route, expect

from deploy.sandbox.server import Sandbox, running_sandbox
from deploy.sandbox.world import World
from tests.sandbox.page.bot import ShowBot, online
from tests.sandbox.page.conftest import INTRO
from tests.sandbox.page.window import PHONE, Window, Windows

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# For every visible text: its colour against the first opaque background behind it.
CONTRASTS = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const node of document.querySelectorAll("body *")) {
    const words = [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
    if (!words || !node.checkVisibility({ visibilityProperty: true })) continue;
    const [one, other] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) low.push(`${node.className || node.tagName}: ${ratio.toFixed(2)}`);
  }
  return low;
}"""


# Elements that overflow their own box, their part of the header, or the window.
CUT_OFF = """all => all.filter((each) => {
  const [box, part] = [each, each.closest(".bar > *")].map((it) => it.getBoundingClientRect());
  const isCut = each.scrollWidth > each.clientWidth + 1 || box.left < 0
    || box.right > Math.min(innerWidth, part.right + 1);
  return box.width && isCut;
}).map((each) => each.outerHTML)"""


async def test_a_newcomer_sees_what_this_is_and_begins_at_a_press(
    windows: Windows, bot: ShowBot
) -> None:
    window = await windows.open(viewport=PHONE, has_touch=True, is_mobile=True)
    page = window.page
    await expect(page.get_by_role("heading", name="A show")).to_be_in_viewport(ratio=1)
    await expect(page.get_by_text("It has everything")).to_be_in_viewport(ratio=1)
    await expect(page.get_by_role("img", name="A picture of it")).to_be_in_viewport(ratio=1)
    assert await page.locator(".hero img").evaluate("image => image.naturalWidth") == 310
    await expect(page.locator("[data-group]")).to_have_text(
        [re.compile("Games"), re.compile("More")]
    )
    await expect(page.get_by_role("button", name="/play")).to_have_count(0)

    await page.get_by_role("button", name="Play it").tap()
    await expect(window.newest.get_by_role("img")).to_be_in_viewport(ratio=1)
    assert bot.plays[-1] == (4, "you")

    await page.get_by_role("button", name="Call Ben").tap()
    await expect(window.newest).to_contain_text("Your turn, @Ben!")
    hint = page.locator("[data-note=hint]")
    await expect(hint).to_be_in_viewport(ratio=1)
    link = hint.get_by_role("link", name="Open a second window as Ben")
    assert "user=" in (await link.get_attribute("href") or "")
    await hint.get_by_role("button", name="Be Ben").tap()
    await expect(page.get_by_role("button", name="You are: Ben")).to_be_visible()
    await expect(hint).to_have_count(0)
    await expect(page.get_by_role("button", name="Call Ann")).to_have_count(1)


async def test_the_buttons_wait_for_the_bot_and_a_page_without_them_lists_commands(
    browser: Browser,
) -> None:
    async with running_sandbox(intro=INTRO) as sandbox:
        page = await browser.new_page()
        await page.goto(sandbox.address)
        play = page.get_by_role("button", name="Play it")
        await expect(play).to_be_disabled()
        async with online(sandbox):
            await expect(play).to_be_enabled()

        sandbox.intro = None
        await page.reload()
        await expect(page.get_by_role("heading", name="#general", level=2)).to_be_visible()
        await expect(page.get_by_role("button", name="/play")).to_be_visible()
        await expect(page.locator(".hero")).to_have_count(0)
        missing = await page.request.get(f"{sandbox.address}/sandbox/intro.png")
        assert missing.status == 404
        await page.close()


async def show_everything(window: Window) -> None:
    """Put a board, menus, a whisper and a person's text into the channel."""
    await window.run("play")
    await expect(window.newest.locator("img[data-state=ready]")).to_be_visible()
    await window.button("cell:0:4").click()
    await expect(window.newest).to_contain_text("1 moves were played.")
    await window.run("menus")
    await expect(window.newest).to_contain_text("Menus")
    await window.run("whisper")
    await expect(window.newest).to_contain_text("A secret.")
    await window.type("a `code` and [link](https://example.org) by @everyone")
    await window.press("Enter")
    await expect(window.newest).to_contain_text("by @everyone")


@pytest.mark.long
async def test_one_switches_to_another_user_and_back(windows: Windows) -> None:
    window = await windows.open()
    page = window.page
    await window.run("whisper")
    await expect(window.whispers).to_have_count(1)

    await page.get_by_role("button", name="You are: Ann").click()
    await page.locator("[data-user-name=Ben]").click()
    await window.is_ready()
    await expect(page.get_by_role("button", name="You are: Ben")).to_be_visible()
    await expect(window.whispers).to_have_count(0)
    await window.type("Ben was here")
    await window.press("Enter")
    await expect(window.newest.locator(".author")).to_have_text("Ben")

    await page.reload()
    await window.is_ready()
    await expect(page.get_by_role("button", name="You are: Ben")).to_be_visible()
    await expect(window.newest).to_contain_text("Ben was here")


@pytest.mark.long
async def test_the_menu_of_users_works_with_the_keyboard(windows: Windows) -> None:
    window = await windows.open()

    await window.page.locator("[data-user-switch]").focus()
    await window.press("Enter")
    assert await window.focused("data-user-name") == "Ann"
    await window.press("ArrowDown")
    await window.press("ArrowDown")
    await window.press("Enter")

    await expect(window.page.get_by_role("button", name="You are: Cleo")).to_be_visible()


@pytest.mark.long
async def test_a_second_window_can_be_somebody_else(windows: Windows) -> None:
    window = await windows.open()

    await window.page.locator("[data-user-switch]").click()
    async with window.page.context.expect_page() as opened:
        await window.page.get_by_role("link", name="Open a second window as Ben").click()
    other = Window(await opened.value)
    await other.is_ready()
    await other.type("From Ben")
    await other.press("Enter")

    await expect(window.newest).to_contain_text("From Ben")
    await expect(window.page.get_by_role("button", name="You are: Ann")).to_be_visible()


async def test_channels_are_changed_and_unread_ones_marked(
    windows: Windows, sandbox: Sandbox
) -> None:
    window = await windows.open()
    games = sandbox.world.channel_called("games")
    link = window.page.locator(f"[data-channel-id='{games.id}']")

    await sandbox.people.say(sandbox.world.person("ben").id, games.id, "Who plays?")
    await expect(link).to_have_class(re.compile("is-unread"))
    await link.click()

    await expect(window.page.get_by_role("heading", level=1)).to_contain_text("games")
    await expect(window.newest).to_contain_text("Who plays?")
    await expect(link).to_have_attribute("aria-current", "page")
    await expect(link).not_to_have_class(re.compile("is-unread"))


@pytest.mark.long
async def test_a_thread_is_listed_under_its_channel_and_can_be_opened(
    windows: Windows, sandbox: Sandbox
) -> None:
    window = await windows.open()
    ann = sandbox.world.person("ann")

    sandbox.channels.open_thread(
        windows.channel, {"name": "Round one", "type": 11}, owner_id=ann.id
    )
    row = window.page.get_by_role("listitem").filter(has_text="Round one")
    above = row.locator("xpath=preceding-sibling::li[1]")
    await expect(above).to_contain_text(windows.channel.name)
    await row.get_by_role("link").click()
    await window.run("play")

    await expect(window.newest.get_by_role("img")).to_be_visible()
    await expect(window.page.get_by_role("heading", level=1)).to_contain_text("Round one")


async def test_the_bot_is_written_to_alone(windows: Windows, sandbox: Sandbox) -> None:
    window = await windows.open()

    await window.page.locator("[data-direct]").click()
    await window.run("play")

    await expect(window.newest.get_by_role("img")).to_be_visible()
    ann, bot_id = sandbox.world.person("ann"), sandbox.world.bot_id
    direct = sandbox.channels.direct(ann.id, bot_id)
    assert len(sandbox.people.visible_messages(ann.id, direct.id)) == 1


async def test_the_window_says_whether_the_bot_is_there(
    windows: Windows, sandbox: Sandbox, bot: ShowBot
) -> None:
    window = await windows.open()
    await expect(window.page.locator("#bot-status")).to_contain_text("Bot online")
    await expect(window.page.locator("[data-banner=bot]")).to_have_count(0)

    sandbox.world.set_bot_online(False)
    await expect(window.page.locator("#bot-status")).to_contain_text("Bot offline")
    await expect(window.page.locator("[data-banner=bot]")).to_contain_text("is offline")
    sandbox.world.set_bot_online(True)

    await expect(window.page.locator("[data-banner=bot]")).to_have_count(0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("width", [360, 390, 430])
async def test_a_phone_shows_everything_without_scrolling_sideways(
    windows: Windows, width: int
) -> None:
    size = {"width": width, "height": 740}
    window = await windows.open(viewport=size, has_touch=True, is_mobile=True)
    await show_everything(window)

    widths = await window.page.evaluate(
        "[document.documentElement.scrollWidth, innerWidth, scroller.scrollWidth,"
        " scroller.clientWidth]"
    )
    assert widths == [width] * 4
    cut = await window.page.locator(".bar :is(button, .sandbox-tag, .who b)").evaluate_all(CUT_OFF)
    assert cut == []
    title = await window.page.locator("#channel-name").bounding_box()
    assert title is not None
    assert title["width"] >= 110
    heights = await window.page.locator("[data-component]").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect().height)"
    )
    assert [height for height in heights if height < 40] == []
    image = await window.page.get_by_role("img", name="Board after 1 moves").bounding_box()
    composer = await window.composer.bounding_box()
    assert image is not None
    assert composer is not None
    assert image["width"] >= min(310, width - 60)
    assert composer["y"] + composer["height"] <= 740
    board = window.page.locator(".board button")
    sizes = await board.evaluate_all(
        "all => [...new Set(all.map((each) => Math.round(each.getBoundingClientRect().width)))]"
    )
    assert await board.count() == 9
    assert len(sizes) == 1


@pytest.mark.long
async def test_channels_are_in_a_drawer_on_a_phone(windows: Windows) -> None:
    window = await windows.open(viewport=PHONE)
    page = window.page
    await expect(page.locator("#channel-list")).to_be_hidden()
    await expect(page.get_by_text("local sandbox")).to_be_visible()

    await page.get_by_role("button", name="Channels").click()
    await expect(page.get_by_text("Runs on this machine only")).to_be_visible()
    await window.press("Escape")
    await expect(page.locator("#channel-list")).to_be_hidden()
    await page.get_by_role("button", name="Channels").click()
    await page.get_by_role("link", name="games").click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text("games")
    await expect(page.locator("#channel-list")).to_be_hidden()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_text_is_readable(windows: Windows, scheme: str) -> None:
    """4.5:1 is what WCAG asks of normal text (level AA)."""
    window = await windows.open(color_scheme=scheme, reduced_motion="reduce")
    await show_everything(window)
    assert await window.page.evaluate(CONTRASTS) == []

    await window.page.set_viewport_size({"width": 1920, "height": 1080})
    await expect(window.page.get_by_role("region", name="People")).to_be_visible()
    await window.type("/")
    await expect(window.commands.first).to_be_visible()
    assert await window.page.evaluate(CONTRASTS) == []
    await window.composer.fill("/buy ")
    await window.press("Escape")
    await window.press("Enter")
    assert await window.page.evaluate(CONTRASTS) == []


async def test_every_control_has_a_name(windows: Windows) -> None:
    window = await windows.open()
    await show_everything(window)

    snapshot = await window.page.locator("body").aria_snapshot()

    unnamed = re.findall(r"- (?:button|link|combobox|textbox|img)(?: \[.*\])?:?$", snapshot, re.M)
    assert unnamed == []


async def test_the_check_of_contrast_finds_what_is_hard_to_read(windows: Windows) -> None:
    window = await windows.open()
    await window.page.evaluate("document.documentElement.style.setProperty('--muted', '#aaa')")

    assert await window.page.evaluate(CONTRASTS) != []


@pytest.mark.long
async def test_somebody_is_shown_writing(windows: Windows, sandbox: Sandbox) -> None:
    window = await windows.open()

    sandbox.channels.type_in(windows.channel, sandbox.world.bot_id)

    await expect(window.page.get_by_text("Game Bot is typing…")).to_be_visible()


async def test_what_is_said_while_a_channel_loads_is_shown(
    windows: Windows, sandbox: Sandbox
) -> None:
    window = await windows.open()
    games, ben = sandbox.world.channel_called("games"), sandbox.world.person("ben")

    async def slow(route: Route) -> None:
        response = await route.fetch()
        await sandbox.people.say(ben.id, games.id, "In between")
        await expect(window.page.locator("[data-direct]")).to_be_visible()
        await route.fulfill(response=response)

    await window.page.route("**/sandbox/channel?*", slow)
    await window.page.locator(f"[data-channel-id='{games.id}']").click()

    await expect(window.newest).to_contain_text("In between")


@pytest.mark.long
async def test_the_newest_message_is_followed_only_from_the_end(
    windows: Windows, sandbox: Sandbox
) -> None:
    window = await windows.open()
    ben, channel = sandbox.world.person("ben"), windows.channel
    for number in range(40):
        await sandbox.people.say(ben.id, channel.id, f"Line {number}")
    await expect(window.newest).to_contain_text("Line 39")
    await expect(window.newest).to_be_in_viewport()

    await window.page.locator("#scroller").hover()
    await window.page.mouse.wheel(0, -600)
    await expect(window.newest).not_to_be_in_viewport()
    await sandbox.people.say(ben.id, channel.id, "One more")
    jump = window.page.get_by_role("button", name="New messages below")
    await expect(jump).to_be_visible()
    await expect(window.newest).not_to_be_in_viewport()
    await jump.click()

    await expect(window.newest).to_be_in_viewport()
    await expect(jump).to_be_hidden()


async def test_nothing_is_missed_when_the_sandbox_comes_back(browser: Browser) -> None:
    """A window outlives the sandbox: the same world is served again after a stop."""
    world = World.default()
    channel, ben = world.channel_called("games"), world.person("ben")
    async with running_sandbox(world=world) as sandbox:
        port = int(sandbox.address.rsplit(":", 1)[1])
        windows = Windows(browser, sandbox, channel)
        window = await windows.open()
        await sandbox.people.say(ben.id, channel.id, "Before")
        await expect(window.newest).to_contain_text("Before")
    await expect(window.page.locator("[data-banner=connection]")).to_be_visible()
    await sandbox.people.say(ben.id, channel.id, "Meanwhile")

    async with running_sandbox(port, world=world):
        await expect(window.newest).to_contain_text("Meanwhile")
        await expect(window.page.locator("[data-banner=connection]")).to_have_count(0)
        await sandbox.people.say(ben.id, channel.id, "Afterwards")
        await expect(window.newest).to_contain_text("Afterwards")
        await expect(window.messages).to_have_count(3)
        await windows.close()
    assert windows.errors == []
