"""A review and a replay as messages, in the channel or for one reader."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any

import discord

from bot.language import speaking
from bot.model.errors import MatchNotOverError
from bot.model.match import Match
from cogs.after import Shared, share_button
from cogs.analysis import pictures, texts
from cogs.answering import defer, fulfil
from cogs.audience import own_presentation, shared_presentation
from cogs.games import game_meant, game_seen
from cogs.play.texts import image_status
from cogs.views import sealed

if TYPE_CHECKING:
    from bot.client import GameBot

GRAPH_NAME = "review.png"
FILM_NAME = "replay.gif"


async def finished_game(interaction: discord.Interaction[GameBot], game: int | None) -> Match:
    """Return the finished match that is meant: any that one may see, else one's latest.

    Raises:
        PlayerError: If there is none, or it is still going on.
    """
    bot = interaction.client
    if game is not None:
        match = await game_seen(interaction, game)
    elif latest := (await bot.ratings.history_of(interaction.user.id, limit=1)).entries:
        match = await bot.matches.load(latest[0].match_id)
    else:
        match = await game_meant(interaction, None)
    if not match.is_over:
        raise MatchNotOverError(match)
    return match


async def post_review(
    interaction: discord.Interaction[GameBot], match: Match, *, private: bool = False
) -> None:
    """Answer with a review; with `private` only who asked sees it, and may share it."""
    await defer(interaction, ephemeral=private, thinking=True)
    analysis = await interaction.client.reviews.review(match)
    presentation = await (own_presentation if private else shared_presentation)(interaction)
    with speaking(presentation.language):
        graph, alt = await asyncio.to_thread(
            pictures.evaluation, match, analysis, presentation.theme
        )
        text = texts.review(match, analysis)
        view = _with_picture(text, GRAPH_NAME, alt, match, Shared.REVIEW if private else None)
    file = discord.File(io.BytesIO(graph), filename=GRAPH_NAME)
    await fulfil(interaction, view=view, files=[file])


async def post_replay(
    interaction: discord.Interaction[GameBot], match: Match, *, private: bool = False
) -> None:
    """Answer with a replay; with `private` only who asked sees it, and may share it."""
    await defer(interaction, ephemeral=private, thinking=True)
    chances = await interaction.client.reviews.chances_of(match.id)
    presentation = await (own_presentation if private else shared_presentation)(interaction)
    with speaking(presentation.language):
        film, alt = await asyncio.to_thread(
            pictures.replay, match, image_status(match), chances, presentation.theme
        )
        text = texts.replay(match, has_bar=chances is not None)
        view = _with_picture(text, FILM_NAME, alt, match, Shared.REPLAY if private else None)
    file = discord.File(io.BytesIO(film), filename=FILM_NAME)
    await fulfil(interaction, view=view, files=[file])


def _with_picture(
    text: str, name: str, alt: str, match: Match, share: Shared | None
) -> discord.ui.LayoutView:
    image = discord.MediaGalleryItem(f"attachment://{name}", description=alt)
    parts: list[discord.ui.Item[Any]] = [
        discord.ui.TextDisplay(text),
        discord.ui.MediaGallery[Any](image),
    ]
    if share is not None:
        parts.append(discord.ui.ActionRow(share_button(match, share)))
    return sealed(*parts)
