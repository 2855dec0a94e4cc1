"""Notifying players: a mention where the board is, or a direct message."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

import discord
import structlog
from cachetools import TTLCache
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.clock import steady_clock
from bot.language import _, label, mentioned
from bot.model.errors import PlayerError
from bot.model.match import Match
from bot.model.notices import News, NewsKind
from bot.model.preferences import Notices as Way
from bot.services.notifications import (
    SAID_ONCE_FOR,
    NotificationQueue,
    PendingNotification,
    SentNotifications,
)
from bot.storage.database import PROCESSES
from bot.storage.notices import NoticeRow
from bot.storage.outbox import OutboxKind, OutboxRow
from cogs.answering import (
    DiscordError,
    Fault,
    GameItem,
    answer,
    asking,
    button,
    sealed,
    update_clicked,
    whisper,
)
from cogs.audience import Presentation, own_language, presentation_among, presentation_to
from cogs.notices import texts
from cogs.play.layout import MATCH
from cogs.play.showing import message_link, sender

CLOSED_FOR_S: Final = 3600.0
"""How long to leave alone a channel that takes no messages, or a person who did not ask for one."""

MOST_CLOSED: Final = 10_000

USER: Final = r"(?P<user_id>\d{1,20})"

PAUSE_S = 0.2
"""The pause between two notices, so that many at once, as after an outage, are no flood."""

log = structlog.get_logger(__name__)


async def place_for(bot: GameBot, match: Match, user_id: int) -> tuple[str | None, int | None]:
    """Return where a player of a match finds its board.

    A board in the other player's conversation with the bot is hidden from them.

    Returns:
        The link to the board, None if they cannot see it; and the channel where they can be
        mentioned in front of others, None if there is none.
    """
    channel_id, message_id = match.channel_id, match.message_id
    if channel_id is None or message_id is None:
        return None, None
    guild_id = bot.guild_of(channel_id)
    reader = None if guild_id is not None else await bot.publisher.reader_of(match.id)
    if reader is not None:
        link = message_link(None, channel_id, message_id)
        return (link if reader == user_id else None), None
    return message_link(guild_id or match.guild_id, channel_id, message_id), channel_id


class Notices(commands.Cog):
    """Tells players what is new, one after the other.

    Attributes:
        current: What is being told at this moment.
    """

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        self.book = SentNotifications(bot.matches.database, bot.matches.clock)
        # A notice put off for half a minute must not wait for days if the host's clock is set back.
        self.telling = NotificationQueue(steady_clock, self.book.find, self._way_of)
        self.current: PendingNotification | None = None
        self._closed: TTLCache[int, bool] = TTLCache(MOST_CLOSED, CLOSED_FOR_S)

    async def cog_load(self) -> None:
        """Start notifying, beginning with what an earlier process has left."""
        await self.bot.preferences.open()
        await self._take_over()
        database = self.bot.matches.database
        database.keep_current("notice", self.book.hear)
        database.keep_current("mute", self.book.hear)
        database.keep_current("unreached", self._hear_unreached)
        database.keep_current(PROCESSES, self._take_over)
        self.bot.matches.notifications = self.telling
        self.bot.publisher.senders[OutboxKind.CALL] = sender(self.bot, self._call)
        self._work = asyncio.create_task(self._tell_all(), name="notices")

    async def _take_over(self, _key: str | None = None) -> None:
        """Take over the notices that another process has left, even one that ran before."""
        for news in self.telling.restore(await self.book.open(), self.bot.matches.clock()):
            await self.book.finish(news)
        self._listen()

    async def _hear_unreached(self, key: str | None) -> None:
        await self.book.hear_unreached(key)
        self._listen()

    async def cog_unload(self) -> None:
        """Stop telling."""
        self.bot.matches.notifications = None
        self._work.cancel()
        await asyncio.gather(self._work, return_exceptions=True)

    def _way_of(self, match_id: int, user_id: int) -> Way:
        is_muted = (match_id, user_id) in self.book.muted
        return Way.NONE if is_muted else self.bot.preferences.notices_of(user_id)

    def _listen(self) -> None:
        """Listen to answers while there is somebody whom no message has reached."""
        self.bot.remove_listener(self._answered, "on_answered")
        if self.book.unreached:
            self.bot.add_listener(self._answered, "on_answered")

    async def _answered(self, interaction: Interaction) -> None:
        """Tell somebody whom no message has reached, once, when they use the bot anyway."""
        user_id = interaction.user.id
        if user_id in self.book.unreached:
            async with own_language(interaction):
                told = await whisper(interaction, texts.not_reached())
            if told:
                await self.book.forget_unreached(user_id)
                self._listen()

    async def _tell_all(self) -> None:
        await self.bot.wait_until_ready()
        while True:
            self.current = errand = await self.telling.next()
            try:
                asked = await self._run_or_plan(errand)
            except Exception:
                log.exception("could not tell", match=errand.match_id, player=errand.user_id)
                asked = True
            self.current = None
            if asked:
                await asyncio.sleep(PAUSE_S)

    async def _run_or_plan(self, errand: PendingNotification) -> bool:
        """Do one errand, or plan it again; return whether Discord was asked for anything."""
        try:
            return await self._run(errand)
        except DiscordError as error:
            again = self.telling.try_again(errand, may_be_done=error.may_be_done)
            log.info("not told", match=errand.match_id, again=again, reason=str(error))
            if errand.news is not None and not again:
                await self.book.finish(errand.news)
            return True

    async def _run(self, errand: PendingNotification) -> bool:
        """Do one errand and return whether Discord was asked for anything.

        Raises:
            DiscordError: If it cannot be done now, and may be later.
        """
        news, key = errand.news, (errand.match_id, errand.user_id)
        if news is None:
            return await self._take_back(errand.said)
        match, way = await self.bot.matches.load(errand.match_id), self._way_of(*key)
        is_called = news.kind is NewsKind.WAITING and self.telling.is_called(*key)
        # If the player acted first, what follows from that is an errand of its own.
        if is_called or not news.is_true_of(match):
            await self.book.finish(news)
            return False
        # At most one message calls a player to a match: the earlier one is deleted first.
        taken_back = await self._take_back(self.book.find(*key))
        if way is Way.NONE:
            await self.book.finish(news)
        if way is Way.NONE or not await self.book.note_tried(news):
            return taken_back
        sent = await self._tell(news, match, way, errand.nonce)
        self.telling.take_back(await self.book.finish(news, _row_of(news, sent)))
        if not news.is_true_of(await self.bot.matches.load(match.id)):
            self.telling.take_back(self.book.find(*key))  # they have moved while it was sent
        return True

    async def _call(self, bot: GameBot, row: OutboxRow) -> None:
        """Write to somebody who was challenged by name; the challenge itself mentions them too.

        Raises:
            DiscordError: If Discord does not take it.
        """
        challenge = await bot.challenges.load(row.number)
        is_late = bot.matches.clock() - challenge.created_at > SAID_ONCE_FOR
        opponent = challenge.opponent
        if opponent is None or not challenge.is_open or is_late:
            return
        link = message_link(challenge.guild_id, row.channel_id, row.message_id)
        with (await presentation_to(bot, opponent.id, challenge.guild_id)).spoken():
            content = f"{texts.challenged(challenge)}\n{link}"
        given = {"content": content, "nonce": f"challenge.{row.number}"}
        await self._send_directly(opponent.id, given)

    async def _tell(self, news: News, match: Match, way: Way, nonce: str) -> discord.Message | None:
        user_id, given = news.user_id, dict[str, Any](nonce=nonce)
        link, channel_id = await place_for(self.bot, match, user_id)
        if way is not Way.DM and channel_id is not None:
            presentation = await presentation_among(self.bot, [user_id], match.guild_id)
            given |= await self._message(news, match, link, presentation)
            sent = await self._send_there(user_id, channel_id, given)
            if sent is not None:
                return sent
        presentation = await presentation_to(self.bot, user_id, match.guild_id)
        given |= await self._message(news, match, link, presentation)
        return await self._send_directly(user_id, given, asked=way is not Way.AUTO)

    async def _message(
        self, news: News, match: Match, link: str | None, presentation: Presentation
    ) -> dict[str, Any]:
        """Return what to say, with the link to the board below it, and the buttons."""
        rated = match.rated and match.is_over
        rating = await self.bot.ratings.changes_of(match.id) if rated else None
        with presentation.spoken():
            said = f"{texts.notice(news, match, rating)}\n{link or texts.not_shown()}"
            return {"content": mentioned(said), "view": _buttons(news, link)}

    async def _send_there(
        self, user_id: int, channel_id: int, given: dict[str, Any]
    ) -> discord.Message | None:
        """Mention somebody where the board is; None where the bot may not write."""
        if channel_id in self._closed:
            return None
        channel = self.bot.get_partial_messageable(channel_id)
        given = given | {"content": f"<@{user_id}> {given['content']}"}
        only_them = discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[discord.Object(user_id)]
        )
        try:
            with asking():
                return await channel.send(**given, allowed_mentions=only_them)
        except DiscordError as error:
            if error.fault is Fault.PASSING:
                raise
            log.info("no notice where the board is", channel=channel_id, reason=str(error))
            self._closed[channel_id] = True  # Discord counts failed requests
            return None

    async def _send_directly(
        self, user_id: int, given: dict[str, Any], *, asked: bool = True
    ) -> discord.Message | None:
        """Write to somebody; if they `asked` but take no messages, their next answer says so."""
        if not asked and user_id in self._closed:
            return None
        try:
            with asking():
                channel = await self.bot.create_dm(discord.Object(user_id))
                sent = await channel.send(**given)
        except DiscordError as error:
            if error.fault is Fault.PASSING:
                raise
            log.info("no direct message", player=user_id, reason=str(error))
            if asked:
                await self.book.note_unreached(user_id)
                self._listen()
            else:
                self._closed[user_id] = True
            return None
        await self.book.forget_unreached(user_id)
        return sent

    async def clear(self, match_id: int, user_id: int, message: discord.Message | None) -> None:
        """Delete what calls a player to a match, and `message` if it was left from before."""
        said = self.book.find(match_id, user_id)
        self.telling.take_back(said)
        if message is not None and (said is None or said.message_id != message.id):
            with suppress(DiscordError), asking():
                await message.delete()

    async def _take_back(self, said: NoticeRow | None) -> bool:
        """Delete a message that calls a player to a match, if there is one."""
        if said is None:
            return False
        channel = self.bot.get_partial_messageable(said.channel_id)
        try:
            with asking():
                await channel.get_partial_message(said.message_id).delete()
        except DiscordError as error:
            if error.fault is Fault.PASSING:
                raise
            log.info("notice not taken back", match=said.match_id, reason=str(error))
        await self.book.drop(said)
        return True


def _row_of(news: News, sent: discord.Message | None) -> NoticeRow | None:
    """Return the row of a message that stands until its reader has moved."""
    if sent is None or news.kind is NewsKind.OVER:
        return None
    return NoticeRow(
        match_id=news.match_id,
        player_id=news.user_id,
        channel_id=sent.channel.id,
        message_id=sent.id,
    )


def _buttons(news: News, link: str | None) -> discord.ui.View:
    """Return the buttons below a notice, in a sealed view, like every view."""
    view = discord.ui.View(timeout=None)
    if link is None:
        primary = discord.ButtonStyle.primary
        view.add_item(button(label("Play here"), "here", news.match_id, style=primary))
    if news.kind is not NewsKind.OVER:
        view.add_item(button(label("Mute"), "mute", news.match_id, news.user_id))
    view.stop()
    return view


class MuteButton(GameItem, template=rf"mute:{MATCH}:{USER}"):
    """Stops the notices about one match for the player whom the notice is for."""

    match_id: int
    user_id: int

    async def pressed(self, interaction: Interaction) -> None:
        """Store it, say so in private with a button to undo it, and delete the notice."""
        notices = _notices_for(interaction, self.user_id)
        await notices.book.mute(self.match_id, self.user_id)
        undo = button(label("Unmute"), "unmute", self.match_id, self.user_id)
        view = sealed(texts.muted(self.match_id), [undo])
        await answer(interaction, view=view, ephemeral=True)
        await notices.clear(self.match_id, self.user_id, interaction.message)


class UnmuteButton(GameItem, template=rf"unmute:{MATCH}:{USER}"):
    """Resumes the notices about one match."""

    match_id: int
    user_id: int

    async def pressed(self, interaction: Interaction) -> None:
        """Forget it, and say so in the private message."""
        notices = _notices_for(interaction, self.user_id)
        await notices.book.unmute(self.match_id, self.user_id)
        await update_clicked(interaction, view=sealed(texts.unmuted(self.match_id)))


def _notices_for(interaction: Interaction, user_id: int) -> Notices:
    """Return the `Notices` cog, if the user is the one that a button is for.

    Raises:
        PlayerError: If somebody else presses.
    """
    if interaction.user.id != user_id:
        words = _("This notification is for someone else: only they can mute the game here.")
        raise PlayerError(words)
    notices = interaction.client.get_cog("Notices")
    assert isinstance(notices, Notices), "it has added the buttons"
    return notices


async def setup(bot: GameBot) -> None:
    """Start notifying."""
    bot.add_dynamic_items(MuteButton, UnmuteButton)
    await bot.add_cog(Notices(bot))
