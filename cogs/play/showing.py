"""Bringing a match onto the screen: one answer to each click.

What the answer cannot show, the computer's late reply or a board whose answer was lost, is
shown by the publisher (`posted.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import discord
import structlog

from bot.language import _, speaking
from bot.model.errors import ComputerFailedError, MatchOverError, PlayerError
from bot.model.match import Match
from cogs.answering import answer, copies, defer, update_clicked
from cogs.audience import presentation_of
from cogs.discord_errors import DiscordError, Fault, asking
from cogs.play import posted, texts
from cogs.play.layout import Stage, question_view, thread_view
from cogs.play.posted import Way, drawn, leave_pointer, pointer
from cogs.views import sealed

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)


class BoardFollowsError(PlayerError):
    """Discord did not take an answer; what was done is stored and will be shown."""

    def __init__(self) -> None:
        super().__init__(
            _("Discord did not take my answer. What you did is saved, and the board follows.")
        )


class BoardLostError(PlayerError):
    """Discord did not take an answer, and does not show the board there any more."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Discord lets me show nothing here any more. Your game is saved: `/board` shows "
                "it somewhere else."
            )
        )


class PressAgainError(PlayerError):
    """Discord did not take an answer, and nothing had to be stored for it."""

    def __init__(self) -> None:
        super().__init__(
            _("Discord did not take my answer. Nothing is lost: please try once more.")
        )


async def with_reply(interaction: discord.Interaction[GameBot], match: Match) -> Match:
    """Return `match` after the computer's reply, if that comes before the click gets too old.

    Whoever waits for it, the reply is on its way.
    """
    left_s = interaction.client.arrivals.time_of(interaction).for_reply_s
    if match.level_to_move is None or left_s <= 0:
        return match
    try:
        async with asyncio.timeout(left_s):
            return await interaction.client.matches.reply(match.id)
    except TimeoutError:
        return match


async def redraw(interaction: discord.Interaction[GameBot], match: Match) -> int | None:
    """Answer a click with `match`, the computer's reply included if it comes in time.

    Otherwise the answer shows the player's own move at once, and the reply follows: nobody
    waits in front of an unchanged board. Returns what `show_match` does.
    """
    try:
        match = await with_reply(interaction, match)
    except ComputerFailedError:
        await show_match(interaction, match)
        raise
    return await show_match(interaction, match)


async def show_match(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage | None = None
) -> int | None:
    """Show `match` in the message that was clicked, or in a new one for a command.

    Returns:
        The new message, if it is one and others than who asked see it.

    Raises:
        BoardFollowsError: If Discord did not take it; what is stored will be shown.
        PressAgainError: If Discord did not take it, and nothing has to be shown.
        BoardLostError: If it can be shown there no more.
    """
    stage = stage or Stage()
    message = interaction.message
    if message is None:
        return await _answer_new(interaction, match, stage)
    # Both are moments of Discord's clock: the host's may have been set meanwhile.
    if interaction.created_at - message.created_at > posted.EDITS_UNTIL:
        await post_below(interaction, match, stage)
    else:
        await _update(interaction, match, stage, message)
    return None


async def post_below(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage | None = None
) -> None:
    """Answer a click by posting the board afresh; the clicked message keeps a pointer to it."""
    bot = interaction.client
    view, files = await drawn(bot, match, stage or Stage(), interaction)
    with _told(interaction, match):
        await defer(interaction)
        with asking():
            message = await interaction.followup.send(view=view, files=copies(files), wait=True)
        if message.flags.ephemeral:
            return  # the board stays where it is
        await _placed(interaction, match, message.id)
        link = await pointer(bot, match, message.jump_url, interaction)
        with asking():
            await interaction.edit_original_response(view=link, attachments=[])


async def show_here(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage | None = None
) -> None:
    """Answer a command with the board of `match`; where it was shown before stays a pointer.

    Without a `stage` the computer's reply is shown too, as `redraw` does it.
    """
    before = match.channel_id, match.message_id
    if stage is None:
        message_id = await redraw(interaction, match)
    else:
        message_id = await show_match(interaction, match, stage)
    if message_id is not None:
        await leave_pointer(interaction.client, match, before, message_id)


