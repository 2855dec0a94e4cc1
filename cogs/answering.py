"""Answering clicks and commands: whatever happens, the player is told.

Every callback runs in `answering`. Answers go out through `answer` and `update_clicked`, which try
again while Discord waits. All other requests to Discord are made inside `asking`: any failure
becomes a `DiscordError`, which says what can be done about it.
"""

from __future__ import annotations

import asyncio
import io
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, ClassVar, Final, Self, TypeVar

import discord
import structlog

from bot.client import DISCORD_FAILURES, GameBot, Interaction, described
from bot.language import _, mentioned, told
from bot.model.errors import PlayerError, RestartingError
from bot.model.preferences import language_of
from bot.operations import CLICK
from cogs.audience import own_language
from engine import EngineError

WHISPERS_AFTER_S: Final = (0.0, 0.3, 1.0, 3.0)
"""The pause before each attempt to tell somebody something in private."""

WHISPER_WITHIN_S: Final = 5.0

LONGEST_MESSAGE: Final = 2000
"""Discord's limit for a message without components, in characters."""

LONGEST_VIEW: Final = 4000
"""Discord's limit for all texts of a message with components together, in characters."""

# Notes that are kept with an interaction: Discord has an answer; a public one is still to come.
_ANSWERED: Final = "answered"
_PUBLIC: Final = "public"

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Fault(Enum):
    """Kinds of failure, by what can be done about them."""

    PASSING = "passing"  # the network, a limit, an outage: try the same again later
    TOO_LATE = "too-late"  # the interaction cannot be answered any more
    ANSWERED = "answered"  # it has been answered before
    EXPIRED = "expired"  # its webhook no longer works
    MISSING = "missing"  # the message is not there
    ARCHIVED = "archived"  # the thread has to be opened again first
    REFUSED = "refused"  # this message is refused, another may be accepted
    CLOSED = "closed"  # the bot may not write there, or there is no such place


_BY_CODE = {
    10003: Fault.CLOSED,  # unknown channel
    10004: Fault.CLOSED,  # unknown server
    10008: Fault.MISSING,
    10015: Fault.EXPIRED,  # unknown webhook
    10062: Fault.TOO_LATE,
    30046: Fault.REFUSED,  # an old message was edited too often
    40003: Fault.PASSING,  # conversations begun too fast, although it comes as a 403
    40060: Fault.ANSWERED,
    50027: Fault.EXPIRED,
    50083: Fault.ARCHIVED,
}


class DiscordError(Exception):
    """Discord did not do what it was asked for, as far as is known.

    Attributes:
        fault: What is wrong.
        code: Discord's error code; 0 if it gave none.
        may_be_done: Whether Discord may have done it and only its response was lost.
        is_limit: Whether a rate limit or a time limit was hit.
    """

    def __init__(self, error: BaseException) -> None:
        self.fault, self.code, self.may_be_done = _judge(error)
        self.is_limit = isinstance(error, discord.RateLimited | TimeoutError)
        super().__init__(f"{self.fault.value}: {type(error).__name__}: {error}")


@contextmanager
def asking() -> Iterator[None]:
    """Ask Discord for something inside.

    Raises:
        DiscordError: If that failed for any reason but a bug of ours.
    """
    try:
        yield
    except DISCORD_FAILURES as error:
        raise DiscordError(error) from error


def _judge(error: BaseException) -> tuple[Fault, int, bool]:
    if not isinstance(error, discord.HTTPException):
        # A rate limit that is not waited for, or a connection that broke.
        return Fault.PASSING, 0, not isinstance(error, discord.RateLimited)
    if error.code in _BY_CODE:
        fault = _BY_CODE[error.code]
        # The library tries again by itself if only the receipt of an answer was lost.
        return fault, error.code, fault is Fault.ANSWERED
    if error.status == 429 or error.status == 401 or error.status >= 500:
        return Fault.PASSING, error.code, error.status >= 500
    if error.status == 403:
        # Without an error code it is not Discord that refuses, but something in front of it.
        return (Fault.CLOSED if error.code else Fault.PASSING), error.code, False
    return Fault.REFUSED, error.code, False


