"""Users of Discord as the services know them."""

from __future__ import annotations

import discord

from bot.matches import Person


def person_of(user: discord.User | discord.Member) -> Person:
    """Return what a match needs to know of a user."""
    return Person(id=user.id, name=user.display_name, is_bot=user.bot)
