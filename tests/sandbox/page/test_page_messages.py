"""Messages: what they show, and what happens when their components are used."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from playwright.async_api import expect

from deploy.sandbox.model import Upload
from deploy.sandbox.server import Sandbox
from tests.sandbox.page.bot import ShowBot
from tests.sandbox.page.window import DESKTOP, PHONE, Window, Windows

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def start_game(windows: Windows, user: str = "ann") -> Window:
    window = await windows.open(user)
    await window.run("play")
    await expect(window.newest.locator("img[data-state=ready]")).to_be_visible()
    return window


async def test_a_click_updates_board_text_and_picture_in_place(windows: Windows) -> None:
    window = await start_game(windows)
    image = window.newest.get_by_role("img")
    first_source = await image.get_attribute("src")

    await window.button("cell:0:4").click()

    await expect(image).to_have_attribute("alt", "Board after 1 moves")
    await expect(image).to_have_attribute("data-state", "ready")
    assert await image.get_attribute("src") != first_source
    await expect(window.newest).to_contain_text("1 moves were played.")
    await expect(window.messages).to_have_count(1)
    await expect(window.button("cell:1:4")).to_have_attribute("aria-disabled", "true")


async def test_the_picture_keeps_its_place_while_it_is_exchanged(windows: Windows) -> None:
    window = await start_game(windows)
    image = window.newest.get_by_role("img")
    before = await image.bounding_box()
    # It must stay the same element, or the old picture would vanish before the new one is there.
    await image.evaluate("node => { node.kept = true; }")

    await window.button("cell:0:0").click()
    await expect(window.newest).to_contain_text("1 moves were played.")

    assert await image.bounding_box() == before
    assert await image.evaluate("node => node.kept") is True


@pytest.mark.long
async def test_a_whole_row_is_played_with_the_keyboard(windows: Windows) -> None:
    """The focus stays on the place that was played, and arrows lead on from it."""
    window = await start_game(windows)

    await window.button("cell:0:0").focus()
    await window.press("Enter")
    await expect(window.newest).to_contain_text("1 moves were played.")
    assert await window.focused("data-custom-id") == "cell:1:0"
    await window.press("ArrowRight")
    await window.press("Enter")
    await expect(window.newest).to_contain_text("2 moves were played.")
    await window.press("ArrowDown")
    assert await window.focused("data-custom-id") == "cell:2:4"
    await window.press(" ")

    await expect(window.newest).to_contain_text("3 moves were played.")


@pytest.mark.long
async def test_the_button_under_the_finger_does_not_move(windows: Windows) -> None:
    window = await start_game(windows)
    await window.button("cell:0:8").click()
    await expect(window.button("cell:1:8")).to_be_visible()
    before = await window.button("cell:1:7").bounding_box()

    await window.button("cell:1:7").click()
    await expect(window.button("cell:2:7")).to_be_visible()

    assert await window.button("cell:2:7").bounding_box() == before


async def test_a_board_stays_in_view_when_an_offer_becomes_one_and_after_moves(
    windows: Windows,
) -> None:
    """On a phone it's higher than the window: the picture and its buttons are what matters."""
    ann = await windows.open(viewport=PHONE, has_touch=True, is_mobile=True)
    ben = await windows.open("ben", viewport=PHONE, has_touch=True, is_mobile=True)

    async def is_in_view(window: Window, moves: int) -> None:
        await expect(window.newest).to_contain_text(f"{moves} moves were played.")
        await expect(window.newest.locator("img[data-state=ready]")).to_be_in_viewport(ratio=1)
        for cell in range(9):
            await expect(window.button(f"cell:{moves}:{cell}")).to_be_in_viewport(ratio=1)

    await ann.run("offer")
    await ben.button("accept").tap()
    for each in (ann, ben):
        await is_in_view(each, 0)
    before = await ben.button("cell:0:5").bounding_box()
    await ben.button("cell:0:4").tap()
    for each in (ann, ben):
        await is_in_view(each, 1)
    assert await ben.button("cell:1:5").bounding_box() == before


async def test_nothing_moves_between_pressing_a_button_and_letting_it_go(
    windows: Windows, sandbox: Sandbox, bot: ShowBot
) -> None:
    window, ben = await start_game(windows), await windows.open("ben")
    ben_id = sandbox.world.person("ben").id
    box = await window.button("cell:0:4").bounding_box()
    assert box is not None
    centre = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await window.page.mouse.move(*centre)
    await window.page.mouse.down()
    try:
        # Meanwhile the message is edited, another one comes, and a banner.
        (shown,) = sandbox.people.visible_messages(ben_id, windows.channel.id)
        sandbox.people.toggle_reaction(ben_id, int(shown["id"]), "👍")
        await ben.type("Look at that")
        await ben.press("Enter")
        sandbox.world.set_bot_online(False)
        await expect(ben.newest).to_contain_text("Look at that")
        await expect(ben.page.locator("[data-banner=bot]")).to_be_visible()
        assert await window.messages.count() == 1
        assert await window.button("cell:0:4").bounding_box() == box
    finally:
        sandbox.world.set_bot_online(True)
    await window.page.mouse.up()

    board = window.messages.first
    await expect(board).to_contain_text("1 moves were played.")
    await expect(board.locator("[data-reaction]")).to_have_text("👍1")
    await expect(window.newest).to_contain_text("Look at that")


