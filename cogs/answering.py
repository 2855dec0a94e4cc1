"""The wrapper every callback runs in: whatever happens, the player is told.

Answers go out by `answer` and `update_clicked`, which do not give up while Discord waits for them.
"""

from __future__ import annotations

import asyncio
import io
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import discord
import structlog

from bot.language import _, told
from bot.mentions import mentioned
from bot.model.errors import PlayerError, RestartingError, StorageFailedError
from cogs.audience import hear, own_language
from cogs.discord_errors import DiscordError, Fault, asking
from cogs.places import reopen
from engine import EngineError

if TYPE_CHECKING:
    from bot.client import GameBot

T = TypeVar("T")

WHISPERS_AFTER_S: Final = (0.0, 0.3, 1.0, 3.0)
"""When it is tried to tell somebody something in private; after that nobody is left to tell."""

WHISPER_WITHIN_S: Final = 5.0

_ANSWERED: Final = "answered"
_PUBLIC: Final = "public"

log = structlog.get_logger(__name__)

LONGEST_MESSAGE = 2000
"""So many characters Discord takes in a message without components."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A message that an interaction was answered with.

    Attributes:
        message_id: Its number.
        is_private: Whether only who asked sees it, be it that Discord wants it so.
    """

    message_id: int
    is_private: bool


@asynccontextmanager
async def answering(interaction: discord.Interaction[GameBot]) -> AsyncIterator[None]:
    """Speak the player's own language inside, and tell them about anything that goes wrong.

    What others see as well is said inside `with speaking(presentation.language)`.
    """
    with interaction.client.working():
        async with own_language(interaction):
            with suppress(StorageFailedError):  # nobody loses a match then, for want of a disk
                await interaction.client.matches.times.catch_up()
                await hear(interaction)
            try:
                yield
            except (PlayerError, EngineError) as error:
                await whisper(interaction, told(error.sentence))
            except asyncio.CancelledError:
                if not interaction.client.is_draining:
                    raise
                # The bot is stopping and has given this up: whoever waits is told.
                await whisper(interaction, told(RestartingError().sentence))
            except DiscordError as error:
                await _tell_of_loss(interaction, error)
            except Exception:
                await _tell_of_incident(interaction)
        interaction.client.dispatch("answered", interaction)


async def _tell_of_loss(interaction: discord.Interaction[GameBot], error: DiscordError) -> None:
    """Tell the player that Discord did not take an answer, unless the bot is leaving."""
    if interaction.client.is_closed():
        log.info("answer given up", interaction=interaction.id)
        return
    log.warning("answer lost", interaction=interaction.id, reason=str(error))
    await whisper(
        interaction,
        _(
            "Discord did not take my answer. What you asked for may be done all the same: please "
            "look before you try again."
        ),
    )


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


async def whisper(interaction: discord.Interaction[Any], sentence: str) -> bool:
    """Say `sentence` to the one who clicked and nobody else, as first answer or as a later one.

    Returns:
        Whether it was said, as far as is known.
    """
    sentence, may_be_said = _fitted(mentioned(sentence)), False
    for pause_s in WHISPERS_AFTER_S:
        await asyncio.sleep(pause_s)
        try:
            await _send_within(WHISPER_WITHIN_S, partial(_whisper_once, interaction, sentence))
            return True
        except DiscordError as error:
            log.info("whisper failed", interaction=interaction.id, reason=str(error))
            if error.fault is Fault.ANSWERED:
                interaction.extras[_ANSWERED] = True
                if may_be_said:
                    return True
            elif error.fault is not Fault.PASSING:
                break  # the deadline has passed: nobody is left to tell
            may_be_said = error.may_be_done
    return False


def _fitted(sentence: str) -> str:
    """Return a sentence, cut where Discord would refuse it: a refused answer would be none."""
    if len(sentence) <= LONGEST_MESSAGE:
        return sentence
    return f"{sentence[: LONGEST_MESSAGE - 1]}…"


async def _whisper_once(interaction: discord.Interaction[Any], sentence: str) -> None:
    if not is_answered(interaction):
        await interaction.response.send_message(sentence, ephemeral=True)
        return
    if interaction.extras.pop(_PUBLIC, False):
        # What follows a deferred answer is seen by the same people: it has to go first.
        await interaction.delete_original_response()
    await interaction.followup.send(sentence, ephemeral=True)


