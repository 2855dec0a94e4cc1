"""Showing a match: one answer to each click.

The publisher shows what the answer cannot: a late reply of the computer, or a board whose answer
was lost. It calls `show_posted`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import discord
import structlog

from bot.client import GameBot, Interaction
from bot.language import _
from bot.model.errors import ComputerFailedError, MatchOverError, PlayerError
from bot.model.match import Match
from bot.services.publisher import Attempt, Outcome
from bot.services.starting import start_again
from bot.storage.outbox import OutboxKind, OutboxRow
from cogs.answering import (
    Answered,
    DiscordError,
    Fault,
    answer,
    asking,
    copies,
    defer,
    reopen,
    sealed,
    update_clicked,
)
from cogs.audience import own_presentation, presentation_of
from cogs.play import texts
from cogs.play.layout import PLAIN, Stage, draw_match, resign_button

EDITS_UNTIL = timedelta(minutes=50)
"""Discord caps edits of messages older than an hour: older boards are posted afresh on a click."""

EDIT_WITHIN_S: Final = 20.0
"""How long an edit by a click waits for Discord's rate limits at most.

The bot's own requests are never cut short: if one is cancelled while it waits for the global
limit, the library holds back every other request for good. They give up by themselves.
"""

REACHABLE_FOR: Final = timedelta(minutes=14)
"""A message can be reached through the click that it answers for a quarter of an hour."""

UNANSWERED: Final = 10015
"""Discord's error code for the webhook of an interaction that has not been answered."""

Drawing = tuple[discord.ui.LayoutView, list[discord.File]]

_GONE: Final = frozenset({Fault.CLOSED, Fault.ARCHIVED, Fault.EXPIRED})

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Way:
    """A way to reach a message: through the click that it answers.

    This does not use up the channel's rate limit, and is the only way where the bot is not a
    member.

    Attributes:
        webhook: The click's.
        message_id: The message.
        until: How long the webhook can reach it.
    """

    webhook: discord.Webhook
    message_id: int
    until: datetime


async def drawn(
    bot: GameBot, match: Match, stage: Stage = PLAIN, interaction: Interaction | None = None
) -> Drawing:
    """Draw a match for those who will see it, with ratings if it changed any."""
    if stage.watching and interaction is not None:
        presentation = await own_presentation(interaction)
    else:
        presentation = await presentation_of(bot, match, interaction)
    rating = await bot.ratings.changes_of(match.id) if match.rated and match.is_over else None
    return await draw_match(match, stage, presentation, rating)


async def show_posted(bot: GameBot, match: Match, way: Way | None) -> Attempt:
    """Update the posted board of a match; if that is impossible, post it again."""
    channel_id, message_id = match.channel_id, match.message_id
    if channel_id is None:
        return Attempt(Outcome.GONE)
    if way is not None and (way.message_id != match.message_id or datetime.now(UTC) > way.until):
        way = None
    try:
        if message_id is not None:
            return await _edit_or_post(bot, match, channel_id, message_id, way)
        token = bot.publisher.token_of(match.id)
        adopted = None if token is None else await _adopt_answer(bot, match, channel_id, token)
        return adopted or await _post(bot, match, channel_id, way)
    except DiscordError as error:
        log.info("board not shown", match=match.id, reason=str(error))
        return Attempt(Outcome.GONE if error.fault in _GONE else Outcome.LATER)


async def _adopt_answer(bot: GameBot, match: Match, channel_id: int, token: str) -> Attempt | None:
    """Take over the answer that an earlier process gave with the board, if it arrived.

    Raises:
        DiscordError: If that cannot be found out, as after a quarter of an hour.
    """
    assert bot.application_id is not None, "known since the login"
    webhook, original = discord.Webhook.partial(bot.application_id, token, client=bot), "@original"
    try:
        with asking():
            message = await webhook.fetch_message(original)  # type: ignore[arg-type]
    except DiscordError as error:
        if error.fault is not Fault.MISSING and error.code != UNANSWERED:
            raise
        return None
    if message.flags.ephemeral:
        return Attempt(Outcome.GONE)
    await bot.matches.place(match.id, channel_id=channel_id, message_id=message.id)
    way = Way(webhook, message.id, message.created_at + REACHABLE_FOR)
    return await _edit_or_post(bot, match, channel_id, message.id, way)


