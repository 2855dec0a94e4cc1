"""Whose wishes decide how something is shown."""

from __future__ import annotations

import pytest

from bot.model.preferences import PlayerPreferences, ServerSettings
from bot.render import DARK, HIGH_CONTRAST, LIGHT, MARK_PAIRS
from cogs.audience import Presentation, Surroundings, presentation_for_one, presentation_for_several

NOWHERE = Surroundings(server=ServerSettings())


def around(spoken: str | None = None, /, **settings: str) -> Surroundings:
    return Surroundings(server=ServerSettings(**settings), language=spoken)  # type: ignore[arg-type]


def wish(**wishes: object) -> PlayerPreferences:
    return PlayerPreferences(**wishes)  # type: ignore[arg-type]


def test_who_has_asked_for_nothing_gets_dark_and_english():
    assert presentation_for_one(wish(), NOWHERE) == Presentation(
        theme=DARK, language="en", text_board=False
    )
    assert presentation_for_several([wish(), wish()], NOWHERE) == Presentation()


@pytest.mark.parametrize(
    ("wanted", "place", "language"),
    [
        (wish(language="ru", heard="de"), around("en", language="de"), "ru"),
        (wish(heard="de"), around("en", language="ru"), "de"),
        (wish(), around("en", language="ru"), "ru"),
        (wish(), around("ru"), "ru"),
    ],
)
def test_ones_own_language_comes_before_the_servers(
    wanted: PlayerPreferences, place: Surroundings, language: str
):
    assert presentation_for_one(wanted, place).language == language


@pytest.mark.parametrize(
    ("wanted", "place", "language"),
    [
        ([wish(language="ru"), wish(language="ru")], around("en", language="de"), "de"),
        ([wish(language="ru"), wish(heard="ru")], around("en"), "ru"),
        ([wish(language="ru"), wish(heard="de")], around("de"), "de"),
        ([wish(language="ru"), wish()], NOWHERE, "en"),
        ([], NOWHERE, "en"),
    ],
)
def test_together_the_servers_language_comes_first_then_what_all_have_in_common(
    wanted: list[PlayerPreferences], place: Surroundings, language: str
):
    assert presentation_for_several(wanted, place).language == language


def test_colours_follow_the_same_order():
    light, contrast = wish(theme="light"), wish(theme="high-contrast")

    assert presentation_for_one(light, around(theme="high-contrast")).theme == LIGHT
    assert presentation_for_one(wish(), around(theme="high-contrast")).theme == HIGH_CONTRAST
    assert (
        presentation_for_several([light, light], around(theme="high-contrast")).theme
        == HIGH_CONTRAST
    )
    assert presentation_for_several([light, light], NOWHERE).theme == LIGHT
    assert presentation_for_several([light, contrast], NOWHERE).theme == DARK


def test_marks_are_those_of_all_or_of_the_theme():
    plus, filled = wish(marks="plus"), wish(marks="filled")

    assert presentation_for_one(plus, NOWHERE).theme.shapes == MARK_PAIRS["plus"]
    assert presentation_for_several([plus, plus], NOWHERE).theme.shapes == MARK_PAIRS["plus"]
    assert presentation_for_several([plus, filled], NOWHERE).theme.shapes == DARK.shapes


def test_one_who_needs_the_board_as_text_is_enough():
    assert presentation_for_several([wish(), wish(text_board=True)], NOWHERE).text_board