async def answer(
    interaction: discord.Interaction[Any],
    content: str | None = None,
    *,
    files: Sequence[discord.File] = (),
    ephemeral: bool = False,
    **message: Any,
) -> Answered:
    """Answer with a message.

    Raises:
        DiscordError: If Discord took no answer in time, as far as is known.
    """
    content = None if content is None else mentioned(content)

    async def send() -> Answered:
        sent = await interaction.response.send_message(
            content, files=copies(files), ephemeral=ephemeral, **message
        )
        assert sent.message_id is not None, "it was a message"
        return Answered(sent.message_id, is_private=ephemeral or sent.is_ephemeral())

    try:
        answered = await _insist(interaction, send)
    except DiscordError as error:
        if not error.may_be_done:
            raise
        answered = None
    return answered or await _look_up(interaction)


async def _look_up(interaction: discord.Interaction[Any]) -> Answered:
    """Return an answer whose receipt was lost: whether it is there is for Discord to say."""
    with asking():
        async with asyncio.timeout(WHISPER_WITHIN_S):
            original = await interaction.original_response()
    interaction.extras[_ANSWERED] = True
    return Answered(original.id, is_private=original.flags.ephemeral)


async def update_clicked(
    interaction: discord.Interaction[Any],
    *,
    view: discord.ui.LayoutView,
    files: Sequence[discord.File] | None = None,
) -> None:
    """Answer with the clicked message brought up to date; without `files` it keeps its own.

    Raises:
        DiscordError: If Discord took no answer in time, as far as is known.
    """

    async def edit() -> bool:
        given: dict[str, Any] = {} if files is None else {"attachments": copies(files)}
        await interaction.response.edit_message(view=view, **given)
        return True

    await _insist(interaction, edit)


async def defer(
    interaction: discord.Interaction[Any], *, ephemeral: bool = False, thinking: bool = False
) -> None:
    """Promise an answer: a message if it is `thinking`, else one to come, or none.

    Whether it is private is decided here, for what `fulfil` sends as well.

    Raises:
        DiscordError: If Discord took no answer in time, as far as is known.
    """

    async def promise() -> bool:
        await interaction.response.defer(ephemeral=ephemeral, thinking=thinking)
        return True

    await _insist(interaction, promise)
    if thinking and not ephemeral:
        interaction.extras[_PUBLIC] = True


async def fulfil(
    interaction: discord.Interaction[Any],
    *,
    view: discord.ui.LayoutView,
    files: Sequence[discord.File] = (),
) -> None:
    """Put a message in the place of a deferred answer.

    It is edited and nothing sent after it: Discord has been seen not to find the files then.

    Raises:
        DiscordError: If Discord did not take it.
    """
    for pause_s in WHISPERS_AFTER_S:
        await asyncio.sleep(pause_s)
        try:
            with asking():
                await interaction.edit_original_response(view=view, attachments=copies(files))
            interaction.extras.pop(_PUBLIC, None)
            return
        except DiscordError as error:
            if error.fault is not Fault.PASSING or pause_s == WHISPERS_AFTER_S[-1]:
                raise


def is_answered(interaction: discord.Interaction[Any]) -> bool:
    """Tell whether Discord has an answer; the library knows of none whose receipt was lost."""
    return interaction.response.is_done() or _ANSWERED in interaction.extras


def copies(files: Sequence[discord.File]) -> list[discord.File]:
    """Return files to be sent, so that the given ones can be sent again."""
    copied = []
    for file in files:
        file.reset()
        data = io.BytesIO(file.fp.read())
        copied.append(discord.File(data, filename=file.filename, description=file.description))
    return copied


async def _insist(
    interaction: discord.Interaction[Any], send: Callable[[], Awaitable[T]]
) -> T | None:
    """Answer, and again while Discord waits; None if only the receipt of an answer was lost.

    Raises:
        DiscordError: If Discord took no answer in time, as far as is known.
    """
    time = interaction.client.arrivals.time_of(interaction)
    pause_s, may_be_done, failed = 0.1, False, set[Fault]()
    while True:
        try:
            return await _send_within(time.to_send_s, send)
        except DiscordError as error:
            if error.fault is Fault.ANSWERED:
                interaction.extras[_ANSWERED] = True
                if may_be_done:
                    return None
            may_be_done |= error.may_be_done
            if error.fault is Fault.ARCHIVED and error.fault not in failed:
                # A press does not always open an archived thread, and nothing is edited in one.
                await reopen(interaction.client, interaction.channel_id or 0)
            elif error.fault is not Fault.PASSING or not time.allows_pause(pause_s):
                raise
            failed.add(error.fault)
        await asyncio.sleep(pause_s)
        pause_s *= 3


async def _send_within(seconds: float, send: Callable[[], Awaitable[T]]) -> T:
    with asking():
        async with asyncio.timeout(seconds):
            return await send()


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
            with self.claimed(interaction):
                await self.pressed(interaction)

    def claimed(self, interaction: discord.Interaction[GameBot]) -> AbstractContextManager[None]:
        """Return what keeps others away from the message while it is answered with."""
        del interaction
        return nullcontext()

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
