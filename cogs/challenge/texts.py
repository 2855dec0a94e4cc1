"""What is said about challenges."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.language import N_, _, label, told
from bot.model.challenge import Challenge
from bot.model.match import Person
from cogs.variants import name_of
from engine import MARKS, load_variant

NOBODY_WAITS = N_("Nobody is waiting for an opponent here. Offer a game yourself: `/challenge`.")


def headline(challenge: Challenge) -> str:
    """Say who offers what to whom, and until when; or what has become of it."""
    name = _name(challenge.challenger)
    if challenge.opponent is None:
        offer = _("### {name} is looking for an opponent").format(name=name)
    else:
        words = _("### {name} challenges {opponent}")
        offer = words.format(name=name, opponent=_name(challenge.opponent))
    lines = [offer, terms(challenge)]
    if challenge.is_open and challenge.opponent is not None:
        lines.append(_("<@{user}>, do you accept?").format(user=challenge.opponent.id))
    if challenge.is_open:
        when = discord.utils.format_dt(challenge.expires_at, "f")
        lines.append(_("-# Open until {when}").format(when=when))
    else:
        words = _("This challenge is closed: {what}.")
        lines.append(words.format(what=told(challenge.status_in_words)))
    return "\n".join(lines)


def terms(challenge: Challenge) -> str:
    """Say what would be played."""
    parts = [f"**{name_of(load_variant(challenge.variant_key))}**"]
    if challenge.opening_code:
        parts.append(_("opening {code}").format(code=challenge.opening_code))
    if challenge.side is None:
        parts.append(_("random sides"))
    else:
        words = _("{name} plays {mark}")
        mark = MARKS[challenge.side]
        parts.append(words.format(name=_name(challenge.challenger), mark=mark))
    parts.append(told(challenge.clock.words))
    parts.append(_("rated") if challenge.rated else _("casual"))
    return " · ".join(parts)


def show_board() -> str:
    """Label the button that shows the board of what came of a challenge."""
    return label("Show the board")


def lobby(challenges: Sequence[Challenge]) -> str:
    """List the challenges that anyone may take."""
    lines = [_("### Looking for an opponent")]
    for challenge in challenges:
        until = discord.utils.format_dt(challenge.expires_at, "R")
        words = _("- {name}: {terms}, ends {when}")
        name = _name(challenge.challenger)
        lines.append(words.format(name=name, terms=terms(challenge), when=until))
    return "\n".join(lines)


def choice(challenge: Challenge) -> str:
    """Label the button that takes one of several open challenges."""
    return label("Play {name}").format(name=challenge.challenger.name)[:80]


def _name(person: Person) -> str:
    return discord.utils.escape_markdown(person.name)