async def reopen(bot: GameBot, channel_id: int) -> None:
    """Take a thread out of the archive, as any member may unless it is locked.

    Raises:
        DiscordError: If the bot may not.
    """
    with asking():
        await bot.http.edit_channel(channel_id, reason=None, archived=False)


class Verbatim(discord.ui.TextDisplay[Any]):
    """A text in which no command becomes a mention, such as one to be copied."""


Button = discord.ui.Button[Any]

Part = str | Sequence[Button] | discord.ui.Item[Any]
"""A text, a row of buttons or another component."""


def custom_id(kind: str, *parts: object) -> str:
    """Write the custom id of a button, such as "cell:17:4:4:40"."""
    return ":".join(map(str, (kind, *parts)))


def button(
    text: str,
    kind: str,
    *parts: object,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    disabled: bool = False,
) -> Button:
    """Return a button; `kind` and `parts` are its custom id."""
    return Button(label=text, custom_id=custom_id(kind, *parts), style=style, disabled=disabled)


def boxed(*parts: Part, colour: discord.Colour | None = None) -> discord.ui.Container[Any]:
    """Put parts of a message into a container, with a bar in a colour at its side."""
    return discord.ui.Container(*map(_component, parts), accent_colour=colour)


def _component(part: Part) -> discord.ui.Item[Any]:
    if isinstance(part, str):
        return discord.ui.TextDisplay(part)
    return part if isinstance(part, discord.ui.Item) else discord.ui.ActionRow(*part)


def sealed(*parts: Part) -> discord.ui.LayoutView:
    """Put the parts of a message into a view to be sent.

    The view is stopped, so that the library forgets it once it is sent instead of keeping one for
    every message: presses are received by dynamic items, which need no view.
    """
    view = discord.ui.LayoutView(timeout=None)
    for part in parts:
        view.add_item(_component(part))
    for each in view.walk_children():
        if isinstance(each, discord.ui.TextDisplay) and not isinstance(each, Verbatim):
            each.content = mentioned(each.content)
    view.stop()
    return view


def picture(name: str, png: bytes, alt: str) -> tuple[discord.ui.MediaGallery[Any], discord.File]:
    """Return an image as a component, with its alt text, and as a file."""
    item = discord.MediaGalleryItem(f"attachment://{name}", description=alt)
    return discord.ui.MediaGallery(item), discord.File(io.BytesIO(png), filename=name)


@dataclass(frozen=True, slots=True)
class Answered:
    """A message that an interaction was answered with; Discord may make any of them private."""

    message_id: int
    is_private: bool


@asynccontextmanager
async def answering(interaction: Interaction) -> AsyncIterator[None]:
    """Speak the player's own language inside, and tell them about anything that goes wrong.

    Text that others see as well goes inside `with presentation.spoken()`.
    """
    bot = interaction.client
    with bot.working(), bot.concurrency.working(interaction.id):
        async with own_language(interaction):
            await _catch_up(interaction)
            try:
                yield
            except (PlayerError, EngineError) as error:
                await whisper(interaction, told(error.sentence))
            except asyncio.CancelledError:
                if not bot.is_draining:
                    raise
                # The bot is stopping and has given this up.
                await whisper(interaction, told(RestartingError().sentence))
            except Exception as error:
                await _tell_of_failure(interaction, error)
        bot.dispatch("answered", interaction)


async def _catch_up(interaction: Interaction) -> None:
    """Do what is due before any answer; its failures never prevent the answer."""
    try:
        await interaction.client.matches.catch_up()
        # What is shown to them without a click needs the language of their Discord.
        language = language_of(str(interaction.locale))
        await interaction.client.preferences.hear(interaction.user.id, language)
    except PlayerError as error:  # with a full disk nobody loses on time
        log.info("not caught up", reason=str(error), **described(interaction))
    except Exception:
        log.exception("not caught up", **described(interaction))


