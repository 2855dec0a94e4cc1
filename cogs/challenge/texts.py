"""Texts about challenges."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.language import _, label, mark_of, told
from bot.model.challenges import Challenge
from bot.model.match import Person
from engine import load_variant

CHALLENGE = r"(?P<challenge_id>\d{1,18})"

LONGEST_NAMED = 60
"""The room for a name on a button, which takes 80 characters."""


def headline(challenge: Challenge) -> str:
    """Say who offers what to whom, and until when; or what became of it."""
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
    parts = [f"**{told(load_variant(challenge.variant_key).name)}**"]
    if challenge.opening_code:
        parts.append(_("opening {code}").format(code=challenge.opening_code))
    if challenge.side is None:
        parts.append(_("random sides"))
    else:
        words = _("{name} plays {mark}")
        mark = mark_of(challenge.side)
        parts.append(words.format(name=_name(challenge.challenger), mark=mark))
    parts.append(told(challenge.clock.words))
    parts.append(_("rated") if challenge.rated else _("casual"))
    return " · ".join(parts)


def lobby(challenges: Sequence[Challenge], own: Sequence[Challenge] = ()) -> str:
    """List the challenges that a reader may accept, numbered, and their own."""
    lines = []
    if challenges:
        lines.append(_("### Looking for an opponent"))
    for number, challenge in enumerate(challenges, start=1):
        words = _("{number}. {name}: {terms}, ends {when}")
        name, when = _name(challenge.challenger), _end(challenge)
        lines.append(words.format(number=number, name=name, terms=terms(challenge), when=when))
    if own:
        lines.append(_("### Your offers"))
        words = _("- {terms}, ends {when}")
        lines += [words.format(terms=terms(each), when=_end(each)) for each in own]
        lines.append(_("-# To withdraw one, use `/games`."))
    return "\n".join(lines)


def choices(challenges: Sequence[Challenge]) -> list[str]:
    """Label the buttons that accept these challenges, each differently.

    If several people share a name, or one has several offers, the number in the list is added.
    """
    names = [each.challenger.name[:LONGEST_NAMED] for each in challenges]
    return [
        label("Play {name}").format(name=name)
        if names.count(name) == 1
        else label("Play {name} ({number})").format(name=name, number=number)
        for number, name in enumerate(names, start=1)
    ]


def _end(challenge: Challenge) -> str:
    return discord.utils.format_dt(challenge.expires_at, "R")


def _name(person: Person) -> str:
    return discord.utils.escape_markdown(person.name)
