"""The settings, their choices, and what is chosen now."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.language import LANGUAGES, N_, _, told
from bot.model.clocks import ClockRules
from bot.model.errors import InvalidPreferenceError
from bot.model.preferences import (
    DAILY_HOUR_KEY,
    DAILY_KEY,
    FEED_KEY,
    HOURS,
    NAMED_KEY,
    Notices,
    ServerSettings,
)
from bot.model.puzzles import DAILY_HOUR
from bot.render import MARK_PAIRS, THEMES
from cogs.options import CLOCKS, DEFAULT_VARIANT
from engine import VARIANTS, load_variant


class Wish(StrEnum):
    """A player's setting; the name of a field of `PlayerPreferences`."""

    THEME = "theme"
    MARKS = "marks"
    LANGUAGE = "language"
    NOTICES = "notices"
    TEXT_BOARD = "text_board"
    NAMED_GAMES = NAMED_KEY


class Rule(StrEnum):
    """A server's setting that is chosen from a list; a field of `ServerSettings`."""

    DAILY_HOUR = DAILY_HOUR_KEY
    VARIANT = "variant_key"
    CLOCK = "clock"
    THREADS = "threads"
    LANGUAGE = "language"
    THEME = "theme"


class Pick(StrEnum):
    """A server's setting that takes channels or a role; a field of `ServerSettings`."""

    CHANNELS = "channels"
    LOBBY_ROLE = "lobby_role"
    FEED_CHANNEL = FEED_KEY
    DAILY_CHANNEL = DAILY_KEY
    DAILY_ROLE = "daily_role"


ROLES: Final = (Pick.LOBBY_ROLE, Pick.DAILY_ROLE)


# Custom ids of the menus: add words, never change one.
WISH = rf"wish:(?P<wish>{'|'.join(Wish)})"
RULE = rf"rule:(?P<rule>{'|'.join(Rule)})"
PICK = rf"rule:(?P<pick>{'|'.join(Pick)})"

AUTO: Final = "auto"
"""The value for no choice of one's own."""

TYPED: Final = "typed"
"""The value for custom rules, whose key may be too long for a menu."""

ON, OFF = "on", "off"

THEME_NAMES: Final = {
    "dark": N_("Dark"),
    "light": N_("Light"),
    "high-contrast": N_("High contrast"),
    "colour-blind": N_("Colour-blind friendly"),
}
MARK_NAMES: Final = {
    "classic": N_("Cross and ring"),
    "plus": N_("Plus and diamond"),
    "filled": N_("Filled square and thin ring"),
    "bold": N_("Cross and filled disc"),
}
NOTICE_NAMES: Final = {
    Notices.AUTO: N_("Mention me if I don't move for a while"),
    Notices.CHANNEL: N_("Mention me"),
    Notices.DM: N_("Send me a direct message"),
    Notices.NONE: N_("Don't notify me"),
}
NOTICE_DETAILS: Final = {
    Notices.AUTO: N_("After half a minute in games with a clock, after a day in others"),
    Notices.CHANNEL: N_("At every turn, where the board is"),
    Notices.DM: N_("At every turn"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a menu.

    Attributes:
        value: What Discord sends if it is chosen.
        label: What people read.
        setting: What is stored then.
        description: What people read below, if anything.
    """

    value: str
    label: str
    setting: object
    description: str | None = None


def wish_choices(wish: Wish) -> list[Choice]:
    """Return what a player can choose from."""
    match wish:
        case Wish.THEME:
            return _among(_("As set for the server, else dark"), THEME_NAMES)
        case Wish.MARKS:
            return _among(_("Theme default"), MARK_NAMES)
        case Wish.LANGUAGE:
            return _among(_("As in my Discord"), LANGUAGES)
        case Wish.NOTICES:
            details = {key: _(detail) for key, detail in NOTICE_DETAILS.items()}
            return [
                Choice(str(key), _(name), key, details.get(key))
                for key, name in NOTICE_NAMES.items()
            ]
        case Wish.TEXT_BOARD:
            detail = _("For screen readers and large letters")
            return [
                Choice(OFF, _("Pictures only"), False),
                Choice(ON, _("Also as text"), True, detail),
            ]
        case Wish.NAMED_GAMES:
            detail = _("Finished games in servers, if the host publishes them")
            return [
                Choice(OFF, _("Without my name"), False, detail),
                Choice(ON, _("With my name"), True, detail),
            ]


def rule_choices(rule: Rule, current: ServerSettings) -> list[Choice]:
    """Return what can be chosen for a server, including what is set now."""
    match rule:
        case Rule.DAILY_HOUR:
            return [Choice(each, f"{each:0>2}:00 UTC", int(each)) for each in HOURS]
        case Rule.VARIANT:
            offered = [(each.key, rules_setting(each.key), each) for each in VARIANTS.values()]
            if (key := current.variant_key) is not None and key not in VARIANTS:
                offered.append((TYPED, key, load_variant(key)))
            return [
                Choice(value, told(each.name), key, told(each.summary))
                for value, key, each in offered
            ]
        case Rule.CLOCK:
            clocks = [ClockRules.parse(each) for each in CLOCKS]
            if current.clock is not None and current.clock not in clocks:
                clocks.append(current.clock)
            return [Choice(each.key, told(each.words), clock_setting(each)) for each in clocks]
        case Rule.THREADS:
            return [
                Choice(OFF, _("In the channel"), False),
                Choice(ON, _("A thread for each game"), True),
            ]
        case Rule.LANGUAGE:
            return _among(_("As the players speak"), LANGUAGES)
        case Rule.THEME:
            return _among(_("What the players agree on, else dark"), THEME_NAMES)


def set_now(rule: Rule, settings: ServerSettings) -> object:
    """Return the `Choice.setting` that a server has."""
    match rule:
        case Rule.DAILY_HOUR if settings.daily_hour is None:
            return DAILY_HOUR
        case Rule.VARIANT:
            return rules_setting(settings.variant_key)
        case Rule.CLOCK:
            return clock_setting(settings.clock)
    return getattr(settings, rule.value)


def read_choice(what: Wish | Rule, value: str, choices: Collection[Choice]) -> object:
    """Return the setting that the value of a menu stands for.

    Raises:
        InvalidPreferenceError: If there is no such choice.
    """
    settings = {each.value: each.setting for each in choices}
    if value not in settings:
        raise InvalidPreferenceError(what.value, value, settings)
    return settings[value]


def rules_setting(key: str | None) -> str | None:
    """Return the key of a variant as servers store it: None for the usual one."""
    return None if key == DEFAULT_VARIANT else key


def clock_setting(clock: ClockRules | None) -> ClockRules | None:
    """Return a clock as servers store it: None for no clock."""
    return None if clock == ClockRules() else clock


def _among(undecided: str, names: Mapping[str, str]) -> list[Choice]:
    return [
        Choice(AUTO, undecided, None),
        *(Choice(key, _(name), key) for key, name in names.items()),
    ]


assert set(THEME_NAMES) == set(THEMES), "every theme has a name"
assert set(MARK_NAMES) == set(MARK_PAIRS), "every pair of marks has a name"
