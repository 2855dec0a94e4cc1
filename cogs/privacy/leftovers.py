"""Editing messages in channels that still name a player who has deleted their data."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

import structlog

from bot.client import GameBot
from bot.model.errors import PlayerError, RestartingError
from bot.storage.erasing import Outdated, Subject
from cogs.announcements import edit_announcement
from cogs.answering import DiscordError, Fault, asking
from cogs.challenge.showing import edit_challenge, renamed_thread
from cogs.play.showing import edit_posted

PAUSE_S: Final = 10.0
"""Pause between two messages: Discord limits edits of old ones, and people play meanwhile."""

AGAIN_S: Final = 3600.0
"""Pause before a failed edit is tried again."""

log = structlog.get_logger(__name__)


async def edit_all(bot: GameBot, called: asyncio.Event) -> None:
    """Edit these messages one by one, now and whenever it is called, until cancelled.

    They stay in the database until that is done.
    """
    await bot.wait_until_ready()
    while True:
        called.clear()
        try:
            for message in await bot.privacy.list_outdated():
                await edit(bot, message)
                await asyncio.sleep(PAUSE_S)
        except PlayerError as error:  # a full disk, say
            log.warning("old messages not edited", reason=str(error))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(called.wait(), AGAIN_S)


async def edit(bot: GameBot, message: Outdated) -> None:
    """Update a message and cross it out of the list, unless Discord may take it later.

    Raises:
        RestartingError: If the database is being closed.
        StorageFailedError: If it could not be crossed out.
    """
    facts = {"subject": message.subject.value, "number": message.number}
    try:
        await _bring_up_to_date(bot, message)
    except DiscordError as error:
        # Gone, or where the bot may not write any more.
        log.info("old message not edited", reason=str(error), **facts)
        if error.fault is Fault.PASSING:
            return
    except RestartingError:
        raise
    except Exception:
        log.exception("old message cannot be edited", **facts)
    await bot.privacy.cross_out(message)


async def _bring_up_to_date(bot: GameBot, message: Outdated) -> None:
    if message.subject is Subject.CHALLENGE:
        await edit_challenge(bot, await bot.challenges.load(message.number))
        return
    match = await bot.matches.load(message.number)
    try:
        await edit_announcement(bot, match)
    except DiscordError as error:
        if error.fault is Fault.PASSING:
            raise
        log.info("announcement not edited", match=match.id, reason=str(error))
    with asking():
        async with renamed_thread(bot, match):
            await edit_posted(bot, match)
