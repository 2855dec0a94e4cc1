"""A thread for a game between people, where the server wants that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import discord
import structlog

from bot.language import _, speaking
from bot.model.match import Match
from cogs.audience import presentation_of
from cogs.discord_errors import DiscordError, asking
from cogs.people import told_names
from cogs.play.layout import thread_view
from cogs.play.showing import move_board
from cogs.variants import name_of
from engine import load_variant

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)

LONGEST_NAME = 100
"""So many characters Discord takes for a thread."""

LONGEST_PERSON = 30
"""What is left of a person's name in it, so that both and the game are told."""

KEPT_MINUTES: Final = 10_080
"""A thread in which nothing is written for a week is put away; a move opens it again."""


async def move_to_thread(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Start a thread below the board just shown and move it there, if the server wants that.

    Where the bot may not, or Discord refuses, the game stays where it is.
    """
    settings = await interaction.client.servers.of(interaction.guild_id)
    if not settings.threads or not _can_have_threads(interaction):
        return
    presentation = await presentation_of(interaction.client, match, interaction)
    with speaking(presentation.language):
        name = thread_name(match)
    try:
        with asking():
            message = await interaction.original_response()
            thread = await message.create_thread(name=name, auto_archive_duration=KEPT_MINUTES)
        await move_board(interaction, match, thread)
    except (DiscordError, ValueError) as error:
        # ValueError: the library does not know the server, since the bot is not in it.
        log.info("no thread for the game", match=match.id, reason=str(error))
        return
    await _invite(thread, match)


@asynccontextmanager
async def renamed_thread(bot: GameBot, match: Match) -> AsyncIterator[None]:
    """Name a match's thread anew, if it has one, and say so where the thread is announced.

    One that was put away is open while the block runs: nothing in it could be edited.

    Raises:
        discord.HTTPException: If Discord does not take it.
    """
    thread = await _find_thread(bot, match)
    if thread is None:
        yield
        return
    presentation = await presentation_of(bot, match)
    with speaking(presentation.language):
        name, view = thread_name(match), thread_view(match, thread.mention)
    was_archived = thread.archived
    await thread.edit(name=name, archived=False)
    try:
        yield
    finally:
        if was_archived:
            await thread.edit(archived=True)
    # It hangs on the message with the same number.
    channel = bot.get_partial_messageable(thread.parent_id)
    await channel.get_partial_message(thread.id).edit(view=view)


async def _find_thread(bot: GameBot, match: Match) -> discord.Thread | None:
    """Return the thread that the bot has made for a match."""
    if match.guild_id is None or match.channel_id is None:
        return None
    # One that was put away is not in memory.
    channel = bot.get_channel(match.channel_id) or await bot.fetch_channel(match.channel_id)
    assert bot.user is not None, "known since the login"
    if isinstance(channel, discord.Thread) and channel.owner_id == bot.user.id:
        return channel
    return None


def thread_name(match: Match) -> str:
    """Name the thread of a match after its players, its rules and its number."""
    x, o = (_short(name, LONGEST_PERSON) for name in told_names(match))
    variant = _short(name_of(load_variant(match.variant_key)), LONGEST_NAME // 5)
    named = _("{x} – {o}, {variant}, game {number}")  # noqa: RUF001  # a dash between names
    return named.format(x=x, o=o, variant=variant, number=match.id)[:LONGEST_NAME]


async def _invite(thread: discord.Thread, match: Match) -> None:
    """Put both players into the thread, so that they see it in their list of channels."""
    for seat in match.seats:
        if seat.player_id is None:
            continue
        try:
            with asking():
                await thread.add_user(discord.Object(seat.player_id))
        except DiscordError as error:
            log.info("player not in thread", match=match.id, reason=str(error))


def _can_have_threads(interaction: discord.Interaction[GameBot]) -> bool:
    """Tell whether the bot may start threads here and write in them."""
    may = interaction.app_permissions
    in_channel = isinstance(interaction.channel, discord.TextChannel)
    return bool(
        in_channel
        and may.view_channel
        and may.create_public_threads
        and may.send_messages_in_threads
        and may.attach_files
    )


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
