"""What is said about challenges."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.matches import Challenge, Person
from engine import VARIANTS, load_variant

MARKS = ("X", "O")

NOBODY_WAITS = "Nobody is waiting for an opponent here. Offer a game yourself: `/challenge`."


def headline(challenge: Challenge) -> str:
    """Say who offers what to whom, and until when; or what has become of it."""
    name = _name(challenge.challenger)
    if challenge.opponent is None:
        offer = f"### {name} is looking for an opponent"
    else:
        offer = f"### {name} challenges {_name(challenge.opponent)}"
    lines = [offer, terms(challenge)]
    if challenge.is_open:
        lines.append(f"-# Open until {discord.utils.format_dt(challenge.expires_at, 'f')}")
    else:
        lines.append(f"This challenge is closed: {challenge.status_in_words}.")
    return "\n".join(lines)


def terms(challenge: Challenge) -> str:
    """Say what would be played."""
    variant = load_variant(challenge.variant_key)
    parts = [f"**{variant.name if variant.key in VARIANTS else variant.key}**"]
    if challenge.opening_code:
        parts.append(f"opening {challenge.opening_code}")
    if challenge.side is None:
        parts.append("X by lot")
    else:
        parts.append(f"{_name(challenge.challenger)} plays {MARKS[challenge.side]}")
    parts.append(challenge.clock.words)
    parts.append("rated" if challenge.rated else "casual")
    return " · ".join(parts)


def lobby(challenges: Sequence[Challenge]) -> str:
    """List the challenges that anyone may take."""
    lines = ["### Looking for an opponent"]
    for challenge in challenges:
        until = discord.utils.format_dt(challenge.expires_at, "R")
        lines.append(f"- {_name(challenge.challenger)}: {terms(challenge)}, ends {until}")
    return "\n".join(lines)


def choice(challenge: Challenge) -> str:
    """Label the button that takes one of several open challenges."""
    return f"Play {challenge.challenger.name}"[:80]


def _name(person: Person) -> str:
    return discord.utils.escape_markdown(person.name)
