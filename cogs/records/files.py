"""A game record as a file in a message."""

from __future__ import annotations

import io
from typing import Any

import discord

from bot.model.exporting import record_of
from bot.model.match import Match
from cogs.records import texts
from cogs.views import sealed
from engine.records import format_record


def record_message(match: Match) -> tuple[discord.ui.LayoutView, discord.File]:
    """Return the message that hands out the record of a game, and its file."""
    name = f"game-{match.id}.uttt"
    file = discord.File(io.BytesIO(format_record(record_of(match)).encode()), filename=name)
    view = sealed(
        discord.ui.TextDisplay(texts.exported(match)),
        discord.ui.File[Any](f"attachment://{name}"),
    )
    return view, file