async def _edit_or_post(
    bot: GameBot, match: Match, channel_id: int, message_id: int, way: Way | None
) -> Attempt:
    drawing = await drawn(bot, match)
    try:
        await edit_message(bot, channel_id, message_id, drawing, way)
    except DiscordError as error:
        if error.may_be_done:
            await _mind_move(bot, match.id, channel_id, message_id)
        is_old = datetime.now(UTC) - discord.utils.snowflake_time(message_id) > EDITS_UNTIL
        if error.fault not in (Fault.MISSING, Fault.REFUSED) and not (is_old and error.is_limit):
            raise
        log.info("board posted afresh", match=match.id, reason=str(error))
        leaves = OutboxRow(OutboxKind.POINTER, match.id, channel_id, message_id)
        is_there = error.fault is Fault.REFUSED
        return await _post(bot, match, channel_id, way, leaves if is_there else None)
    await _mind_move(bot, match.id, channel_id, message_id)
    return Attempt(Outcome.SHOWN, message_id)


async def _mind_move(bot: GameBot, match_id: int, channel_id: int, message_id: int) -> None:
    """Leave a pointer where a board was just shown, if it has been moved meanwhile.

    The board may have overwritten an earlier pointer.
    """
    if (await bot.matches.reload(match_id)).message_id not in (None, message_id):
        row = OutboxRow(OutboxKind.POINTER, match_id, channel_id, message_id)
        await bot.publisher.send(row)


async def edit_posted(bot: GameBot, match: Match) -> None:
    """Bring the posted board of a match up to date, if there is one.

    Raises:
        DiscordError: If Discord does not take it.
    """
    if match.channel_id is not None and match.message_id is not None:
        drawing = await drawn(bot, match)
        await edit_message(bot, match.channel_id, match.message_id, drawing)


async def edit_message(
    bot: GameBot, channel_id: int, message_id: int, drawing: Drawing, way: Way | None = None
) -> None:
    """Edit a message through the click that it answers, else as its author.

    Raises:
        DiscordError: If Discord does not take it.
    """
    view, files = drawing
    if way is not None:
        try:
            with asking():
                async with asyncio.timeout(EDIT_WITHIN_S):
                    await way.webhook.edit_message(message_id, view=view, attachments=copies(files))
            return
        except DiscordError as error:
            if error.fault in (Fault.PASSING, Fault.REFUSED):
                raise
    message = bot.get_partial_messageable(channel_id).get_partial_message(message_id)
    for is_opened in (False, True):
        try:
            with asking():
                await message.edit(view=view, attachments=copies(files))
            return
        except DiscordError as error:
            if error.fault is not Fault.ARCHIVED or is_opened:
                raise
            await reopen(bot, channel_id)


async def _post(
    bot: GameBot, match: Match, channel_id: int, way: Way | None, leaves: OutboxRow | None = None
) -> Attempt:
    """Post a board and leave a pointer to it; a lost attempt that is retried is posted once."""
    view, files = await drawn(bot, match)
    channel = bot.get_partial_messageable(channel_id)
    # 25 characters at most: if the board is posted twice, Discord keeps the first.
    nonce = f"{match.id % 10**12}.{match.revision}.{(match.message_id or 0) % 10**6}"
    try:
        with asking():
            message = await channel.send(view=view, files=copies(files), nonce=nonce, silent=True)
        message_id, way = message.id, None
    except DiscordError as error:
        if error.fault is not Fault.CLOSED or way is None:
            raise
        with asking():
            sent = await way.webhook.send(view=view, files=copies(files), wait=True)
        message_id, way = sent.id, Way(way.webhook, sent.id, way.until)
    await bot.matches.place(match.id, channel_id=channel_id, message_id=message_id, leaves=leaves)
    if leaves is not None:
        bot.publisher.check(leaves)
    return Attempt(Outcome.SHOWN, message_id, way)


async def leave_pointer(bot: GameBot, row: OutboxRow) -> None:
    """Replace a board that was moved with a pointer to it, unless the board is there again.

    Raises:
        DiscordError: If Discord does not take it; the old buttons then say that it is out of date.
    """
    # Another process may have moved it, and this one may not have heard of it yet.
    match = await bot.matches.reload(row.number)
    if match.message_id not in (None, row.message_id):
        view = await pointer(bot, match)
        try:
            await edit_message(bot, row.channel_id, row.message_id, (view, []))
        finally:
            await _mind_return(bot, match.id, row.message_id)


