"""The pages of a profile as messages: the card, the rating graph, two people compared."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord

from bot.language import label, pgettext, speaking
from bot.model.ratings.profile import Profile
from bot.model.ratings.values import PlayerRating, RatingChange
from bot.render import Theme
from cogs.audience import own_presentation, shared_presentation
from cogs.ratings import pictures, texts
from cogs.ratings.ids import Page, ProfileState
from cogs.state import post
from cogs.views import sealed

if TYPE_CHECKING:
    from bot.client import GameBot

IMAGE_NAME = "profile.png"

Button = discord.ui.Button[Any]


async def post_profile(
    interaction: discord.Interaction[GameBot],
    state: ProfileState,
    *,
    update: bool = False,
    ephemeral: bool = False,
    names: Mapping[int, str] | None = None,
) -> None:
    """Answer with a page of a profile, or bring the clicked one up to date.

    Args:
        interaction: What is answered.
        state: What to show.
        update: Whether in the message that was clicked.
        ephemeral: Whether a new message is for the one who asks alone.
        names: What to call people by their numbers; what they were last called by default.
    """
    message = interaction.message
    private = message is not None and message.flags.ephemeral if update else ephemeral
    presentation = await (own_presentation if private else shared_presentation)(interaction)
    bot = interaction.client
    with speaking(presentation.language):
        found = await bot.ratings.profile_of(state.who, versus=state.against or None)
        text, (png, alt) = await _page(bot, state, found, names, presentation.theme)
        image = discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=alt)
        view = sealed(
            discord.ui.TextDisplay(text),
            discord.ui.MediaGallery[Any](image),
            *(discord.ui.ActionRow(*row) for row in _rows(state, found)),
        )
    file = discord.File(io.BytesIO(png), filename=IMAGE_NAME)
    await post(interaction, view, [file], ephemeral=ephemeral, update=update)


async def _page(
    bot: GameBot,
    state: ProfileState,
    found: Profile,
    names: Mapping[int, str] | None,
    theme: Theme,
) -> tuple[str, pictures.Drawn]:
    """Return a line about a page, and its picture with words."""
    who = await _name(bot, state.who, names)
    if state.page is Page.VERSUS:
        other = await _name(bot, state.against, names)
        return await _compare(bot, state, found, (who, other), theme)
    return texts.profile(who, found), await _draw(bot, state, found, who, theme)


async def _name(bot: GameBot, user_id: int, names: Mapping[int, str] | None) -> str:
    name = (names or {}).get(user_id) or await bot.ratings.name_of(user_id)
    return name or pgettext("somebody without a name", "Player")


async def _draw(
    bot: GameBot, state: ProfileState, found: Profile, name: str, theme: Theme
) -> pictures.Drawn:
    rating = _rating(found, state.pool)
    points: tuple[RatingChange, ...] = ()
    if rating is not None:
        points = await bot.ratings.points_of(state.who, rating.pool)
    if state.page is Page.GRAPH:
        return await asyncio.to_thread(pictures.graph, name, rating, points, theme)
    return await asyncio.to_thread(pictures.profile, name, found, rating, points, theme)


async def _compare(
    bot: GameBot, state: ProfileState, found: Profile, names: tuple[str, str], theme: Theme
) -> tuple[str, pictures.Drawn]:
    between = await bot.ratings.between(state.who, state.against)
    other = await bot.ratings.profile_of(state.against)
    ratings = (_rating(found, state.pool), _rating(other, state.pool))
    drawn = await asyncio.to_thread(pictures.versus, names, ratings, between, theme)
    return texts.versus(*names, found.versus), drawn


def _rating(found: Profile, pool: str | None) -> PlayerRating | None:
    """Return a player's rating in a pool, or in the one they have played most."""
    wanted = [each for each in found.ratings if pool in (None, each.pool)]
    return wanted[0] if wanted else None


def _rows(state: ProfileState, found: Profile) -> list[list[Button]]:
    """Return the buttons to the other pages; none for who has not played."""
    if not found.records.total.played:
        return []
    against = state.against
    if not against and state.owner != state.who:
        against = state.owner
    if not against:
        # Whoever has left is nobody to be compared with.
        against = next((each.player_id for each in found.opponents if not each.has_left), 0)
    labels = {
        Page.CARD: label("Profile"),
        Page.GRAPH: label("Rating graph"),
        Page.VERSUS: label("Head to head"),
    }
    row = []
    for page, text in labels.items():
        target = replace(state, page=page, against=against)
        shown = page is state.page or (page is Page.VERSUS and not against)
        row.append(Button(label=text, custom_id=target.custom_id, disabled=shown))
    return [row]
