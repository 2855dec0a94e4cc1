"""How a challenge looks in a message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord

from bot.language import _, label
from bot.model.challenge import Challenge
from cogs.challenge import ids, texts
from cogs.play.ids import here_id
from cogs.views import sealed

MOST_LISTED = 5
"""So many buttons stand in a row; a lobby that long is a busy one."""

Button = discord.ui.Button[Any]


def challenge_view(challenge: Challenge) -> discord.ui.LayoutView:
    """Lay out a challenge: what is offered, and the buttons while it is open."""
    container = discord.ui.Container[Any](discord.ui.TextDisplay(texts.headline(challenge)))
    if challenge.is_open:
        container.add_item(discord.ui.ActionRow(*_buttons(challenge)))
    elif challenge.match_id is not None and challenge.guild_id is None:
        # In conversations the board may be where only the other one sees it.
        show = Button(label=texts.show_board(), custom_id=here_id(challenge.match_id))
        container.add_item(discord.ui.ActionRow(show))
    return sealed(container)


def lobby_view(challenges: Sequence[Challenge]) -> discord.ui.LayoutView:
    """Lay out the newest open challenges, each with a button that takes it."""
    shown = challenges[:MOST_LISTED]
    if not shown:
        return sealed(discord.ui.TextDisplay(_(texts.NOBODY_WAITS)))
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
    word = label("Accept")
    buttons = [
        Button(label=word, custom_id=ids.accept_id(challenge.id), style=discord.ButtonStyle.success)
    ]
    if challenge.opponent is not None:
        word = label("Decline")
        buttons.append(Button(label=word, custom_id=ids.decline_id(challenge.id)))
    word = label("Withdraw")
    buttons.append(Button(label=word, custom_id=ids.withdraw_id(challenge.id)))
    return buttons
