"""Putting components into a message."""

from __future__ import annotations

from typing import Any

import discord

from bot.mentions import mentioned


def sealed(*items: discord.ui.Item[Any]) -> discord.ui.LayoutView:
    """Put `items` into a view that the library forgets once it is sent.

    Presses are received by dynamic items, which need no view;
    one kept for every message ever sent would only fill the memory.
    """
    view = discord.ui.LayoutView(timeout=None)
    for item in items:
        view.add_item(item)
    for part in view.walk_children():
        if isinstance(part, discord.ui.TextDisplay):
            part.content = mentioned(part.content)
    view.stop()
    return view