async def _tell_of_failure(interaction: Interaction, error: Exception) -> None:
    """Log the error being handled, and tell the player: Discord's, or a bug with its number."""
    if interaction.client.is_closed():
        # It took longer than a stop waits: the connection was closed meanwhile.
        log.info("answer given up", interaction=interaction.id)
        return
    if isinstance(error, DiscordError):
        log.warning("answer lost", reason=str(error), **described(interaction))
        sentence = _(
            "Discord did not take my answer. What you asked for may have been done all the same: "
            "check before you try again."
        )
    else:
        incident = secrets.token_hex(4)
        log.exception("incident", incident=incident, **described(interaction))
        sentence = _(
            "Something broke on my side (incident {incident}). Your game is kept as it "
            "was last stored: `/board` shows it."
        ).format(incident=incident)
    await whisper(interaction, sentence)


async def whisper(interaction: discord.Interaction[Any], sentence: str) -> bool:
    """Tell the user something in private, as the first answer or a later one.

    Returns:
        Whether it was sent, as far as is known.
    """
    sentence, may_be_said = mentioned(sentence), False
    if len(sentence) > LONGEST_MESSAGE:
        sentence = f"{sentence[: LONGEST_MESSAGE - 1]}…"
    for pause_s in WHISPERS_AFTER_S:
        await asyncio.sleep(pause_s)
        try:
            send = partial(_whisper_once, interaction, sentence)
            await _send_within(interaction, WHISPER_WITHIN_S, send)
            return True
        except DiscordError as error:
            log.info("whisper failed", interaction=interaction.id, reason=str(error))
            if error.fault is Fault.ANSWERED:
                interaction.extras[_ANSWERED] = True
                if may_be_said:
                    return True
            elif error.fault is not Fault.PASSING:
                break  # past Discord's deadline
            may_be_said = error.may_be_done
    return False


async def _whisper_once(interaction: discord.Interaction[Any], sentence: str) -> None:
    if not is_answered(interaction):
        await interaction.response.send_message(sentence, ephemeral=True)
        return
    if interaction.extras.pop(_PUBLIC, False):
        # A follow-up to a deferred answer is seen by the same people: delete that answer first.
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
    """Ask Discord for an answer whose receipt was lost: it may be a board not stored anywhere."""
    for pause_s in WHISPERS_AFTER_S:
        await asyncio.sleep(pause_s)
        try:
            original = await _send_within(
                interaction, WHISPER_WITHIN_S, interaction.original_response
            )
            break
        except DiscordError as error:
            if error.fault is not Fault.PASSING or pause_s == WHISPERS_AFTER_S[-1]:
                raise
    interaction.extras[_ANSWERED] = True
    return Answered(original.id, is_private=original.flags.ephemeral)


async def update_clicked(
    interaction: discord.Interaction[Any],
    *,
    view: discord.ui.LayoutView,
    files: Sequence[discord.File] | None = None,
) -> None:
    """Answer by updating the clicked message; without `files` it keeps its own.

    Raises:
        DiscordError: If Discord took no answer in time, as far as is known.
    """

    async def edit() -> None:
        given: dict[str, Any] = {} if files is None else {"attachments": copies(files)}
        await interaction.response.edit_message(view=view, **given)

    await _insist(interaction, edit)


async def defer(
    interaction: discord.Interaction[Any], *, ephemeral: bool = False, thinking: bool = False
) -> None:
    """Promise an answer: a new message if `thinking`, else an update of the clicked one, or none.

    `ephemeral` also decides whether what `fulfil` sends is private.

    Raises:
        DiscordError: If Discord took no answer in time, as far as is known.
    """
    send = partial(interaction.response.defer, ephemeral=ephemeral, thinking=thinking)
    await _insist(interaction, send)
    if thinking and not ephemeral:
        interaction.extras[_PUBLIC] = True


