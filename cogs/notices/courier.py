"""Carrying news to players: a mention where the board is, or a message of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
import structlog

from bot.language import speaking
from bot.matches import Challenge, Errand, Match, News, NewsKind, NoticeBook
from bot.mentions import mentioned
from bot.players.preferences import Notices as Way
from bot.storage.notices import NoticeRow
from cogs.audience import manner_among, manner_to
from cogs.notices import texts
from cogs.notices.places import Place, message_link, place_for
from cogs.play import ids

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)


class Courier:
    """Does errands: tells a player what is new, or takes back what is so no more.

    Args:
        bot: On whose behalf.
        book: What has been said, and to whom nothing can be.
    """

    def __init__(self, bot: GameBot, book: NoticeBook) -> None:
        self._bot = bot
        self._book = book

    async def run(self, errand: Errand) -> bool:
        """Do one errand and tell whether Discord was asked for anything."""
        news = errand.news
        way = Way.NONE
        if news is not None:
            match = await self._bot.matches.load(errand.match_id)
            if not news.is_true_of(match):
                return False  # they were faster; what follows from that is an errand of its own
            way = (await self._bot.preferences.of(errand.user_id)).notices
        # One message at most calls a player to a match: the one before goes first.
        taken_back = await self._take_back(errand.match_id, errand.user_id)
        if news is None or way is Way.NONE:
            return taken_back
        sent = await self._tell(news, match, way)
        if sent is not None and news.kind is not NewsKind.OVER:
            await self._book.note(
                NoticeRow(
                    match_id=match.id,
                    player_id=news.user_id,
                    channel_id=sent.channel.id,
                    message_id=sent.id,
                )
            )
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
        manner = await manner_to(self._bot, opponent.id, challenge.guild_id)
        with speaking(manner.language):
            content = f"{texts.challenged(challenge)}\n{link}"
        await self._send_directly(opponent.id, {"content": content})

    async def _tell(self, news: News, match: Match, way: Way) -> discord.Message | None:
        place = await place_for(self._bot, match, news.user_id)
        if way is Way.CHANNEL and place.channel_id is not None:
            manner = await manner_among(self._bot, [news.user_id], match.guild_id)
            with speaking(manner.language):
                text = await self._words(news, match, place)
            sent = await self._send_there(news.user_id, place.channel_id, text)
            if sent is not None:
                return sent
        manner = await manner_to(self._bot, news.user_id, match.guild_id)
        with speaking(manner.language):
            text = await self._words(news, match, place)
            given: dict[str, Any] = {"content": text}
            if place.link is None:
                given["view"] = _here(match)
        return await self._send_directly(news.user_id, given)

    async def _words(self, news: News, match: Match, place: Place) -> str:
        """Return what to say, with the way to the board below it."""
        rated = match.rated and match.is_over
        rating = await self._bot.ratings.changes_of(match.id) if rated else None
        return mentioned(f"{texts.notice(news, match, rating)}\n{place.link or texts.not_shown()}")

    async def _send_there(self, user_id: int, channel_id: int, text: str) -> discord.Message | None:
        """Mention somebody where the board is; None where the bot may not write."""
        channel = self._bot.get_partial_messageable(channel_id)
        only_them = discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[discord.Object(user_id)]
        )
        try:
            return await channel.send(texts.mentioned(user_id, text), allowed_mentions=only_them)
        except (discord.Forbidden, discord.NotFound) as error:
            log.info("no notice where the board is", channel=channel_id, code=error.code)
            return None

    async def _send_directly(self, user_id: int, given: dict[str, Any]) -> discord.Message | None:
        """Write to somebody; who takes no messages is told so at their next answer."""
        try:
            channel = await self._bot.create_dm(discord.Object(user_id))
            sent = await channel.send(**given)
        except (discord.Forbidden, discord.NotFound) as error:
            log.info("no direct message", player=user_id, code=error.code)
            await self._book.note_unreached(user_id)
            return None
        await self._book.forget_unreached(user_id)
        return sent

    async def _take_back(self, match_id: int, user_id: int) -> bool:
        """Delete the message that calls a player to a match, if there is one."""
        notice = await self._book.drop(match_id, user_id)
        if notice is None:
            return False
        channel = self._bot.get_partial_messageable(notice.channel_id)
        try:
            await channel.get_partial_message(notice.message_id).delete()
        except discord.HTTPException as error:
            log.info("notice not taken back", match=match_id, code=error.code)
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
