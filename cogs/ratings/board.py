"""A page of a leaderboard as a message."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord

from bot.language import _, label, speaking
from bot.model.ratings.values import BoardView
from cogs.audience import own_presentation, shared_presentation
from cogs.ratings import pictures, texts
from cogs.ratings.ids import FIRST, MINE, BoardState
from cogs.state import post
from cogs.views import sealed

if TYPE_CHECKING:
    from bot.client import GameBot

IMAGE_NAME = "leaderboard.png"
ROWS = 10

Button = discord.ui.Button[Any]


async def post_board(
    interaction: discord.Interaction[GameBot],
    state: BoardState,
    *,
    update: bool = False,
    ephemeral: bool = False,
) -> None:
    """Answer with a leaderboard, or bring the clicked one up to date."""
    shared = not ephemeral or (update and not _is_private(interaction))
    presentation = await (shared_presentation if shared else own_presentation)(interaction)
    with speaking(presentation.language):
        # What keeps somebody from a leaderboard is told in words, so it is asked for in here.
        found = await _look_up(interaction, state)
        files = []
        parts: list[discord.ui.Item[Any]] = [
            discord.ui.TextDisplay(texts.board_heading(state, found, in_full=state.as_text))
        ]
        if not state.as_text:
            png, alt = await asyncio.to_thread(
                pictures.board, state, found, interaction.user.display_name, presentation.theme
            )
            files.append(discord.File(io.BytesIO(png), filename=IMAGE_NAME))
            image = discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=alt)
            parts.append(discord.ui.MediaGallery[Any](image))
        parts.append(discord.ui.TextDisplay(texts.own_place(found.own)))
        rows = _rows(state, found, in_server=interaction.guild_id is not None)
        view = sealed(*parts, *(discord.ui.ActionRow(*row) for row in rows))
    await post(interaction, view, files, ephemeral=ephemeral, update=update)


def _is_private(interaction: discord.Interaction[Any]) -> bool:
    return interaction.message is not None and interaction.message.flags.ephemeral


async def _look_up(interaction: discord.Interaction[GameBot], state: BoardState) -> BoardView:
    key = state.key
    return await interaction.client.ratings.view_of(
        interaction.user.id,
        state.pool,
        guild_id=None if state.everywhere else interaction.guild_id,
        period=state.period,
        after=key if state.go[0] == ">" else None,
        before=key if state.go[0] == "<" else None,
        around=state.go == MINE,
        limit=ROWS,
    )


def _rows(state: BoardState, found: BoardView, *, in_server: bool) -> list[list[Button]]:
    """Return the buttons: pages above, other leaderboards below."""
    page, own = found.page, found.own
    shown = {entry.rank for entry in page.entries}
    before = None if page.before is None else replace(state, go=f"<{page.before.text}")
    after = None if page.after is None else replace(state, go=f">{page.after.text}")
    off_page = own.entry is not None and own.entry.rank not in shown
    pages = [
        _button(label("Previous"), before, "<0"),
        _button(label("Next"), after, ">0"),
        _button(label("My rank"), replace(state, go=MINE) if off_page else None, "<1"),
    ]
    other_form = replace(state, as_text=not state.as_text)
    pages.append(
        _button(label("As a picture") if state.as_text else label("As text"), other_form, "")
    )
    boards = [
        _button(name, None if period is state.period else _first(state, period=period), f">{n}")
        for n, (period, name) in enumerate(texts.period_names().items(), start=1)
    ]
    if in_server:
        name = _("This server") if state.everywhere else _("Everywhere")
        boards.append(_button(name, _first(state, everywhere=not state.everywhere), ""))
    return [pages, boards]


def _first(state: BoardState, **changes: Any) -> BoardState:
    return replace(state, go=FIRST, **changes)


def _button(label: str, state: BoardState | None, unused: str) -> Button:
    """Return a button that leads to `state`; a pale one with an id of its own if there is none."""
    custom_id = f"lb:none:{unused}" if state is None else state.custom_id
    return Button(label=label, custom_id=custom_id, disabled=state is None)
