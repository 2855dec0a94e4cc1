"""Bringing a challenge onto the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import structlog

from bot.matches import Challenge
from cogs.challenge.layout import challenge_view

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)


async def post_challenge(interaction: discord.Interaction[GameBot], challenge: Challenge) -> None:
    """Answer with a challenge, and remember where it is shown."""
    answer = await interaction.response.send_message(view=challenge_view(challenge))
    if answer.message_id is not None and interaction.channel_id is not None:
        await interaction.client.challenges.place_challenge(
            challenge.id, channel_id=interaction.channel_id, message_id=answer.message_id
        )


async def show_challenge(interaction: discord.Interaction[GameBot], challenge: Challenge) -> None:
    """Bring the clicked challenge up to date."""
    message = interaction.message
    if message is not None and message.id != challenge.message_id:
        # A lobby lists several: it stays, and the challenge is mended where it stands.
        await refresh_challenge(interaction.client, challenge)
        return
    await interaction.response.edit_message(view=challenge_view(challenge))


async def refresh_challenge(bot: GameBot, challenge: Challenge) -> None:
    """Bring a posted challenge up to date without a click, where the bot may."""
    if challenge.channel_id is None or challenge.message_id is None:
        return
    channel = bot.get_partial_messageable(challenge.channel_id)
    try:
        await channel.get_partial_message(challenge.message_id).edit(view=challenge_view(challenge))
    except discord.HTTPException as error:
        # Its buttons stay, and say that it is closed when pressed.
        log.info("challenge not refreshed", challenge=challenge.id, code=error.code)