async def _mind_return(bot: GameBot, match_id: int, message_id: int) -> None:
    """Show a board again where a pointer was just put, if it was pressed there meanwhile."""
    if (await bot.matches.reload(match_id)).message_id == message_id:
        bot.publisher.redraw(match_id)


async def pointer(
    bot: GameBot, match: Match, interaction: Interaction | None = None
) -> discord.ui.LayoutView:
    """Lay out the pointer left where the board of `match` was."""
    assert match.channel_id is not None, "it is shown somewhere"
    assert match.message_id is not None, "it is shown somewhere"
    guild_id = bot.guild_of(match.channel_id) or match.guild_id
    link = message_link(guild_id, match.channel_id, match.message_id)
    with (await presentation_of(bot, match, interaction)).spoken():
        return sealed(texts.moved(match, link))


def message_link(guild_id: int | None, channel_id: int, message_id: int | None) -> str:
    """Return the link to a message in a server or conversation; without an id, to its channel."""
    channel = f"https://discord.com/channels/{guild_id or '@me'}/{channel_id}"
    return channel if message_id is None else f"{channel}/{message_id}"


def sender(
    bot: GameBot, send: Callable[[GameBot, OutboxRow], Awaitable[None]]
) -> Callable[[OutboxRow], Awaitable[Outcome]]:
    """Wrap `send`, which raises `DiscordError`, as a sender for the publisher."""

    async def attempt(row: OutboxRow) -> Outcome:
        try:
            await send(bot, row)
        except DiscordError as error:
            log.info("not sent", what=row.kind.value, number=row.number, reason=str(error))
            return Outcome.LATER if error.fault is Fault.PASSING else Outcome.GONE
        return Outcome.SHOWN

    return attempt


async def with_reply(interaction: Interaction, match: Match) -> Match:
    """Return `match` after the computer's reply, if that comes before the click gets too old.

    The computer replies in any case, whether somebody waits for it or not.
    """
    bot = interaction.client
    left_s = bot.arrivals.time_of(interaction).for_reply_s - bot.concurrency.expected_s
    if match.level_to_move is None or left_s <= 0:
        return match
    try:
        with bot.concurrency.paused(interaction.id):
            async with asyncio.timeout(left_s):
                return await bot.matches.reply(match.id)
    except TimeoutError:
        return match


async def show_match(interaction: Interaction, match: Match, stage: Stage = PLAIN) -> None:
    """Show `match` in the message that was clicked, or in a new one for a command.

    If it is shown in a new message, a pointer to that is left where it was before.

    Raises:
        PlayerError: If Discord did not take it; it says what becomes of the board.
    """
    message = interaction.message
    if message is None:
        await _answer_new(interaction, match, stage)
    # Both times are by Discord's clock: the host's may have been changed meanwhile.
    elif interaction.created_at - message.created_at > EDITS_UNTIL:
        await post_below(interaction, match, stage)
    else:
        await _update(interaction, match, stage, message)


async def redraw(
    interaction: Interaction,
    match: Match,
    show: Callable[[Interaction, Match], Awaitable[None]] = show_match,
) -> None:
    """Answer a click with `match`, the computer's reply included if it comes in time.

    Otherwise the answer shows the player's own move at once, and the reply follows: nobody
    waits in front of an unchanged board. Errors are those of `show`.
    """
    try:
        match = await with_reply(interaction, match)
    except ComputerFailedError:
        await show(interaction, match)
        raise
    await show(interaction, match)


async def post_below(interaction: Interaction, match: Match, stage: Stage = PLAIN) -> None:
    """Answer a click by posting the board afresh; the clicked message keeps a pointer to it.

    The first answer can be looked up if its receipt is lost, a follow-up cannot. So the board is
    the first answer wherever the bot itself can edit the clicked message.
    """
    clicked = interaction.message
    assert clicked is not None, "it was clicked"
    leaves = OutboxRow(OutboxKind.POINTER, match.id, clicked.channel.id, clicked.id)
    is_member = interaction.is_guild_integration() and interaction.app_permissions.view_channel
    if (is_member or interaction.context.dm_channel) and not clicked.flags.ephemeral:
        await _answer_new(interaction, match, stage, leaves)
    else:
        await _follow_below(interaction, match, stage, leaves)


