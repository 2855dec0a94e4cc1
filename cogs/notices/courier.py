"""Carrying news to players: a mention where the board is, or a message of their own."""

from __future__ import annotations

import asyncio
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import discord
import structlog

from bot.language import speaking
from bot.mentions import mentioned
from bot.model.challenge import Challenge
from bot.model.match import Match
from bot.model.notices import News, NewsKind
from bot.model.preferences import Notices as Way
from bot.services.notifications import PendingNotification
from bot.services.sent_notifications import SentNotifications
from bot.storage.notices import NoticeRow
from cogs.audience import presentation_among, presentation_to
from cogs.discord_errors import DiscordError, Fault, asking
from cogs.notices import texts
from cogs.notices.places import Place, message_link, place_for
from cogs.play import ids

if TYPE_CHECKING:
    from bot.client import GameBot

CLOSED_FOR: Final = timedelta(hours=1)
"""So long a channel that cannot be written to is left alone."""

MOST_CLOSED: Final = 10_000

CALLS_AFTER_S: Final = (0.0, 1.0, 3.0, 10.0, 30.0)
"""When it is tried to tell somebody that they have been challenged."""

log = structlog.get_logger(__name__)


class Courier:
    """Does errands: tells a player what is new, or takes back what is so no more.

    Args:
        bot: On whose behalf.
        book: What has been said, and to whom nothing can be.
    """

    def __init__(self, bot: GameBot, book: SentNotifications) -> None:
        self._bot = bot
        self._book = book
        self._closed_until: dict[int, datetime] = {}

    async def run(self, errand: PendingNotification) -> bool:
        """Do one errand and tell whether Discord was asked for anything.

        Raises:
            DiscordError: If it cannot be done now, and may be later.
        """
        news, way = errand.news, Way.NONE
        if news is not None:
            match = await self._bot.matches.load(errand.match_id)
            if not news.is_true_of(match):
                return False  # they were faster; what follows from that is an errand of its own
            way = (await self._bot.preferences.of(errand.user_id)).notices
        # One message at most calls a player to a match: the one before goes first.
        taken_back = await self._take_back(errand.match_id, errand.user_id)
        if news is None or way is Way.NONE:
            return taken_back
        sent = await self._tell(news, match, way, errand.nonce)
        if sent is not None and news.kind is not NewsKind.OVER:
            row = NoticeRow(
                match_id=match.id,
                player_id=news.user_id,
                channel_id=sent.channel.id,
                message_id=sent.id,
            )
            await self._book.note(row)
        return True

    async def call(self, challenge: Challenge) -> None:
        """Write to somebody who is challenged by name, if they have asked for messages.

        Where the challenge stands they are mentioned in any case.
        """
        opponent = challenge.opponent
        if opponent is None or challenge.channel_id is None or challenge.message_id is None:
            return
        if (await self._bot.preferences.of(opponent.id)).notices is not Way.DM:
            return
        link = message_link(challenge.guild_id, challenge.channel_id, challenge.message_id)
        presentation = await presentation_to(self._bot, opponent.id, challenge.guild_id)
        with speaking(presentation.language):
            content = f"{texts.challenged(challenge)}\n{link}"
        nonce = secrets.token_hex(12)
        for pause_s in CALLS_AFTER_S:
            await asyncio.sleep(pause_s)
            try:
                await self._send_directly(opponent.id, {"content": content}, nonce)
                return
            except DiscordError as error:
                log.info("not called", challenge=challenge.id, reason=str(error))

    async def _tell(self, news: News, match: Match, way: Way, nonce: str) -> discord.Message | None:
        place = await place_for(self._bot, match, news.user_id)
        if way is Way.CHANNEL and place.channel_id is not None:
            presentation = await presentation_among(self._bot, [news.user_id], match.guild_id)
            with speaking(presentation.language):
                text = await self._words(news, match, place)
            sent = await self._send_there(news.user_id, place.channel_id, text, nonce)
            if sent is not None:
                return sent
        presentation = await presentation_to(self._bot, news.user_id, match.guild_id)
        with speaking(presentation.language):
            text = await self._words(news, match, place)
            given: dict[str, Any] = {"content": text}
            if place.link is None:
                given["view"] = _here(match)
        return await self._send_directly(news.user_id, given, nonce)

    async def _words(self, news: News, match: Match, place: Place) -> str:
        """Return what to say, with the way to the board below it."""
        rated = match.rated and match.is_over
        rating = await self._bot.ratings.changes_of(match.id) if rated else None
        return mentioned(f"{texts.notice(news, match, rating)}\n{place.link or texts.not_shown()}")

    async def _send_there(
        self, user_id: int, channel_id: int, text: str, nonce: str
    ) -> discord.Message | None:
        """Mention somebody where the board is; None where the bot may not write."""
        now = self._bot.matches.context.clock()
        if self._closed_until.get(channel_id, now) > now:
            return None
        channel = self._bot.get_partial_messageable(channel_id)
        only_them = discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[discord.Object(user_id)]
        )
        try:
            with asking():
                return await channel.send(
                    texts.mentioned(user_id, text), allowed_mentions=only_them, nonce=nonce
                )
        except DiscordError as error:
            if error.fault is Fault.PASSING:
                raise
            log.info("no notice where the board is", channel=channel_id, reason=str(error))
            self._close(channel_id, now)
            return None

    def _close(self, channel_id: int, now: datetime) -> None:
        """Remember that a channel cannot be written to: Discord counts who asks in vain."""
        if len(self._closed_until) >= MOST_CLOSED:
            self._closed_until.clear()
        self._closed_until[channel_id] = now + CLOSED_FOR

    async def _send_directly(
        self, user_id: int, given: dict[str, Any], nonce: str
    ) -> discord.Message | None:
        """Write to somebody; who takes no messages is told so at their next answer."""
        try:
            with asking():
                channel = await self._bot.create_dm(discord.Object(user_id))
                sent = await channel.send(**given, nonce=nonce)
        except DiscordError as error:
            if error.fault is Fault.PASSING:
                raise
            log.info("no direct message", player=user_id, reason=str(error))
            await self._book.note_unreached(user_id)
            return None
        await self._book.forget_unreached(user_id)
        return sent

    async def _take_back(self, match_id: int, user_id: int) -> bool:
        """Delete the message that calls a player to a match, if there is one."""
        notice = self._book.find(match_id, user_id)
        if notice is None:
            return False
        channel = self._bot.get_partial_messageable(notice.channel_id)
        try:
            with asking():
                await channel.get_partial_message(notice.message_id).delete()
        except DiscordError as error:
            if error.fault is Fault.PASSING:
                raise
            log.info("notice not taken back", match=match_id, reason=str(error))
        await self._book.drop(match_id, user_id)
        return True


def _here(match: Match) -> discord.ui.View:
    """Return a view with the button that shows the board; sealed, as every view is."""
    view = discord.ui.View(timeout=None)
    view.add_item(
        discord.ui.Button(
            label=texts.here_label(),
            custom_id=ids.here_id(match.id),
            style=discord.ButtonStyle.primary,
        )
    )
    view.stop()
    return view
