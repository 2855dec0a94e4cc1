"""The task that tells players what is new."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import discord
import structlog
from discord.ext import commands

from bot.clock import steady_clock
from bot.model.challenge import Challenge
from bot.services.clocks import Reminder
from bot.services.notifications import NotificationQueue, PendingNotification
from bot.services.sent_notifications import SentNotifications
from cogs.answering import whisper
from cogs.audience import own_language
from cogs.discord_errors import DiscordError
from cogs.notices import texts
from cogs.notices.courier import Courier

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)

PAUSE_S = 0.2
"""Between two notices, so that a great many at once, as after an outage, are no flood."""


class Notices(commands.Cog):
    """Tells players what is new, one after the other.

    Attributes:
        current: What is being told at this moment.
    """

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        context = bot.matches.context
        self.book = SentNotifications(context.database, context.clock)
        # What is put off for half a minute must not wait for days if the host's clock is set back.
        self.telling = NotificationQueue(steady_clock, is_called=self.book.find)
        self.courier = Courier(bot, self.book)
        self.current: PendingNotification | None = None

    async def cog_load(self) -> None:
        """Begin to watch matches and to tell."""
        await self.book.open()
        self.bot.matches.context.watchers.append(self.telling.watch)
        self._work = asyncio.create_task(self._tell_all(), name="notices")

    async def cog_unload(self) -> None:
        """Stop both."""
        self.bot.matches.context.watchers.remove(self.telling.watch)
        self._work.cancel()
        await asyncio.gather(self._work, return_exceptions=True)

    @commands.Cog.listener()
    async def on_reminder(self, reminder: Reminder) -> None:
        """Remind somebody whose time runs out."""
        self.telling.remind(reminder.match.id, reminder.user_id)

    @commands.Cog.listener()
    async def on_challenge(self, challenge: Challenge) -> None:
        """Write to somebody who has been challenged by name."""
        await self.courier.call(challenge)

    @commands.Cog.listener()
    async def on_answered(self, interaction: discord.Interaction[GameBot]) -> None:
        """Tell somebody whom no message has reached, once, when they are here anyway."""
        user_id = interaction.user.id
        if self.book.is_unreached(user_id):
            async with own_language(interaction):
                told = await whisper(interaction, texts.not_reached())
            if told:
                await self.book.forget_unreached(user_id)

    async def _tell_all(self) -> None:
        await self.bot.wait_until_ready()
        while True:
            self.current = errand = await self.telling.next()
            try:
                asked = await self.courier.run(errand)
            except DiscordError as error:
                again = self.telling.try_again(errand, may_be_done=error.may_be_done)
                log.info("not told", match=errand.match_id, again=again, reason=str(error))
                asked = True
            except Exception:
                log.exception("could not tell", match=errand.match_id, player=errand.user_id)
                asked = True
            self.current = None
            if asked:
                await asyncio.sleep(PAUSE_S)
