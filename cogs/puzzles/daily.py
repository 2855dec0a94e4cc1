"""The daily puzzle: `/daily`, its post in servers that want one, and shared results."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any, Final

import discord
import structlog
from cachetools import LRUCache
from discord import app_commands
from discord.ext import commands
from discord.utils import time_snowflake

from bot.client import GameBot, Interaction
from bot.language import _
from bot.model.errors import PlayerError
from bot.model.puzzles import DAILY_VARIANT, POSTED_WITHIN, Wanted, post_at
from bot.render import BoardPicture, describe_position, draw_board
from bot.services.publisher import Outcome
from bot.storage import puzzles as rows
from bot.storage.outbox import OutboxKind, OutboxRow
from cogs.announcements import is_doubtful, post_once
from cogs.answering import DiscordError, Fault, GameItem, answer, answering, asking, picture, sealed
from cogs.audience import Presentation, person_of, presentation_among, shared_presentation
from cogs.pages import compact
from cogs.play.layout import IMAGE_NAME
from cogs.play.showing import Drawing
from cogs.puzzles import pages, texts
from cogs.puzzles.cog import current, quest_of, show
from cogs.puzzles.pages import ANSWER, SHARE, TRY, answer_button, try_button

MINUTE_S: Final = 60.0

MOST_LOOKED_AT: Final = 100
"""Discord's limit for messages fetched at once."""

log = structlog.get_logger(__name__)


class DailyPuzzle(commands.Cog):
    """A puzzle that is the same for everybody, each day another one."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        # Servers with the same colours and language share a picture.
        self._pictures: LRUCache[tuple[object, ...], tuple[bytes, str]] = LRUCache(32)
        self._drawing = asyncio.Lock()

    async def cog_load(self) -> None:
        """Start posting; the publisher handles what was in the outbox before a restart."""
        self.bot.publisher.senders[OutboxKind.DAILY] = self._send
        self._watching = asyncio.create_task(self._watch(), name="daily puzzle")

    async def cog_unload(self) -> None:
        """Stop posting."""
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)

    @app_commands.command()
    async def daily(self, interaction: Interaction) -> None:
        """Solve today's puzzle, the same for everyone."""
        async with answering(interaction):
            await _give(interaction, interaction.client.puzzles.today)

    async def _watch(self) -> None:
        await self.bot.ready_once.wait()
        while True:
            try:
                await self.look()
            except PlayerError as error:
                log.warning("no daily puzzle posted", reason=str(error))
            except Exception:
                log.exception("no daily puzzle posted")
            await asyncio.sleep(MINUTE_S - self.bot.puzzles.clock().timestamp() % MINUTE_S)

    async def look(self) -> None:
        """Begin to post wherever the puzzle is due.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        for row in await self.bot.puzzles.enter_due():
            self.bot.publisher.check(row)

    async def _send(self, row: OutboxRow) -> Outcome:
        """Post the puzzle of a day in a server, once."""
        try:
            return await self._post(row)
        except DiscordError as error:
            log.info("no daily puzzle posted", guild=row.message_id, reason=str(error))
            return Outcome.LATER if error.fault is Fault.PASSING else Outcome.GONE

    async def _post(self, row: OutboxRow) -> Outcome:
        bot, guild_id, day = self.bot, row.message_id, row.number
        settings, now = await bot.servers.of(guild_id), bot.puzzles.clock()
        is_late = now >= post_at(day, guild_id, settings.daily_hour) + POSTED_WITHIN
        if settings.daily_channel is None or is_late:
            log.info("daily puzzle skipped", guild=guild_id, late=is_late)
            return Outcome.GONE
        if is_doubtful(row, bot.matches.clock()) and await self._may_be_there(row):
            return Outcome.SHOWN
        presentation, role_id = await presentation_among(bot, [], guild_id), settings.daily_role
        roles = [] if role_id is None else [discord.Object(role_id)]
        await post_once(
            bot,
            row,
            await self._drawn(day, presentation, role_id),
            nonce=f"daily.{compact(guild_id)}.{day}",
            silent=role_id is None,
            allowed_mentions=discord.AllowedMentions(
                everyone=False, users=False, roles=roles, replied_user=False
            ),
        )
        return Outcome.SHOWN

    async def _may_be_there(self, row: OutboxRow) -> bool:
        """Return whether a post may have arrived whose nonce Discord does not know any more.

        If the bot may not read the channel's history, True: no post is better than two.

        Raises:
            DiscordError: If Discord does not tell.
        """
        assert row.tried_at is not None, "else it was not sent"
        assert self.bot.user is not None, "known since the login"
        with asking():
            guild = await self.bot.fetch_server(row.message_id)
            channel = guild.get_channel(row.channel_id)
            if channel is not None and not channel.permissions_for(guild.me).read_message_history:
                return True
            after = time_snowflake(row.tried_at - timedelta(seconds=MINUTE_S))
            found = await self.bot.http.logs_from(row.channel_id, MOST_LOOKED_AT, after=after)
        own = [each for each in found if int(each["author"]["id"]) == self.bot.user.id]
        button = answer_button(row.number).custom_id
        return any(f'"{button}"' in json.dumps(each.get("components")) for each in own)

    async def _drawn(self, day: int, presentation: Presentation, role_id: int | None) -> Drawing:
        """Lay out the post of a day in a language and colours."""
        book, theme = self.bot.puzzles, presentation.theme
        puzzle = await book.puzzle_of(day)
        before = await book.database.read(rows.load_turnout, day - 1)
        with presentation.spoken():
            async with self._drawing:
                key = (puzzle.id, theme, presentation.language)
                if key not in self._pictures:
                    board = BoardPicture(puzzle.start().position, theme=theme)
                    alt = describe_position(board.position, board.names)
                    self._pictures[key] = await asyncio.to_thread(draw_board, board), alt
            image, file = picture(IMAGE_NAME, *self._pictures[key])
            container = discord.ui.Container[Any](
                discord.ui.TextDisplay(texts.post(puzzle, day, before)),
                image,
                discord.ui.ActionRow(try_button(day), answer_button(day)),
                accent_colour=discord.Colour.from_rgb(*theme.marks[puzzle.side]),
            )
            return sealed(*([f"<@&{role_id}>"] if role_id else []), container), [file]


async def _give(interaction: Interaction, day: int) -> None:
    """Answer with the puzzle of a day, or with how the user did."""
    found = await interaction.client.puzzles.give_daily(person_of(interaction.user), day)
    quest = await quest_of(interaction, Wanted(variant_key=DAILY_VARIANT, day=day), found)
    await show(interaction, current(quest))


class _DayItem(GameItem, template=r"(?!)"):
    """A button of a day's puzzle."""

    day: int


