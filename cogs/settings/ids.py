"""The custom ids of the settings' menus. Add words, never change one."""

from __future__ import annotations

from enum import StrEnum


class Wish(StrEnum):
    """What a player may set; the name of a field of `PlayerPreferences`."""

    THEME = "theme"
    MARKS = "marks"
    LANGUAGE = "language"
    NOTICES = "notices"
    TEXT_BOARD = "text_board"


class Rule(StrEnum):
    """What is set for a server by choosing from a list; a field of `ServerSettings`."""

    VARIANT = "variant_key"
    CLOCK = "clock"
    THREADS = "threads"
    LANGUAGE = "language"
    THEME = "theme"


WISH = rf"wish:(?P<wish>{'|'.join(Wish)})"
RULE = rf"rule:(?P<rule>{'|'.join(Rule)})"
CHANNELS = "rule:channels"


def wish_id(wish: Wish) -> str:
    """Choose something for oneself; what is chosen are the menu's values."""
    return f"wish:{wish.value}"


def rule_id(rule: Rule) -> str:
    """Choose something for the server in which the menu is used."""
    return f"rule:{rule.value}"
