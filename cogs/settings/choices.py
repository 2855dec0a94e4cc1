"""The settings, their choices, and what is chosen now."""

from __future__ import annotations

from collections.abc import Collection
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
    PlayerPreferences,
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
    """One entry of a menu; `value` is what is stored, or `AUTO`."""

    value: str
    label: str
    description: str | None = None


def wish_choices(wish: Wish) -> list[Choice]:
    """Return what a player can choose from."""
    match wish:
        case Wish.THEME:
            return [Choice(AUTO, _("As set for the server, else dark")), *_named(THEME_NAMES)]
        case Wish.MARKS:
            return [Choice(AUTO, _("Theme default")), *_named(MARK_NAMES)]
        case Wish.LANGUAGE:
            return [Choice(AUTO, _("As in my Discord")), *_languages()]
        case Wish.NOTICES:
            details = {key: _(detail) for key, detail in NOTICE_DETAILS.items()}
            return [
                Choice(str(key), _(name), details.get(key)) for key, name in NOTICE_NAMES.items()
            ]
        case Wish.TEXT_BOARD:
            return [
                Choice(OFF, _("Pictures only")),
                Choice(ON, _("Also as text"), _("For screen readers and large letters")),
            ]
        case Wish.NAMED_GAMES:
            detail = _("Finished games in servers, if the host publishes them")
            return [
                Choice(OFF, _("Without my name"), detail),
                Choice(ON, _("With my name"), detail),
            ]


def rule_choices(rule: Rule, current: ServerSettings) -> list[Choice]:
    """Return what can be chosen for a server, including what is set now."""
    match rule:
        case Rule.DAILY_HOUR:
            return [Choice(each, f"{each:0>2}:00 UTC") for each in HOURS]
        case Rule.VARIANT:
            named = [
                Choice(each.key, told(each.name), told(each.summary)) for each in VARIANTS.values()
            ]
            typed = [load_variant(key) for key in _unlisted(current.variant_key, VARIANTS)]
            return named + [Choice(TYPED, told(each.name), told(each.summary)) for each in typed]
        case Rule.CLOCK:
            set_now = None if current.clock is None else current.clock.key
            clocks = [ClockRules.parse(key) for key in (*CLOCKS, *_unlisted(set_now, CLOCKS))]
            return [Choice(each.key, told(each.words)) for each in clocks]
        case Rule.THREADS:
            return [
                Choice(OFF, _("In the channel")),
                Choice(ON, _("A thread for each game")),
            ]
        case Rule.LANGUAGE:
            return [Choice(AUTO, _("As the players speak")), *_languages()]
        case Rule.THEME:
            return [Choice(AUTO, _("What the players agree on, else dark")), *_named(THEME_NAMES)]


def wish_value(wish: Wish, wanted: PlayerPreferences) -> str:
    """Return the menu value of a player's choice."""
    return _value(getattr(wanted, wish.value))


def rule_value(rule: Rule, settings: ServerSettings) -> str:
    """Return the menu value of a server's setting."""
    chosen = getattr(settings, rule.value)
    if rule is Rule.VARIANT:
        return TYPED if chosen and chosen not in VARIANTS else chosen or DEFAULT_VARIANT
    if rule is Rule.CLOCK:
        return (chosen or ClockRules()).key
    if rule is Rule.DAILY_HOUR:
        return str(DAILY_HOUR if chosen is None else chosen)
    return _value(chosen)


def read_wish(wish: Wish, value: str) -> object:
    """Return what the value of a menu stands for.

    Raises:
        InvalidPreferenceError: If there is no such choice.
    """
    _check(wish.value, value, [each.value for each in wish_choices(wish)])
    if wish is Wish.NOTICES:
        return Notices(value)
    return value == ON if wish in (Wish.TEXT_BOARD, Wish.NAMED_GAMES) else _or_none(value)


def read_rule(rule: Rule, value: str, current: ServerSettings) -> object:
    """Return what the value of a menu stands for.

    Raises:
        InvalidPreferenceError: If there is no such choice.
    """
    _check(rule.value, value, [each.value for each in rule_choices(rule, current)])
    match rule:
        case Rule.DAILY_HOUR:
            return int(value)
        case Rule.VARIANT if value == TYPED:
            return current.variant_key
        case Rule.VARIANT:
            return None if value == DEFAULT_VARIANT else value
        case Rule.CLOCK:
            return as_default(ClockRules.parse(value))
        case Rule.THREADS:
            return value == ON
        case _:
            return _or_none(value)


def as_default(clock: ClockRules) -> ClockRules | None:
    """Return a clock as servers store it: None for no clock."""
    return None if clock == ClockRules() else clock


def _value(chosen: object) -> str:
    if isinstance(chosen, bool):
        return ON if chosen else OFF
    return AUTO if chosen is None else str(chosen)


def _or_none(value: str) -> str | None:
    return None if value == AUTO else value


def _named(names: dict[str, str]) -> list[Choice]:
    return [Choice(key, _(name)) for key, name in names.items()]


def _languages() -> list[Choice]:
    return [Choice(key, name) for key, name in LANGUAGES.items()]


def _unlisted(key: str | None, listed: Collection[str]) -> list[str]:
    return [] if key is None or key in listed else [key]


def _check(what: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise InvalidPreferenceError(what, value, known)


assert set(THEME_NAMES) == set(THEMES), "every theme has a name"
assert set(MARK_NAMES) == set(MARK_PAIRS), "every pair of marks has a name"