@pytest.mark.long
async def test_a_disabled_button_does_nothing(windows: Windows) -> None:
    window = await start_game(windows)
    await window.button("cell:0:4").click()
    await expect(window.newest).to_contain_text("1 moves were played.")
    revision = await window.newest.get_attribute("data-revision")

    await window.button("cell:1:4").click(force=True)
    await window.button("cell:1:5").click()

    await expect(window.newest).to_contain_text("2 moves were played.")
    assert await window.newest.get_attribute("data-revision") == str(int(revision or 0) + 1)


async def test_a_move_appears_in_another_persons_window(windows: Windows) -> None:
    ann = await start_game(windows)
    ben = await windows.open("ben")
    await expect(ben.newest.locator("img[data-state=ready]")).to_be_visible()

    await ann.button("cell:0:2").click()
    await expect(ben.newest.get_by_role("img")).to_have_attribute("alt", "Board after 1 moves")
    await ben.button("cell:1:3").click()

    await expect(ann.newest.get_by_role("img")).to_have_attribute("alt", "Board after 2 moves")
    await expect(ann.page.locator("#announcer")).to_contain_text("2 moves were played.")


async def test_a_whisper_is_seen_by_one_person_who_can_dismiss_it(windows: Windows) -> None:
    ann = await start_game(windows)
    ben = await windows.open("ben")

    await ben.button("whisper").click()

    await expect(ben.whispers).to_contain_text("It is not your turn.")
    await expect(ben.whispers).to_contain_text("Only you can see this")
    await ben.run("game stop")
    await expect(ann.newest).to_contain_text("Stopped.")
    await expect(ann.whispers).to_have_count(0)
    await ben.page.get_by_role("button", name="Dismiss message").click()
    await expect(ben.whispers).to_have_count(0)
    await ben.page.reload()
    await ben.is_ready()
    await expect(ben.messages).to_have_count(2)