async def _follow_below(
    interaction: Interaction, match: Match, stage: Stage, leaves: OutboxRow
) -> None:
    """Post the board as a follow-up, and turn the clicked message into the pointer."""
    bot = interaction.client
    view, files = await drawn(bot, match, stage, interaction)
    with _told(interaction, match):
        await defer(interaction)
        with asking():
            message = await interaction.followup.send(view=view, files=copies(files), wait=True)
    if message.flags.ephemeral:
        if match.message_id is None:
            bot.publisher.give_up(match)
        return  # a board stays where it is
    current = await _placed(interaction, match, message.id, leaves, points=True)
    _noted(interaction, match, message.id)
    try:
        link = await pointer(bot, current, interaction)
        with asking():
            await interaction.edit_original_response(view=link, attachments=[])
        await bot.publisher.sent(leaves)
    except DiscordError:
        bot.publisher.check(leaves)
    finally:
        await _mind_return(bot, match.id, leaves.message_id)


async def bring_board(interaction: Interaction, match: Match) -> None:
    """Answer with the board in a new message, as a command does; the clicked one stays as it is.

    Errors are those of `show_match`.
    """
    await redraw(interaction, match, _answer_new)


async def play_again(interaction: Interaction, match: Match) -> None:
    """Answer with the first board of a new match like `match`, the other player moving first."""
    bot = interaction.client
    again = await start_again(
        bot.matches, match.id, user_id=interaction.user.id, channel_id=interaction.channel_id
    )
    with bot.publisher.claim(again.id):
        await bring_board(interaction, again)


async def show_in_private(interaction: Interaction, match: Match, below: str = "") -> None:
    """Answer in private with a match and a text below it; the clicked message stays as it is."""
    await _answer_new(interaction, match, Stage(watching=True, below=below))


async def ask_in_private(interaction: Interaction, match: Match) -> None:
    """Ask one of two players whether to resign; on the board the other could answer."""
    if match.is_over:
        raise MatchOverError(match)
    view = sealed(texts.resign_question(match), [resign_button(match)])
    await answer(interaction, view=view, ephemeral=True)


async def show_ending(interaction: Interaction, match: Match) -> None:
    """Show how a match ended, on its board or in the private question, whichever was clicked."""
    message = interaction.message
    if message is None or not message.flags.ephemeral or not match.is_between_people:
        await redraw(interaction, match)
        return
    await update_clicked(interaction, view=sealed(texts.answered(match)))


async def show_new_match(interaction: Interaction, match: Match, *, fresh: bool = False) -> None:
    """Show a match's first board in the clicked message, or in a new one that everybody sees.

    Args:
        interaction: The click that began the match.
        match: One between two people, so there is no computer's reply to wait for.
        fresh: Whether the clicked message, and any other board, have to stay as they are.
    """
    message = interaction.message
    if fresh or message is None or message.flags.ephemeral:
        await _answer_new(interaction, match, leaves_pointer=not fresh)
        return
    publisher = interaction.client.publisher
    with publisher.claim(match.id):
        # Stored before it is shown: if the answer is lost, the publisher shows the board.
        match = await _placed(interaction, match, message.id)
        publisher.redraw(match.id)
        await _update(interaction, match, PLAIN, message)


async def move_board(bot: GameBot, match: Match, thread_id: int) -> None:
    """Move a board into a thread.

    Raises:
        DiscordError: If Discord does not take the board there; nothing was moved then.
    """
    view, files = await drawn(bot, match)
    channel = bot.get_partial_messageable(thread_id)
    with asking():
        message = await channel.send(view=view, files=files, nonce=f"thread.{match.id % 10**12}")
    current = await bot.matches.place(match.id, channel_id=thread_id, message_id=message.id)
    bot.publisher.note(match, message.id)
    if current.revision != match.revision:
        bot.publisher.check(match.id)


