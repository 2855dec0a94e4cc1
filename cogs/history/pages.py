"""Somebody's games as a message, and one game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord

from bot.language import _, label, pgettext, speaking
from bot.model.match import Match
from bot.services.ratings import HistoryPage
from cogs.audience import own_presentation
from cogs.history import ids, texts
from cogs.history.ids import HistoryState
from cogs.play.showing import show_in_private
from cogs.state import post
from cogs.views import sealed

if TYPE_CHECKING:
    from bot.client import GameBot

ROWS = 10
LONGEST_CHOICE = 100
"""So many characters of a choice Discord shows."""

Button = discord.ui.Button[Any]


async def post_history(
    interaction: discord.Interaction[GameBot],
    state: HistoryState,
    *,
    update: bool = False,
    names: Mapping[int, str] | None = None,
) -> None:
    """Answer in private with a page of somebody's games, or turn the clicked one.

    Args:
        interaction: What is answered.
        state: What to show.
        update: Whether in the message that was clicked.
        names: What to call people by their numbers; what they were last called by default.
    """
    bot, viewer = interaction.client, interaction.user.id
    found = await bot.ratings.history_of(
        state.who,
        state.filter_for(viewer),
        before=state.older_than,
        after=state.newer_than,
        limit=ROWS,
    )
    with speaking((await own_presentation(interaction)).language):
        who = await _name(bot, state.who, names)
        opponent = await _name(bot, state.opponent, names) if state.opponent else None
        text = texts.heading(who, state, opponent) + "\n" + texts.page(found, state, viewer)
        view = _view(text, state, found)
    await post(interaction, view, [], ephemeral=True, update=update)


async def post_game(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Answer with one game, for the one who asks alone: the board, the result, the moves."""
    with speaking((await own_presentation(interaction)).language):
        moves = texts.moves(match)
    await show_in_private(interaction, match, moves)


async def _name(bot: GameBot, user_id: int, names: Mapping[int, str] | None) -> str:
    name = (names or {}).get(user_id) or await bot.ratings.name_of(user_id)
    return name or pgettext("somebody without a name", "Player")


def _view(text: str, state: HistoryState, found: HistoryPage) -> discord.ui.LayoutView:
    parts: list[discord.ui.Item[Any]] = [discord.ui.TextDisplay(text)]
    if not found.entries:
        return sealed(*parts)
    parts.append(discord.ui.TextDisplay(texts.advice()))
    menu = discord.ui.Select[Any](
        custom_id=ids.OPEN,
        placeholder=_("Look at a game"),
        options=[
            discord.SelectOption(
                label=texts.choice(entry)[:LONGEST_CHOICE], value=str(entry.match_id)
            )
            for entry in found.entries
        ],
    )
    parts.append(discord.ui.ActionRow(menu))
    turned = replace(state, older_than=None, newer_than=None)
    newer = None if found.after is None else replace(turned, newer_than=found.after)
    older = None if found.before is None else replace(turned, older_than=found.before)
    if newer or older:
        pages = ((label("Newer"), newer, "newer"), (label("Older"), older, "older"))
        buttons = [
            Button(
                label=text,
                custom_id=f"hi:none:{end}" if target is None else target.custom_id,
                disabled=target is None,
            )
            for text, target, end in pages
        ]
        parts.append(discord.ui.ActionRow(*buttons))
    return sealed(*parts)
