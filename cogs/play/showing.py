"""Bringing a match onto the screen: one answer to each click, late replies, boards that move."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import discord
import structlog

from bot.errors import MatchOverError
from bot.language import speaking
from bot.matches import Match
from cogs.audience import manner_of, own_manner
from cogs.play import texts
from cogs.play.layout import Stage, draw_match, pointer_view, question_view, thread_view
from cogs.views import sealed

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)

REPLY_WITHIN_S = 1.8
"""How old a click may get before the player's own move is shown without the computer's reply."""

EDITS_UNTIL = timedelta(minutes=50)
"""Discord caps edits of messages older than an hour: older boards are posted afresh."""

UNKNOWN_INTERACTION = 10062
"""Discord's code for an answer that came after its three seconds."""

UNREADY = Stage(thinking=True)


async def with_reply(interaction: discord.Interaction[GameBot], match: Match) -> Match:
    """Return `match` after the computer's reply, if it is the computer's turn."""
    if match.level_to_move is not None:
        return await interaction.client.matches.reply(match.id)
    return match


async def redraw(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Answer a click with `match`, the computer's reply included if it comes in time.

    Otherwise the answer shows the player's own move at once, and the reply
    follows as an edit: nobody waits in front of an unchanged board.
    """
    if match.level_to_move is None:
        await show_match(interaction, match)
        return
    reply = asyncio.create_task(interaction.client.matches.reply(match.id))
    left_s = REPLY_WITHIN_S - interaction.client.arrivals.age_s(interaction)
    try:
        done, _ = await asyncio.wait({reply}, timeout=max(0.0, left_s))
        if not done:
            await show_match(interaction, match, UNREADY)
    finally:
        # Whatever became of the answer, the reply belongs to the game.
        match = await reply
    await show_match(interaction, match)


async def show_match(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage | None = None
) -> None:
    """Show `match` in the message that was clicked, or in a new one for a command."""
    stage = stage or Stage()
    if interaction.response.is_done():
        await _edit_answer(interaction, match, stage)
    elif interaction.message is None:
        await _answer_new(interaction, match, stage)
    # Both are moments of Discord's clock: the host's may have been set meanwhile.
    elif interaction.created_at - interaction.message.created_at > EDITS_UNTIL:
        await post_below(interaction, match, stage)
    else:
        await _update(interaction, match, stage)


async def post_below(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage | None = None
) -> None:
    """Answer a click by posting the board afresh; the clicked message keeps a pointer to it."""
    stage = stage or Stage()
    await interaction.response.defer()
    view, files = await _drawn(interaction.client, match, stage, interaction)
    message = await interaction.followup.send(view=view, files=files, wait=True)
    await _placed(interaction, match, message.id)
    pointer = await _pointer(interaction.client, match, message.jump_url, interaction)
    await interaction.edit_original_response(view=pointer, attachments=[])


async def show_here(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage | None = None
) -> None:
    """Answer a command with the board of `match`; where it was shown before stays a pointer.

    Without a `stage` the computer's reply is shown too, as `redraw` does it.
    """
    before = match.channel_id, match.message_id
    if stage is None:
        await redraw(interaction, match)
    else:
        await show_match(interaction, match, stage)
    answer = await interaction.original_response()
    await _leave_pointer(interaction.client, match, before, answer.jump_url)


async def play_again(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Answer with the first board of a new match like `match`, the other player moving first."""
    again = await interaction.client.matches.start_again(
        match.id, user_id=interaction.user.id, channel_id=interaction.channel_id
    )
    again = await with_reply(interaction, again)
    await _answer_new(interaction, again, Stage())


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
    view = question_view(match)
    await interaction.response.send_message(view=view, ephemeral=True)


async def show_ending(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Show how a match ended, on its board, whether that or a private question was clicked."""
    if interaction.message is None or not interaction.message.flags.ephemeral:
        await redraw(interaction, match)
        return
    view = sealed(discord.ui.TextDisplay(texts.answered(match)))
    await interaction.response.edit_message(view=view)
    await refresh_posted(interaction.client, match)


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
    await _update(interaction, match, Stage())
    await _placed(interaction, match, message.id)


async def move_board(
    interaction: discord.Interaction[GameBot], match: Match, thread: discord.Thread
) -> None:
    """Move the board that was just shown into a thread; the answer keeps a pointer to it.

    Raises:
        discord.HTTPException: If Discord does not take the board there; nothing was moved then.
    """
    # Somebody quick may have moved on the board in the channel.
    match = await interaction.client.matches.load(match.id)
    view, files = await _drawn(interaction.client, match, Stage(), interaction)
    message = await thread.send(view=view, files=files)
    await interaction.client.matches.place(match.id, channel_id=thread.id, message_id=message.id)
    manner = await manner_of(interaction.client, match, interaction)
    with speaking(manner.language):
        view = thread_view(match, thread.mention)
    await interaction.edit_original_response(view=view, attachments=[])


async def refresh_posted(bot: GameBot, match: Match) -> None:
    """Bring the posted board of `match` up to date without a click; failing that, leave it.

    For boards whose answer a crash swallowed. Where the bot may not edit (a
    server it was never invited to), the next click redraws the board anyway.
    """
    try:
        await edit_posted(bot, match)
    except discord.HTTPException as error:
        log.info("board not refreshed", match=match.id, code=error.code)


async def edit_posted(bot: GameBot, match: Match) -> None:
    """Bring the posted board of `match` up to date, if there is one.

    Raises:
        discord.HTTPException: If Discord does not take it.
    """
    if match.channel_id is None or match.message_id is None:
        return
    view, files = await _drawn(bot, match, Stage())
    channel = bot.get_partial_messageable(match.channel_id)
    await channel.get_partial_message(match.message_id).edit(view=view, attachments=files)


async def _drawn(
    bot: GameBot,
    match: Match,
    stage: Stage,
    interaction: discord.Interaction[GameBot] | None = None,
) -> tuple[discord.ui.LayoutView, list[discord.File]]:
    """Draw a match for whoever will see it; one that was rated with what it came to."""
    if stage.watching and interaction is not None:
        manner = await own_manner(interaction)
    else:
        manner = await manner_of(bot, match, interaction)
    rating = await bot.ratings.changes_of(match.id) if match.rated and match.is_over else None
    with speaking(manner.language):
        notes = texts.rating_lines(match, rating)
    return await draw_match(match, stage, manner, notes, rating)


async def _pointer(
    bot: GameBot,
    match: Match,
    link: str,
    interaction: discord.Interaction[GameBot] | None = None,
) -> discord.ui.LayoutView:
    """Lay out what is left where the board of `match` was."""
    manner = await manner_of(bot, match, interaction)
    with speaking(manner.language):
        return pointer_view(match, link)


async def _update(interaction: discord.Interaction[GameBot], match: Match, stage: Stage) -> None:
    """Answer with the clicked message brought up to date, even if the answer comes too late."""
    view, files = await _drawn(interaction.client, match, stage, interaction)
    try:
        await interaction.response.edit_message(view=view, attachments=files)
    except discord.NotFound as error:
        if error.code != UNKNOWN_INTERACTION:
            raise
        # The player was told that the click failed; the move is stored and must be seen.
        log.warning("answer came too late", match=match.id, interaction=interaction.id)
        await refresh_posted(interaction.client, match)


async def _answer_new(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage
) -> None:
    view, files = await _drawn(interaction.client, match, stage, interaction)
    answer = await interaction.response.send_message(
        view=view, files=files, ephemeral=stage.watching
    )
    if answer.message_id is not None and not stage.watching:
        await _placed(interaction, match, answer.message_id)


async def _edit_answer(
    interaction: discord.Interaction[GameBot], match: Match, stage: Stage
) -> None:
    """Edit what was answered already; where Discord refuses the new image, post the board."""
    view, files = await _drawn(interaction.client, match, stage, interaction)
    try:
        await interaction.edit_original_response(view=view, attachments=files)
    except discord.HTTPException as error:
        if error.status != 400:
            raise
        log.info("edit refused, board posted afresh", match=match.id, code=error.code)
        # The first files have been read: the images are drawn once more.
        view, files = await _drawn(interaction.client, match, stage, interaction)
        message = await interaction.followup.send(view=view, files=files, wait=True)
        await _placed(interaction, match, message.id)


async def _placed(interaction: discord.Interaction[GameBot], match: Match, message_id: int) -> None:
    """Remember where the board of `match` is shown now."""
    if interaction.channel_id is None:
        return
    await interaction.client.matches.place(
        match.id, channel_id=interaction.channel_id, message_id=message_id
    )


async def _leave_pointer(
    bot: GameBot, match: Match, before: tuple[int | None, int | None], link: str
) -> None:
    """Replace a board that was shown elsewhere by a pointer, where the bot may."""
    channel_id, message_id = before
    if channel_id is None or message_id is None:
        return
    old = bot.get_partial_messageable(channel_id).get_partial_message(message_id)
    try:
        await old.edit(view=await _pointer(bot, match, link), attachments=[])
    except discord.HTTPException as error:
        # Its buttons stay, and say that the board is out of date when pressed.
        log.info("pointer not left", match=match.id, code=error.code)