async def _update(
    interaction: Interaction, match: Match, stage: Stage, message: discord.Message
) -> None:
    """Answer with the clicked message brought up to date."""
    view, files = await drawn(interaction.client, match, stage, interaction)
    bot, context = interaction.client, interaction.context
    is_direct = context.dm_channel or context.private_channel
    may_be_own = match.is_between_people and is_direct
    with _told(interaction, match):
        try:
            await update_clicked(interaction, view=view, files=files)
        except DiscordError as error:
            if error.may_be_done and not (message.flags.ephemeral or may_be_own):
                await _mind_move(bot, match.id, message.channel.id, message.id)
            raise
    if message.flags.ephemeral:
        await _follow_in_private(interaction, match)
        return
    before = await bot.matches.reload(match.id)
    if may_be_own and before.message_id != message.id:
        return  # a player's own board in a conversation: the match's board is another one
    # If this was pressed while the board was moved, another message is the board: keep just one.
    await _placed(interaction, before, message.id, points=True)
    _noted(interaction, match, message.id)
    if before.message_id not in (None, message.id):
        bot.publisher.redraw(match.id)  # a pointer may have been put here meanwhile


async def _answer_new(
    interaction: Interaction,
    match: Match,
    stage: Stage = PLAIN,
    leaves: OutboxRow | None = None,
    *,
    leaves_pointer: bool = True,
) -> None:
    """Answer with a new message, and leave a pointer to it where the board was."""
    if stage.watching:
        view, files = await drawn(interaction.client, match, stage, interaction)
        await answer(interaction, view=view, files=files, ephemeral=True)
        return
    publisher = interaction.client.publisher
    answered = await _answer_board(interaction, match, stage)
    if answered.is_private:
        # Discord made it private: nobody else sees this message, and only its clicks can edit it.
        if match.message_id is None:
            publisher.give_up(match)
        await _follow_in_private(interaction, match)
        return
    before = await interaction.client.matches.reload(match.id)
    await _placed(interaction, match, answered.message_id, leaves, points=leaves_pointer)
    _noted(interaction, match, answered.message_id)
    if leaves is not None:
        await publisher.send(leaves)
    if before.message_id not in (match.message_id, answered.message_id):
        publisher.redraw(match.id)  # it may have been pressed, and moved, before it was known


async def _answer_board(interaction: Interaction, match: Match, stage: Stage) -> Answered:
    publisher = interaction.client.publisher
    view, files = await drawn(interaction.client, match, stage, interaction)
    if match.message_id is None:
        await publisher.answering(match, interaction.token)
    with _told(interaction, match):
        try:
            return await answer(interaction, view=view, files=files)
        except DiscordError:
            if match.message_id is None:
                publisher.owe(match)
            raise


@contextmanager
def _told(interaction: Interaction, match: Match) -> Iterator[None]:
    """Turn a `DiscordError` inside into a `PlayerError` that says how things stand."""
    try:
        yield
    except DiscordError as error:
        log.warning(
            "board not answered", match=match.id, interaction=interaction.id, reason=str(error)
        )
        if error.fault in (Fault.CLOSED, Fault.ARCHIVED):
            words = _(
                "Discord no longer lets me post here. Your game is saved: `/board` shows it "
                "somewhere else."
            )
        elif interaction.client.publisher.is_behind(match):
            words = _(
                "Discord did not take my answer. What you did is saved, and the board follows."
            )
        else:
            words = _("Discord did not take my answer. Nothing is lost: please try once more.")
        raise PlayerError(words) from error


def _noted(interaction: Interaction, match: Match, message_id: int) -> None:
    """Remember that Discord shows a match, and through which click it can be updated."""
    owner = interaction.user.id if interaction.context.dm_channel else None
    way = Way(interaction.followup, message_id, interaction.created_at + REACHABLE_FOR)
    interaction.client.publisher.note(match, message_id, way=way, player_id=owner)


async def _placed(
    interaction: Interaction,
    match: Match,
    message_id: int,
    leaves: OutboxRow | None = None,
    *,
    points: bool = False,
) -> Match:
    """Store where the board of `match` is shown now, and check whether the match has gone on."""
    if interaction.channel_id is None or match.message_id == message_id:
        return match
    bot, channel_id = interaction.client, interaction.channel_id
    current = await bot.matches.place(
        match.id, channel_id=channel_id, message_id=message_id, leaves=leaves, points=points
    )
    if (current.revision, current.is_over) != (match.revision, match.is_over):
        bot.publisher.check(match.id)
    return current


async def _follow_in_private(interaction: Interaction, match: Match) -> None:
    """Show the computer's late reply on a board that only this click can edit."""
    if match.level_to_move is None:
        return
    match = await interaction.client.matches.reply(match.id)
    view, files = await drawn(interaction.client, match, PLAIN, interaction)
    with asking():
        await interaction.edit_original_response(view=view, attachments=files)