async def test_a_button_without_an_answer_fails_in_words(
    windows: Windows, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = await start_game(windows)
    monkeypatch.setattr(sandbox.world.limits, "answer_seconds", 0.5)

    await window.button("silent").click()
    await expect(window.button("silent")).to_have_attribute("aria-busy", "true")
    await expect(window.newest.get_by_role("alert")).to_have_text("This interaction failed")
    await expect(window.button("silent")).not_to_have_attribute("aria-busy", "true")
    monkeypatch.undo()

    await window.button("cell:0:0").click()
    await expect(window.newest).to_contain_text("1 moves were played.")
    await expect(window.newest.get_by_text("This interaction failed")).to_be_hidden()


@pytest.mark.long
async def test_a_command_without_an_answer_fails_in_words(
    windows: Windows, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = await windows.open()
    monkeypatch.setattr(sandbox.world.limits, "answer_seconds", 0.5)

    await window.run("silence")

    note = window.page.locator("[data-note=failed]")
    await expect(note).to_contain_text("The application did not respond")
    await note.get_by_role("button", name="Dismiss").click()
    await expect(note).to_have_count(0)


async def test_a_deferred_answer_is_shown_as_thinking(windows: Windows, bot: ShowBot) -> None:
    window = await windows.open()
    bot.may_finish.clear()

    await window.run("think")
    await expect(window.newest.locator("[data-thinking]")).to_contain_text("is thinking…")
    bot.may_finish.set()

    await expect(window.newest).to_contain_text("Thought.")
    await expect(window.messages).to_have_count(1)


async def test_one_option_of_a_select_is_chosen_with_the_keyboard(windows: Windows) -> None:
    window = await windows.open()
    await window.run("menus")

    await window.select("one").focus()
    await window.press("Enter")
    await window.press("ArrowDown")
    await window.press("ArrowDown")
    await window.press("Enter")

    await expect(window.newest).to_contain_text("Chosen: banana")


@pytest.mark.long
async def test_several_options_of_a_select_are_chosen_with_the_mouse(windows: Windows) -> None:
    window = await windows.open()
    await window.run("menus")

    await window.select("many").click()
    box = window.page.get_by_role("listbox", name="Some fruit")
    for name in ("Apple", "Cherry", "Banana"):
        await box.get_by_role("option", name=name).click()
    # Three are allowed: a fourth is not taken.
    await box.get_by_role("option", name="Apricot").click()
    await box.get_by_role("button", name="Done").click()

    await expect(window.newest).to_contain_text("Chosen: apple, cherry, banana")


@pytest.mark.long
async def test_a_person_is_chosen_from_a_select(windows: Windows) -> None:
    window = await windows.open()
    await window.run("menus")

    await window.select("person").click()
    await window.page.get_by_role("listbox", name="A person").get_by_text("Cleo").click()

    await expect(window.newest).to_contain_text("Chosen: Cleo")


async def test_nothing_that_is_written_becomes_markup(windows: Windows) -> None:
    window = await windows.open()

    await window.run("evil")
    await expect(window.newest).to_contain_text("<img src=x onerror=")
    await window.type("<b>bold?</b> [x](javascript:window.hacked=1) <svg onload=window.hacked=1>")
    await window.press("Enter")

    await expect(window.newest).to_contain_text("<b>bold?</b> [x](javascript:window.hacked=1)")
    assert await window.page.evaluate("window.hacked") is None
    assert await window.messages.locator("img, script, b:not(.used b), svg[onload]").count() == 0
    links = await window.messages.locator("a").evaluate_all("all => all.map(each => each.href)")
    assert [link for link in links if not link.startswith("https://")] == []


async def test_markdown_is_shown_as_it_is_meant(windows: Windows, sandbox: Sandbox) -> None:
    window = await windows.open()
    ann = sandbox.world.person("ann")

    await sandbox.people.say(
        ann.id,
        windows.channel.id,
        "# Head\n**bold *both*** and `code` __under__ ~~gone~~ snake_case_name\n"
        "- one\n  - two\n1. first\n-# small\n> quote\n```py\nx < 1\n```\n"
        f"<@{ann.id}> <#{windows.channel.id}> <t:0:R> [link](https://example.org/a) 2 * 3 * 4",
    )

    text = window.newest.locator(".text")
    await expect(text.locator("h3")).to_have_text("Head")
    await expect(text.locator("strong")).to_have_text("bold both")
    await expect(text.locator("strong em")).to_have_text("both")
    await expect(text.locator("p code")).to_have_text("code")
    await expect(text.locator("u")).to_have_text("under")
    await expect(text.locator("s")).to_have_text("gone")
    await expect(text.locator("ul > li ul > li")).to_have_text("two")
    await expect(text.locator("ol > li")).to_have_text("first")
    await expect(text.locator(".md-small")).to_have_text("small")
    await expect(text.locator("blockquote")).to_have_text("quote")
    await expect(text.locator("pre")).to_have_text("x < 1")
    await expect(text.locator(".mention")).to_have_text(["@Ann", f"#{windows.channel.name}"])
    await expect(text.locator("time")).to_contain_text("years ago")
    await expect(text.locator("a")).to_have_attribute("href", "https://example.org/a")
    await expect(text).to_contain_text("snake_case_name")
    await expect(text).to_contain_text("2 * 3 * 4")


def pictures(sandbox: Sandbox, windows: Windows, sizes: list[tuple[int, int]]) -> None:
    """Let the bot post a gallery of pictures of these sizes, in a container."""
    uploads = []
    for number, size in enumerate(sizes):
        data = io.BytesIO()
        Image.new("RGB", size, (40, 90, 120)).save(data, "PNG")
        name = f"{number}.png"
        uploads.append(Upload(field=name, filename=name, data=data.getvalue()))
    items = [{"media": {"url": f"attachment://{each.filename}"}} for each in uploads]
    container = {"type": 17, "accent_color": 255, "components": [{"type": 12, "items": items}]}
    body = {"flags": 1 << 15, "components": [container]}
    form, author_id = sandbox.messages.form(body, uploads), sandbox.world.bot_id
    sandbox.messages.post(channel=windows.channel, author_id=author_id, form=form)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((712, 827), (301, 350)),
        ((1171, 759), (540, 350)),
        ((1100, 700), (550, 350)),
        ((1400, 500), (550, 196)),
        ((200, 100), (200, 100)),
    ],
)
async def test_a_picture_is_as_large_as_a_desktop_client_shows_it(
    windows: Windows, sandbox: Sandbox, size: tuple[int, int], shown: tuple[int, int]
) -> None:
    """In a box of about 550 x 350: a tall picture is hard to read until opened."""
    window = await windows.open()
    pictures(sandbox, windows, [size])
    image = window.newest.locator("img[data-state=ready]")
    await expect(image).to_be_visible()

    box = await image.bounding_box()

    assert box is not None
    assert (round(box["width"]), round(box["height"])) == shown


@pytest.mark.long
async def test_several_pictures_are_square_tiles(windows: Windows, sandbox: Sandbox) -> None:
    window = await windows.open()
    pictures(sandbox, windows, [(712, 827), (400, 100)])
    images = window.newest.locator("img[data-state=ready]")
    await expect(images).to_have_count(2)

    boxes = [await images.nth(number).bounding_box() for number in range(2)]

    assert all(box and round(box["width"]) == round(box["height"]) for box in boxes)


async def test_a_picture_is_enlarged_and_closed_with_the_keyboard(windows: Windows) -> None:
    window = await start_game(windows)

    await window.page.get_by_role("button", name="Enlarge the picture").focus()
    await window.press("Enter")
    large = window.page.get_by_role("dialog").get_by_role("img", name="Board after 0 moves")
    await expect(large).to_be_visible()
    box = await large.bounding_box()
    assert box is not None
    assert box["height"] > 0.9 * DESKTOP["height"]
    await window.press("Escape")

    await expect(window.page.get_by_role("dialog")).to_have_count(0)
