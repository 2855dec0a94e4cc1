"""Users of Discord as the services know them."""

from __future__ import annotations

import discord

from bot.language import told
from bot.model.match import Match, Person


def person_of(user: discord.User | discord.Member) -> Person:
    """Return what a match needs to know of a user."""
    return Person(id=user.id, name=user.display_name, is_bot=user.bot)


def told_names(match: Match) -> tuple[str, str]:
    """Return what to call X and O, in the language that is being spoken."""
    x, o = match.names
    return told(x), told(o)
