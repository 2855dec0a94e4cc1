"""Bringing boards up to date without a click: how the publisher shows them on Discord."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import discord
import structlog

from bot.language import speaking
from bot.model.match import Match
from bot.services.publisher import Attempt, Outcome
from cogs.answering import copies
from cogs.audience import own_presentation, presentation_of
from cogs.discord_errors import DiscordError, Fault, asking
from cogs.places import reopen
from cogs.play import texts
from cogs.play.layout import Stage, draw_match, pointer_view

if TYPE_CHECKING:
    from bot.client import GameBot

EDITS_UNTIL = timedelta(minutes=50)
"""Discord caps edits of messages older than an hour: older boards are posted afresh on a click."""

EDIT_WITHIN_S: Final = 20.0
"""Longer than this no edit by a click waits for Discord's limits.

Requests of the bot itself are never cut short: cancelled while it waits for the global limit,
the library would hold back every other request for good. They give up by themselves.
"""

REACHABLE_FOR: Final = timedelta(minutes=14)
"""For a quarter of an hour a message can be reached by the click that was answered with it."""

Drawing = tuple[discord.ui.LayoutView, list[discord.File]]

_GONE: Final = frozenset({Fault.CLOSED, Fault.ARCHIVED})

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Way:
    """How a message can be reached: by the click that was answered with it.

    That takes none of what the channel may be written to, and is the only way where the bot
    is no member.

    Attributes:
        webhook: The click's.
        message_id: The message.
        until: How long the webhook leads there.
    """

    webhook: discord.Webhook
    message_id: int
    until: datetime

    @classmethod
    def by(cls, interaction: discord.Interaction[Any], message_id: int) -> Way:
        """Return the way to a message that a click was just answered with."""
        until = interaction.created_at + REACHABLE_FOR
        return cls(interaction.followup, message_id, until)


async def drawn(
    bot: GameBot,
    match: Match,
    stage: Stage,
    interaction: discord.Interaction[GameBot] | None = None,
) -> Drawing:
    """Draw a match for whoever will see it; one that was rated with what it came to."""
    if stage.watching and interaction is not None:
        presentation = await own_presentation(interaction)
    else:
        presentation = await presentation_of(bot, match, interaction)
    rating = await bot.ratings.changes_of(match.id) if match.rated and match.is_over else None
    with speaking(presentation.language):
        notes = texts.rating_lines(match, rating)
    return await draw_match(match, stage, presentation, notes, rating)


async def show_posted(bot: GameBot, match: Match, way: Way | None) -> Attempt:
    """Bring the posted board of a match up to date; where that cannot be, post it afresh."""
    if match.channel_id is None:
        return Attempt(Outcome.GONE)
    if way is not None and (way.message_id != match.message_id or datetime.now(UTC) > way.until):
        way = None
    try:
        if match.message_id is None:
            return await _post(bot, match, match.channel_id, way)
        return await _edit_or_post(bot, match, match.channel_id, match.message_id, way)
    except DiscordError as error:
        log.info("board not shown", match=match.id, reason=str(error))
        return Attempt(Outcome.GONE if error.fault in _GONE else Outcome.LATER)


async def _edit_or_post(
    bot: GameBot, match: Match, channel_id: int, message_id: int, way: Way | None
) -> Attempt:
    drawing = await drawn(bot, match, Stage())
    try:
        await _edit(bot, channel_id, message_id, way, drawing)
    except DiscordError as error:
        is_old = datetime.now(UTC) - discord.utils.snowflake_time(message_id) > EDITS_UNTIL
        if error.fault not in (Fault.MISSING, Fault.REFUSED) and not (is_old and error.is_limit):
            raise
        log.info("board posted afresh", match=match.id, reason=str(error))
        attempt = await _post(bot, match, channel_id, way)
        if error.fault is Fault.REFUSED and attempt.message_id is not None:
            await leave_pointer(bot, match, (channel_id, message_id), attempt.message_id)
        return attempt
    return Attempt(Outcome.SHOWN, message_id)


async def edit_posted(bot: GameBot, match: Match) -> None:
    """Bring the posted board of a match up to date, if there is one.

    Raises:
        DiscordError: If Discord does not take it.
    """
    if match.channel_id is not None and match.message_id is not None:
        drawing = await drawn(bot, match, Stage())
        await _edit(bot, match.channel_id, match.message_id, None, drawing)


async def _edit(
    bot: GameBot, channel_id: int, message_id: int, way: Way | None, drawing: Drawing
) -> None:
    """Edit a message by the click that it answered, else as whoever has written it."""
    view, files = drawing
    if way is not None:
        try:
            with asking():
                async with asyncio.timeout(EDIT_WITHIN_S):
                    await way.webhook.edit_message(message_id, view=view, attachments=copies(files))
            return
        except DiscordError as error:
            if error.fault in (Fault.PASSING, Fault.REFUSED):
                raise
    message = bot.get_partial_messageable(channel_id).get_partial_message(message_id)
    for is_opened in (False, True):
        try:
            with asking():
                await message.edit(view=view, attachments=copies(files))
            return
        except DiscordError as error:
            if error.fault is not Fault.ARCHIVED or is_opened:
                raise
            await reopen(bot, channel_id)


async def _post(bot: GameBot, match: Match, channel_id: int, way: Way | None) -> Attempt:
    """Post a board; what is lost and tried again is posted once."""
    view, files = await drawn(bot, match, Stage())
    channel = bot.get_partial_messageable(channel_id)
    try:
        with asking():
            message = await channel.send(
                view=view, files=copies(files), nonce=_nonce(match), silent=True
            )
        message_id, way = message.id, None
    except DiscordError as error:
        if error.fault is not Fault.CLOSED or way is None:
            raise
        with asking():
            sent = await way.webhook.send(view=view, files=copies(files), wait=True)
        message_id, way = sent.id, Way(way.webhook, sent.id, way.until)
    await bot.matches.place(match.id, channel_id=channel_id, message_id=message_id)
    return Attempt(Outcome.SHOWN, message_id, way)


def _nonce(match: Match) -> str:
    """Name a board in 25 characters: of one that is posted twice Discord keeps the first."""
    return f"{match.id % 10**12}.{match.revision}.{(match.message_id or 0) % 10**6}"


async def leave_pointer(
    bot: GameBot, match: Match, before: tuple[int | None, int | None], message_id: int
) -> None:
    """Replace a board that was shown elsewhere by a pointer, where the bot may."""
    channel_id, old_id = before
    current = await bot.matches.load(match.id)
    if channel_id is None or old_id is None or current.channel_id is None:
        return
    link = message_link(bot, current, message_id)
    old = bot.get_partial_messageable(channel_id).get_partial_message(old_id)
    try:
        with asking():
            await old.edit(view=await pointer(bot, match, link), attachments=[])
    except DiscordError as error:
        # Its buttons stay, and say that the board is out of date when pressed.
        log.info("pointer not left", match=match.id, reason=str(error))


async def pointer(
    bot: GameBot,
    match: Match,
    link: str,
    interaction: discord.Interaction[GameBot] | None = None,
) -> discord.ui.LayoutView:
    """Lay out what is left where the board of `match` was."""
    presentation = await presentation_of(bot, match, interaction)
    with speaking(presentation.language):
        return pointer_view(match, link)


def message_link(bot: GameBot, match: Match, message_id: int) -> str:
    """Return the address of a message in the channel of a match."""
    assert match.channel_id is not None, "it is shown somewhere"
    guild = getattr(bot.get_channel(match.channel_id), "guild", None)
    guild_id = match.guild_id if guild is None else guild.id
    return f"https://discord.com/channels/{guild_id or '@me'}/{match.channel_id}/{message_id}"
