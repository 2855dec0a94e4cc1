"""How a challenge looks in a message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord

from bot.matches import Challenge
from cogs.challenge import ids, texts
from cogs.views import sealed

MOST_LISTED = 5
"""So many buttons stand in a row; a lobby that long is a busy one."""

Button = discord.ui.Button[Any]


def challenge_view(challenge: Challenge) -> discord.ui.LayoutView:
    """Lay out a challenge: what is offered, and the buttons while it is open."""
    container = discord.ui.Container[Any](discord.ui.TextDisplay(texts.headline(challenge)))
    if challenge.is_open:
        container.add_item(discord.ui.ActionRow(*_buttons(challenge)))
    return sealed(container)


def lobby_view(challenges: Sequence[Challenge]) -> discord.ui.LayoutView:
    """Lay out the newest open challenges, each with a button that takes it."""
    shown = challenges[:MOST_LISTED]
    if not shown:
        return sealed(discord.ui.TextDisplay(texts.NOBODY_WAITS))
    buttons = [
        Button(
            label=texts.choice(challenge),
            custom_id=ids.accept_id(challenge.id),
            style=discord.ButtonStyle.success,
        )
        for challenge in shown
    ]
    return sealed(discord.ui.TextDisplay(texts.lobby(shown)), discord.ui.ActionRow(*buttons))


def _buttons(challenge: Challenge) -> list[Button]:
    word = "Take it" if challenge.opponent is None else "Accept"
    buttons = [
        Button(label=word, custom_id=ids.accept_id(challenge.id), style=discord.ButtonStyle.success)
    ]
    if challenge.opponent is not None:
        buttons.append(Button(label="Decline", custom_id=ids.decline_id(challenge.id)))
    buttons.append(Button(label="Withdraw", custom_id=ids.withdraw_id(challenge.id)))
    return buttons