async def fulfil(
    interaction: discord.Interaction[Any],
    *,
    view: discord.ui.LayoutView,
    files: Sequence[discord.File] = (),
) -> None:
    """Replace a deferred answer with a message.

    The answer is edited because files of follow-up messages have been reported as not found.

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
    """Return whether Discord has an answer; the library misses those whose receipt was lost."""
    return interaction.response.is_done() or _ANSWERED in interaction.extras


def copies(files: Sequence[discord.File]) -> list[discord.File]:
    """Return copies of files for one request, so that the files can be sent again."""
    copied = []
    for file in files:
        file.reset()
        data = io.BytesIO(file.fp.read())
        copied.append(discord.File(data, filename=file.filename, description=file.description))
    return copied


async def _insist(
    interaction: discord.Interaction[Any], send: Callable[[], Awaitable[T]]
) -> T | None:
    """Answer, trying again while Discord waits; None if only the receipt was lost.

    Raises:
        DiscordError: If Discord took no answer in time, as far as is known.
    """
    time = interaction.client.arrivals.time_of(interaction)
    pause_s, may_be_done, failed = 0.1, False, set[Fault]()
    while True:
        try:
            return await _send_within(interaction, time.to_send_s, send)
        except DiscordError as error:
            if error.fault is Fault.ANSWERED:
                interaction.extras[_ANSWERED] = True
                if may_be_done:
                    return None
            may_be_done = error.may_be_done = may_be_done or error.may_be_done
            if error.fault is Fault.ARCHIVED and error.fault not in failed:
                # A press does not always open an archived thread, where nothing can be edited.
                await reopen(interaction.client, interaction.channel_id or 0)
            elif error.fault is not Fault.PASSING or not time.allows_pause(pause_s):
                raise
            failed.add(error.fault)
        await asyncio.sleep(pause_s)
        pause_s *= 3


async def _send_within(
    interaction: discord.Interaction[Any], seconds: float, send: Callable[[], Awaitable[T]]
) -> T:
    """Send an answer or look one up, and count it as given."""
    with asking():
        async with asyncio.timeout(seconds):
            sent = await send()
    interaction.client.concurrency.end(interaction.id)
    return sent


class GameItem(discord.ui.DynamicItem[Any], template=r"(?!)"):
    """A button or menu whose custom id is its whole state, so that it survives restarts.

    Each subclass has a template of its own; this one matches nothing. The template's named groups
    become attributes of the item, numbers as `int`. discord.py swallows the exceptions of a dynamic
    item, in its check and in its callback alike, so both are handled here.
    """

    cost: ClassVar[float] = CLICK
    """How much of the user's allowance it takes."""

    def __init__(self, item: discord.ui.Item[Any], **values: Any) -> None:
        super().__init__(item)
        vars(self).update(values)

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],
        item: discord.ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        """Rebuild the item from its custom id."""
        found = match.groupdict().items()
        return cls(item, **{name: int(text) if text.isdecimal() else text for name, text in found})

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Let the click pass unless it is too late to answer it, or it is one too many."""
        bot: GameBot = interaction.client
        return await bot.admits(interaction, self.cost)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Run `pressed`; the user is told if anything goes wrong."""
        async with answering(interaction):
            with self.claimed(interaction):
                await self.pressed(interaction)

    def claimed(self, interaction: Interaction) -> AbstractContextManager[None]:
        """Return a context that keeps others away from the message while the answer updates it."""
        del interaction
        return nullcontext()

    async def pressed(self, interaction: Interaction) -> None:
        """Do what the button or menu is for: one service call, one answer."""
        raise NotImplementedError


def chosen_in(interaction: discord.Interaction[Any]) -> list[str]:
    """Return the values that were chosen in a menu; channels as their numbers."""
    data: Any = interaction.data
    return [str(value) for value in (data or {}).get("values", [])]


def chosen_one(interaction: discord.Interaction[Any]) -> str:
    """Return the value that was chosen in a menu of one; an empty text if none came."""
    return next(iter(chosen_in(interaction)), "")
