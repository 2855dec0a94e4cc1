"""Commands in texts become mentions, whatever language the text is in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.language import learn_commands as learn
from bot.language import mentioned

PLAY: dict[str, Any] = {"name": "play", "name_localizations": {"de": "spielen", "ru": "играть"}}
PLAY_AGAIN: dict[str, Any] = {"name": "play-again", "name_localizations": None}
VACATION: dict[str, Any] = {
    "name": "vacation",
    "name_localizations": {"de": "urlaub"},
    "options": [
        {"type": 1, "name": "start", "name_localizations": {"de": "beginnen", "ru": "начать"}},
        {"type": 1, "name": "end"},
    ],
}
COMMANDS = [PLAY, PLAY_AGAIN, VACATION]
IDS = {"play": 1, "play-again": 2, "vacation": 3}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """No commands are known before a test, and none of these afterwards."""
    learn([], {})
    yield
    learn([], {})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Use `/play`.", "Use </play:1>."),
        ("Nimm `/spielen`.", "Nimm </play:1>."),
        ("Команда `/играть` начнёт.", "Команда </play:1> начнёт."),
        ("start one with /play.", "start one with </play:1>."),
        ("/play-again, not /play", "</play-again:2>, not </play:1>"),
        ("`/urlaub beginnen` hält an", "</vacation start:3> hält an"),
        ("`/vacation начать`", "</vacation start:3>"),
        ("`/vacation end` ends it", "</vacation end:3> ends it"),
        ("`/vacation`", "`/vacation`"),  # nothing that could be used
        ("`/play variant:`", "</play:1> `variant:`"),
        ("https://example.org/play and </play:7>", "https://example.org/play and </play:7>"),
        ("and/play, /player, /unknown", "and/play, /player, /unknown"),
        ("```\n/ X /\n```", "```\n/ X /\n```"),
    ],
)
def test_a_command_that_is_named_becomes_a_mention(text: str, told: str):
    learn(COMMANDS, IDS)

    assert mentioned(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Nimm `/spielen`.", "Nimm `/play`."),
        ("`/urlaub beginnen`", "`/vacation start`"),
        ("/играть: `/играть x`", "/play: `/play x`"),
    ],
)
def test_without_an_id_it_is_called_by_its_english_name(text: str, told: str):
    learn(COMMANDS, {})

    assert mentioned(text) == told


def test_before_anything_is_known_a_text_stays_as_it_is():
    assert mentioned("`/spielen`") == "`/spielen`"
