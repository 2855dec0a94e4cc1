"""Slash commands: found, filled in and sent with the keyboard alone."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.sandbox.page.bot import ShowBot
from tests.sandbox.page.window import Windows

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_a_newcomer_types_play_and_enter_and_has_a_game(
    windows: Windows, bot: ShowBot
) -> None:
    window = await windows.open()

    await window.run("play")

    await expect(window.newest.get_by_role("img", name="Board after 0 moves")).to_be_visible()
    await expect(window.newest.locator(".used")).to_have_text("AAnn used /play")
    await expect(window.newest.locator(".tag")).to_have_text("APP")
    assert bot.plays[-1] == (3, "you")


@pytest.mark.long
async def test_the_list_is_filtered_and_walked_with_the_keyboard(windows: Windows) -> None:
    window = await windows.open()

    await window.type("/")
    await expect(window.commands).to_have_count(12)
    await window.type("wh")
    await expect(window.commands.first).to_have_attribute("data-command", "whisper")
    await window.composer.fill("/")
    await expect(window.commands.nth(0)).to_have_attribute("aria-selected", "true")
    await window.press("ArrowDown")
    await expect(window.commands.nth(1)).to_have_attribute("aria-selected", "true")
    active = await window.composer.get_attribute("aria-activedescendant")
    assert active == await window.commands.nth(1).get_attribute("id")
    await window.press("ArrowUp")
    await window.press("ArrowUp")
    await expect(window.commands.last).to_have_attribute("aria-selected", "true")

    await window.press("Escape")
    await expect(window.commands.first).to_be_hidden()


async def test_options_are_labelled_fields_and_reach_the_bot(
    windows: Windows, bot: ShowBot
) -> None:
    window = await windows.open()

    await window.type("/play")
    await window.press("Tab")
    assert await window.focused("data-option") == "level"
    await window.page.keyboard.type("7")
    await window.page.get_by_label("first").select_option("The computer")
    await window.press("Enter")

    await expect(window.newest.get_by_role("img")).to_be_visible()
    assert bot.plays[-1] == (7, "computer")
    assert await window.focused("id") == "composer-input"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("11", "level must be at most 10."),
        ("0", "level must be at least 1."),
        ("many", "level must be a whole number, not “many”."),
    ],
)
async def test_a_wrong_number_is_explained_and_not_sent(
    windows: Windows, bot: ShowBot, typed: str, complaint: str
) -> None:
    window = await windows.open()
    plays = len(bot.plays)

    await window.type("/play ")
    await window.page.keyboard.type(typed)
    await window.press("Enter")

    await expect(window.page.get_by_role("alert").filter(has_text="level")).to_have_text(complaint)
    await expect(window.option("level")).to_have_attribute("aria-invalid", "true")
    assert await window.focused("data-option") == "level"
    assert len(bot.plays) == plays


@pytest.mark.long
async def test_a_required_option_is_asked_for(windows: Windows) -> None:
    window = await windows.open()

    await window.run("buy")
    assert await window.focused("data-option") == "fruit"
    await window.press("Enter")
    await expect(window.page.get_by_text("fruit is required.")).to_be_visible()
    await window.option("fruit").fill("fi")
    await window.press("Enter")
    await expect(window.page.get_by_text("fruit must have at least 3 characters.")).to_be_visible()

    await window.press("Escape")
    await window.press("Escape")
    await expect(window.composer).to_be_focused()


async def test_the_bot_completes_what_is_typed(windows: Windows) -> None:
    window = await windows.open()

    await window.type("/buy ")
    await window.page.keyboard.type("ap")
    suggestions = window.page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    await expect(suggestions).to_have_text(["Apple", "Apricot"])
    await window.press("ArrowDown")
    await window.press("ArrowDown")
    await window.press("Enter")
    await expect(window.option("fruit")).to_have_value("Apricot")
    await window.page.get_by_label("who").select_option("Ben")
    await window.page.get_by_label("ripe").select_option("True")
    await window.press("Enter")

    await expect(window.newest).to_contain_text("Bought value-apricot for Ben, ripe: True")


@pytest.mark.long
async def test_suggestions_that_were_closed_stay_closed(windows: Windows) -> None:
    window = await windows.open()
    await window.type("/buy ")
    suggestions = window.page.get_by_role("listbox", name="Suggestions")
    await expect(suggestions).to_be_visible()

    await window.page.keyboard.type("ap")
    await window.press("Escape")
    await window.page.wait_for_timeout(500)  # longer than what was typed waits to be asked about

    await expect(suggestions).to_be_hidden()
    assert await window.focused("data-option") == "fruit"


@pytest.mark.long
async def test_a_whole_command_can_be_typed_with_its_options(
    windows: Windows, bot: ShowBot
) -> None:
    window = await windows.open()

    await window.composer.fill("/play level:9 first:The computer")
    await expect(window.option("level")).to_have_value("9")
    await window.press("Enter")

    await expect(window.newest.get_by_role("img")).to_be_visible()
    assert bot.plays[-1] == (9, "computer")


async def test_a_person_can_be_typed_and_one_that_is_not_there_is_not_dropped(
    windows: Windows,
) -> None:
    window = await windows.open()

    await window.composer.fill("/buy fruit:apple who:@Ben")
    await window.press("Enter")
    await expect(window.newest).to_contain_text("Bought apple for Ben")
    await window.composer.fill("/buy fruit:melon who:@Nobody")
    await window.press("Enter")

    await expect(
        window.page.get_by_text("There is no “@Nobody” to choose for who.")
    ).to_be_visible()
    await window.page.get_by_label("who").select_option("Ann")
    await window.press("Enter")
    await expect(window.newest).to_contain_text("Bought melon for Ann")


async def test_what_a_list_does_not_have_may_be_left_out(windows: Windows) -> None:
    window = await windows.open()

    await window.composer.fill("/buy fruit:melon who:@Nobody")
    await window.press("Enter")
    await expect(
        window.page.get_by_text("There is no “@Nobody” to choose for who.")
    ).to_be_visible()
    await window.press("Enter")
    await expect(window.newest).to_contain_text("Bought melon for nobody")


@pytest.mark.long
async def test_a_subcommand_is_a_command_of_its_own(windows: Windows) -> None:
    window = await windows.open()

    await window.run("game stop")

    await expect(window.newest).to_contain_text("Stopped.")
    await expect(window.newest.locator(".used-command")).to_contain_text("/game")


async def test_an_unknown_command_is_not_sent_as_a_text(windows: Windows) -> None:
    window = await windows.open()

    await window.run("nonsense")

    await expect(window.page.get_by_text("There is no command /nonsense.")).to_be_visible()
    await expect(window.messages).to_have_count(0)


async def test_a_command_that_was_only_described_is_shown_and_not_run(windows: Windows) -> None:
    window = await windows.open()

    await window.run("something")

    await expect(window.page.locator("[data-command-form]")).to_contain_text("Show something evil")
    await expect(window.messages).to_have_count(0)


@pytest.mark.long
async def test_a_command_in_the_welcome_opens_its_fields(windows: Windows) -> None:
    window = await windows.open()
    summary = window.page.locator("[data-group=Games] summary")
    before = await summary.bounding_box()

    await summary.click()
    await expect(window.page.get_by_role("button", name="/play")).to_be_visible()
    assert await summary.bounding_box() == before
    await window.page.get_by_role("button", name="/play").click()

    await expect(window.page.locator("[data-command-form=play]")).to_be_visible()
    await expect(window.option("level")).to_be_focused()


async def test_a_form_is_filled_in_and_its_limits_are_kept(windows: Windows) -> None:
    window = await windows.open()

    await window.run("form")
    dialog = window.page.get_by_role("dialog", name="A form")
    await expect(dialog.get_by_label("Name")).to_be_focused()
    await window.page.keyboard.type("A")
    await dialog.get_by_role("button", name="Submit").click()
    await expect(dialog.get_by_text("At least 2 characters, please.")).to_be_visible()
    await window.page.keyboard.type("nn")
    await dialog.get_by_label("Story").fill("Once")
    await dialog.get_by_label("Fruit").select_option("cherry")
    await dialog.get_by_role("button", name="Submit").click()

    await expect(dialog).to_be_hidden()
    await expect(window.newest).to_contain_text("Ann / Once / cherry")


@pytest.mark.long
async def test_a_form_can_be_left(windows: Windows) -> None:
    window = await windows.open()

    await window.run("form")
    await expect(window.page.get_by_role("dialog")).to_be_visible()
    await window.press("Escape")

    await expect(window.page.get_by_role("dialog")).to_have_count(0)
    await expect(window.messages).to_have_count(0)