class TryButton(_DayItem, template=TRY):
    """Gives the puzzle of a day."""

    async def pressed(self, interaction: Interaction) -> None:
        """Answer with it, in private."""
        await _give(interaction, self.day)


class AnswerButton(_DayItem, template=ANSWER):
    """Shows the solution of a day's puzzle."""

    async def pressed(self, interaction: Interaction) -> None:
        """Answer with it, in private."""
        found = await interaction.client.puzzles.answer_daily(person_of(interaction.user), self.day)
        wanted = Wanted(variant_key=DAILY_VARIANT, day=self.day)
        quest = await quest_of(interaction, wanted, found)
        await show(interaction, pages.solution(quest, 1))


class ShareButton(_DayItem, template=SHARE):
    """Shows everybody how somebody did, without the moves."""

    async def pressed(self, interaction: Interaction) -> None:
        """Answer with it for all to see, once."""
        book, user = interaction.client.puzzles, interaction.user
        puzzle = await book.puzzle_of(self.day)
        found = (await book.round_of(user.id, DAILY_VARIANT, puzzle.id, self.day)).daily
        if found is None or not await book.claim_share(user.id, self.day):
            raise PlayerError(_("There is nothing to share: you can share each result once."))
        with (await shared_presentation(interaction)).spoken():
            said = texts.shared(user.display_name, found.row, found.streak.current)
            view = sealed(said, [try_button(self.day)])
        is_seen = True
        try:
            is_seen = not (await answer(interaction, view=view)).is_private
        except DiscordError as error:
            is_seen = error.may_be_done
            raise
        finally:
            if not is_seen:
                await book.claim_share(user.id, self.day, shared=False)


BUTTONS = (TryButton, AnswerButton, ShareButton)
