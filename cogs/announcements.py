"""Games between people and their results, in the channel where a server follows them.

A line says that a game has begun; the result takes its place. Both are noted in the outbox by the
transaction that begins or ends the game. Games against the computer are not announced: they are
many, and nobody but their player waits for the result.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from weakref import WeakValueDictionary

import discord
import structlog
from discord.ext import commands
from discord.utils import escape_markdown

from bot.client import GameBot
from bot.language import _, label, told
from bot.model.match import Match
from bot.services.notifications import SAID_ONCE_FOR
from bot.services.publisher import Outcome
from bot.storage.outbox import (
    OutboxKind,
    OutboxRow,
    find_announcement,
    list_outbox,
    note_tried,
    save_announcement,
)
from cogs.after import look_again, result_card
from cogs.answering import Button, DiscordError, Fault, asking, sealed
from cogs.audience import presentation_among, told_names
from cogs.play import texts
from cogs.play.showing import EDITS_UNTIL, Drawing, edit_message, message_link
from engine import load_variant

PLACED_WITHIN: Final = timedelta(seconds=15)
"""How long the line waits for the game's first board, so that it can link to it."""

log = structlog.get_logger(__name__)


class Announcements(commands.Cog):
    """Announces games between people where their server follows them."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        # The result waits for the line whose place it takes. Weak: dropped when nobody waits.
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def cog_load(self) -> None:
        """Begin to announce."""
        for kind in (OutboxKind.BEGUN, OutboxKind.RESULT):
            self.bot.publisher.senders[kind] = self._send

    async def _send(self, row: OutboxRow) -> Outcome:
        """Announce a match once."""
        async with self._locks.setdefault(row.number, asyncio.Lock()):
            try:
                return await self._announce(row)
            except DiscordError as error:
                log.info("not announced", what=row.kind.value, match=row.number, reason=str(error))
                return Outcome.LATER if error.fault is Fault.PASSING else Outcome.GONE

    async def _announce(self, row: OutboxRow) -> Outcome:
        bot, match = self.bot, await self.bot.matches.reload(row.number)
        before = await bot.matches.database.read(find_announcement, match.id)
        is_needless = match.is_over and row.tried_at is None
        if row.kind is OutboxKind.BEGUN and (before is not None or is_needless):
            return Outcome.SHOWN
        if before is None and row.kind is OutboxKind.RESULT and await self._may_stand(row):
            return Outcome.LATER
        if before is None:
            is_new = bot.matches.clock() - match.created_at < PLACED_WITHIN
            if match.message_id is None and is_new and not match.is_over:
                return Outcome.LATER
            return await self._post(row, match)
        age = datetime.now(UTC) - discord.utils.snowflake_time(before[1])
        try:
            if age < EDITS_UNTIL:
                await edit_message(bot, *before, await drawn(bot, match))
                return Outcome.SHOWN
            # Nobody sees an edit so far up, and Discord caps those of old messages.
            channel = bot.get_partial_messageable(before[0])
            with asking():
                await channel.get_partial_message(before[1]).delete()
        except DiscordError as error:
            if error.fault is not Fault.MISSING:
                raise
        return await self._post(row, match)

    async def _may_stand(self, row: OutboxRow) -> bool:
        """Return whether the line that a game has begun may be posted, in a message yet unknown."""
        begun_row = OutboxRow(OutboxKind.BEGUN, row.number, row.channel_id, row.message_id)
        sent = await self.bot.matches.database.read(list_outbox, begun_row)
        return any(each.tried_at is not None for each in sent)

    async def _post(self, row: OutboxRow, match: Match) -> Outcome:
        """Post an announcement, unless it may have arrived long ago.

        Raises:
            DiscordError: If Discord does not take it.
        """
        if is_doubtful(row, self.bot.matches.clock()):
            return Outcome.GONE
        drawing, nonce = await drawn(self.bot, match), f"{row.kind}.{match.id}"
        message = await post_once(self.bot, row, drawing, nonce=nonce, silent=True)
        database = self.bot.matches.database
        await database.write(save_announcement, match.id, row.channel_id, message.id)
        return Outcome.SHOWN


def is_doubtful(row: OutboxRow, now: datetime) -> bool:
    """Return whether a post may have arrived too long ago for Discord to recognise its nonce."""
    return row.tried_at is not None and now - row.tried_at > SAID_ONCE_FOR


async def post_once(
    bot: GameBot, row: OutboxRow, drawing: Drawing, *, nonce: str, **options: Any
) -> discord.Message:
    """Post an outbox row; Discord keeps only the first message with a nonce.

    Raises:
        DiscordError: If Discord does not take it.
    """
    database, (view, files) = bot.matches.database, drawing
    if row.tried_at is None:
        await database.write(note_tried, row, bot.matches.clock())
    channel = bot.get_partial_messageable(row.channel_id)
    try:
        with asking():
            return await channel.send(view=view, files=files, nonce=nonce, **options)
    except DiscordError as error:
        if row.tried_at is None and not error.may_be_done:
            await database.write(note_tried, row, None)
        raise


async def drawn(bot: GameBot, match: Match) -> Drawing:
    """Lay out a match's announcement in a server: that it has begun, or its result."""
    presentation = await presentation_among(bot, [], match.guild_id)
    with presentation.spoken():
        if not match.is_over:
            return sealed(begun(match), [_board_button(match)]), []
        rating = await bot.ratings.changes_of(match.id) if match.rated else None
        said = texts.headline(match, (), is_chosen=False)
        gallery, file = await asyncio.to_thread(result_card, match, rating, presentation.theme)
        buttons = [*look_again(match), _board_button(match)]
        return sealed(said, gallery, buttons), [file]


def begun(match: Match) -> str:
    """Say who has begun to play whom, and on what terms."""
    x, o = map(escape_markdown, told_names(match))
    variant = told(load_variant(match.variant_key).name)
    rated = _("rated") if match.rated else _("casual")
    words = _("**{x}** (X) and **{o}** (O) have started game {number}: {terms}.")
    terms = ", ".join((variant, told(match.clock.words), rated))
    return words.format(x=x, o=o, number=match.id, terms=terms)


def _board_button(match: Match) -> Button:
    """Return a button that leads to the board, or to its channel if that is all that is known."""
    assert match.channel_id is not None, "it is played in a server"
    word = label("Board") if match.is_over else label("Watch")
    link = message_link(match.guild_id, match.channel_id, match.message_id)
    return Button(label=word, url=link)


async def edit_announcement(bot: GameBot, match: Match) -> None:
    """Bring the announcement of a match up to date, if there is one.

    Raises:
        DiscordError: If Discord does not take it.
    """
    before = await bot.matches.database.read(find_announcement, match.id)
    if before is not None:
        await edit_message(bot, *before, await drawn(bot, match))


async def setup(bot: GameBot) -> None:
    """Begin to announce."""
    await bot.add_cog(Announcements(bot))
