"""Threads below messages: started once, with the people they are for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import discord
import structlog

from bot.client import GameBot, Interaction
from cogs.answering import DiscordError, Fault, asking

LONGEST_NAME: Final = 100
"""The most characters Discord takes as the name of a thread."""

_HAS_THREAD: Final = 160004
"""Discord's error code for a message that has a thread already."""

KEPT_MINUTES: Final = 10_080
"""A thread without messages for a week is archived; a message opens it again."""

log = structlog.get_logger(__name__)


def can_have_threads(interaction: Interaction) -> bool:
    """Whether the bot may start threads here and write in them."""
    may = interaction.app_permissions
    in_channel = isinstance(interaction.channel, discord.TextChannel)
    return bool(
        in_channel
        and may.view_channel
        and may.create_public_threads
        and may.send_messages_in_threads
        and may.attach_files
    )


async def start_thread(bot: GameBot, channel_id: int, message_id: int, name: str) -> None:
    """Start the thread of a message if it has none; its number is the message's.

    Raises:
        DiscordError: If Discord does not take it.
    """
    try:
        with asking():
            await bot.http.start_thread_with_message(
                channel_id, message_id, name=name, auto_archive_duration=KEPT_MINUTES
            )
    except DiscordError as error:
        if error.code != _HAS_THREAD:
            raise


async def invite(bot: GameBot, thread_id: int, user_ids: Iterable[int]) -> None:
    """Add people to a thread, so that they see it in their list of channels.

    Raises:
        DiscordError: If that may work later; people whom Discord refuses are left out.
    """
    for user_id in user_ids:
        try:
            with asking():
                await bot.http.add_user_to_thread(thread_id, user_id)
        except DiscordError as error:
            if error.fault is Fault.PASSING:
                raise
            log.info("person not in thread", thread=thread_id, reason=str(error))
