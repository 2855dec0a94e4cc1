"""What is said about vacations, to the one who takes them alone."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.language import _, ngettext, told
from bot.model.clock_rules import ClockKind, format_span
from bot.model.match import Match
from bot.model.vacations import Vacation


def started(vacation: Vacation, games: Sequence[Match]) -> str:
    """Say what a vacation that has begun, or been changed, does."""
    assert vacation.until is not None, "they are away"
    lines = [
        _("**You are on vacation until {time}.**").format(time=_date(vacation)),
        *_what_it_does(games),
        _left(vacation),
        _("`/vacation end` ends it earlier; moving is possible at any time."),
    ]
    return "\n".join(lines)


def ended(vacation: Vacation) -> str:
    """Say that a vacation is over."""
    return "\n".join([_("**You are back:** your clocks run again."), _left(vacation)])


def was_not_away(vacation: Vacation) -> str:
    """Say that there is no vacation to end."""
    return "\n".join([_("You are not on vacation."), _left(vacation)])


def standing(vacation: Vacation, games: Sequence[Match]) -> str:
    """Say how it stands."""
    if vacation.until is not None:
        return started(vacation, games)
    how = _(
        "`/vacation start` pauses your clocks in correspondence games, those with a "
        "time for each move. Vacation doesn't stop live clocks."
    )
    return "\n".join([_("You are not on vacation."), _left(vacation), how])


def _what_it_does(games: Sequence[Match]) -> list[str]:
    waiting = [match for match in games if match.clock.kind is ClockKind.CORRESPONDENCE]
    if not waiting:
        return [_("You have no correspondence games now; in new ones your clock will be paused.")]
    words = ngettext(
        "Your clock is paused in {count} game; your opponent's is not.",
        "Your clocks are paused in {count} games; your opponents' are not.",
        len(waiting),
    )
    return [words.format(count=len(waiting))]


def _left(vacation: Vacation) -> str:
    return _("Vacation days left this year: {time}.").format(time=told(format_span(vacation.left)))


def _date(vacation: Vacation) -> str:
    assert vacation.until is not None, "they are away"
    return discord.utils.format_dt(vacation.until, "f")
