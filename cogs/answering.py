"""The wrapper every callback runs in: whatever happens, the player is told."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

import aiohttp
import discord
import structlog

from bot.errors import PlayerError, RestartingError, StorageFailedError
from bot.language import _, told
from bot.mentions import mentioned
from cogs.audience import own_language
from engine import EngineError

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)

LONGEST_MESSAGE = 2000
"""So many characters Discord takes in a message without components."""


@asynccontextmanager
async def answering(interaction: discord.Interaction[GameBot]) -> AsyncIterator[None]:
    """Speak the player's own language inside, and tell them about anything that goes wrong.

    What others see as well is said inside `with speaking(manner.language)`.
    """
    with interaction.client.working():
        async with own_language(interaction):
            with suppress(StorageFailedError):  # nobody loses a match then, for want of a disk
                await interaction.client.matches.times.catch_up()
            try:
                yield
            except (PlayerError, EngineError) as error:
                await whisper(interaction, told(error.sentence))
            except asyncio.CancelledError:
                if not interaction.client.is_draining:
                    raise
                # The bot is stopping and has given this up: whoever waits is told.
                await whisper(interaction, told(RestartingError().sentence))
            except Exception:
                await _tell_of_incident(interaction)
        interaction.client.dispatch("answered", interaction)


async def _tell_of_incident(interaction: discord.Interaction[GameBot]) -> None:
    """Log what is being handled, and give the player its number."""
    if interaction.client.is_closed():
        # It took longer than a stop waits: the connection went away from under it.
        log.info("answer given up", interaction=interaction.id)
        return
    incident = secrets.token_hex(4)
    log.exception("incident", incident=incident, interaction=interaction.id)
    sentence = _(
        "Something broke on my side (incident {incident}). Your game is kept as it "
        "was last stored: `/board` shows it."
    )
    await whisper(interaction, sentence.format(incident=incident))


async def whisper(interaction: discord.Interaction[Any], sentence: str) -> None:
    """Say `sentence` to the one who clicked and nobody else, as first answer or as a later one.

    One that is too long for Discord is cut: a refused answer would be none.
    """
    sentence = mentioned(sentence)
    if len(sentence) > LONGEST_MESSAGE:
        sentence = f"{sentence[: LONGEST_MESSAGE - 1]}…"
    try:
        if interaction.response.is_done():
            await interaction.followup.send(sentence, ephemeral=True)
        else:
            await interaction.response.send_message(sentence, ephemeral=True)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        # The deadline passed or the connection broke: nobody is left to tell.
        log.warning("whisper failed", interaction=interaction.id, reason=str(error))


class _Sealed:
    """What buttons and menus share: whatever goes wrong is told to the one who clicked.

    discord.py swallows what a dynamic item raises, in its check and in its callback alike;
    both are sealed here.
    """

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Let the click pass unless it is too late to be answered."""
        bot: GameBot = interaction.client
        return await bot.admits(interaction)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Run `pressed`; whatever goes wrong is told to the one who clicked."""
        async with answering(interaction):
            await self.pressed(interaction)

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Do what the button or menu is for: one service call, one answer."""
        raise NotImplementedError


class GameButton(
    _Sealed,
    # The template matches nothing: it is each real button's own to say.
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=r"(?!)",
):
    """A button whose custom id is its whole state, so that it survives restarts."""

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],
        item: discord.ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        """Build the button again from the numbers in its custom id."""
        assert isinstance(item, discord.ui.Button), "the templates are those of buttons"
        numbers = {name: int(text) for name, text in match.groupdict().items()}
        return cls(item, **numbers)


Menu = discord.ui.Select[Any] | discord.ui.ChannelSelect[Any]


class GameMenu(_Sealed, discord.ui.DynamicItem[Menu], template=r"(?!)"):
    """A menu to choose from whose custom id is its whole state, so that it survives restarts."""

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],
        item: discord.ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        """Build the menu again from the words in its custom id."""
        assert isinstance(item, discord.ui.Select | discord.ui.ChannelSelect), "templates of menus"
        words: dict[str, Any] = match.groupdict()
        return cls(item, **words)


def chosen_in(interaction: discord.Interaction[Any]) -> list[str]:
    """Return the values that were chosen in a menu; channels as their numbers."""
    data: Any = interaction.data
    return [str(value) for value in (data or {}).get("values", [])]