async def play_again(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Answer with the first board of a new match like `match`, the other player moving first."""
    bot = interaction.client
    again = await bot.matches.start_again(
        match.id, user_id=interaction.user.id, channel_id=interaction.channel_id
    )
    with bot.publisher.claim(again.id):
        await _answer_new(interaction, await with_reply(interaction, again), Stage())


async def show_in_private(
    interaction: discord.Interaction[GameBot], match: Match, below: str = ""
) -> None:
    """Answer with a match for the one who asks alone, and leave what was clicked as it is.

    Args:
        interaction: What is answered.
        match: Any match that they may look at.
        below: What is written below its images, if anything.
    """
    await _answer_new(interaction, match, Stage(watching=True, below=below))


async def ask_in_private(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Ask one of two players whether to resign; on the board the other could answer."""
    if match.is_over:
        raise MatchOverError(match)
    await answer(interaction, view=question_view(match), ephemeral=True)


async def show_ending(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Show how a match ended, on its board, whether that or a private question was clicked."""
    message = interaction.message
    if message is None or not message.flags.ephemeral or not match.is_between_people:
        await redraw(interaction, match)
        return
    await update_clicked(interaction, view=sealed(discord.ui.TextDisplay(texts.answered(match))))


async def show_new_match(
    interaction: discord.Interaction[GameBot], match: Match, *, fresh: bool = False
) -> None:
    """Show the first board of a match in the clicked message, or in one that everybody sees.

    Args:
        interaction: The click that began the match.
        match: Between two people: nobody thinks before the answer.
        fresh: Whether the clicked message has to stay as it is.
    """
    message = interaction.message
    if fresh or message is None or message.flags.ephemeral:
        await _answer_new(interaction, match, Stage())
        return
    publisher = interaction.client.publisher
    with publisher.claim(match.id):
        # Known before it is shown: a lost answer leaves the board to the publisher.
        match = await _placed(interaction, match, message.id)
        publisher.redraw(match.id)
        await _update(interaction, match, Stage(), message)


async def move_board(
    interaction: discord.Interaction[GameBot], match: Match, thread: discord.Thread
) -> None:
    """Move the board that was just shown into a thread; the answer keeps a pointer to it.

    Raises:
        DiscordError: If Discord does not take the board there; nothing was moved then.
    """
    bot = interaction.client
    # Somebody quick may have moved on the board in the channel.
    match = await bot.matches.load(match.id)
    view, files = await drawn(bot, match, Stage(), interaction)
    with asking():
        message = await thread.send(view=view, files=files)
    current = await bot.matches.place(match.id, channel_id=thread.id, message_id=message.id)
    bot.publisher.note(match, message.id)
    if current.revision != match.revision:
        bot.publisher.check(match.id)
    presentation = await presentation_of(bot, match, interaction)
    with speaking(presentation.language):
        view = thread_view(match, thread.mention)
    with asking():
        await interaction.edit_original_response(view=view, attachments=[])


async def _update(
    interaction: discord.Interaction[GameBot],
    match: Match,
    stage: Stage,
    message: discord.Message,
) -> None:
    """Answer with the clicked message brought up to date."""
    view, files = await drawn(interaction.client, match, stage, interaction)
    with _told(interaction, match):
        await update_clicked(interaction, view=view, files=files)
    if message.flags.ephemeral:
        await _follow_in_private(interaction, match)
    elif match.is_between_people and message.id != match.message_id:
        return  # a board of one's own, in a conversation: theirs is another one
    else:
        await _placed(interaction, match, message.id)
        _noted(interaction, match, message.id)


async def _answer_new(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage
) -> int | None:
    """Answer with a new message; return it if others than who asked see it."""
    bot = interaction.client
    view, files = await drawn(bot, match, stage, interaction)
    if stage.watching:
        await answer(interaction, view=view, files=files, ephemeral=True)
        return None
    with _told(interaction, match):
        try:
            answered = await answer(interaction, view=view, files=files)
        except DiscordError:
            if match.message_id is None:
                bot.publisher.owe(match)
            raise
    if answered.is_private:
        # Discord wants it so: nobody else sees this message, and only its clicks can edit it.
        await _follow_in_private(interaction, match)
        return None
    await _placed(interaction, match, answered.message_id)
    _noted(interaction, match, answered.message_id)
    return answered.message_id


@contextmanager
def _told(interaction: discord.Interaction[GameBot], match: Match) -> Iterator[None]:
    """Say what is so where Discord does not take what is asked for inside."""
    try:
        yield
    except DiscordError as error:
        log.warning(
            "board not answered",
            match=match.id,
            interaction=interaction.id,
            reason=str(error),
        )
        if error.fault in (Fault.CLOSED, Fault.ARCHIVED):
            raise BoardLostError from error
        if interaction.client.publisher.is_behind(match):
            raise BoardFollowsError from error
        raise PressAgainError from error


def _noted(interaction: discord.Interaction[GameBot], match: Match, message_id: int) -> None:
    """Remember that Discord shows a match, and by which click it can be shown again."""
    owner = interaction.user.id if interaction.context.dm_channel else None
    interaction.client.publisher.note(
        match, message_id, way=Way.by(interaction, message_id), player_id=owner
    )


async def _placed(
    interaction: discord.Interaction[GameBot], match: Match, message_id: int
) -> Match:
    """Remember where the board of `match` is shown now; look whether it has gone on meanwhile."""
    if interaction.channel_id is None or match.message_id == message_id:
        return match
    bot = interaction.client
    current = await bot.matches.place(
        match.id, channel_id=interaction.channel_id, message_id=message_id
    )
    if (current.revision, current.is_over) != (match.revision, match.is_over):
        bot.publisher.check(match.id)
    return current


async def _follow_in_private(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Show the computer's late reply on a board that only this click can edit."""
    if match.level_to_move is None:
        return
    match = await interaction.client.matches.reply(match.id)
    view, files = await drawn(interaction.client, match, Stage(), interaction)
    with asking():
        await interaction.edit_original_response(view=view, attachments=files)
