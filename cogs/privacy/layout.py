"""How `/privacy` and its questions look."""

from __future__ import annotations

from typing import Any

import discord

from bot.services.privacy import Erased
from bot.storage.personal import Holdings
from cogs.privacy import ids, texts
from cogs.views import sealed

Row = discord.ui.ActionRow[Any]
Button = discord.ui.Button[Any]


def policy_view(contact: str | None) -> discord.ui.LayoutView:
    """Lay out the policy with what can be done."""
    return sealed(
        discord.ui.TextDisplay(texts.policy(contact)),
        Row(
            Button(label=texts.get_label(), custom_id=ids.GET, style=discord.ButtonStyle.primary),
            Button(
                label=texts.delete_label(), custom_id=ids.DELETE, style=discord.ButtonStyle.danger
            ),
        ),
    )


def file_view(name: str) -> discord.ui.LayoutView:
    """Lay out somebody's data as a file to take along."""
    return sealed(
        discord.ui.TextDisplay(texts.handed_out()), discord.ui.File(f"attachment://{name}")
    )


def question_view(found: Holdings) -> discord.ui.LayoutView:
    """Lay out the question whether to delete."""
    return sealed(
        discord.ui.TextDisplay(texts.question(found)),
        Row(
            Button(
                label=texts.really_delete_label(),
                custom_id=ids.REALLY_DELETE,
                style=discord.ButtonStyle.danger,
            ),
            Button(label=texts.keep_label(), custom_id=ids.KEEP),
        ),
    )


def kept_view() -> discord.ui.LayoutView:
    """Lay out that nothing was deleted."""
    return sealed(discord.ui.TextDisplay(texts.kept()))


def deleted_view(erased: Erased) -> discord.ui.LayoutView:
    """Lay out that all was deleted."""
    return sealed(discord.ui.TextDisplay(texts.deleted(erased)))
