"""How a challenge looks and is shown, and the thread for its game."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Never

import discord
import structlog

from bot.client import GameBot, Interaction
from bot.language import _, label, told
from bot.model.challenges import Challenge
from bot.model.errors import CannotChallengeError
from bot.model.match import Match, Person
from bot.model.preferences import Notices
from bot.storage.outbox import OutboxKind, OutboxRow
from cogs import threads
from cogs.answering import (
    Button,
    DiscordError,
    Fault,
    answer,
    asking,
    boxed,
    button,
    fulfil,
    sealed,
    update_clicked,
)
from cogs.audience import (
    Presentation,
    person_of,
    presentation_among,
    presentation_of,
    presentation_to,
    told_names,
)
from cogs.challenge import texts
from cogs.play.showing import edit_message, move_board
from cogs.play.texts import in_thread
from engine import load_variant

MOST_LISTED = 5
"""The buttons that fit in a row."""


def challenge_view(challenge: Challenge, calls: str | None = None) -> discord.ui.LayoutView:
    """Lay out a challenge, with its buttons while it is open; `calls` mentions a role above it."""
    parts: list[str | list[Button]] = [texts.headline(challenge)]
    if challenge.is_open:
        decline = button(label("Decline"), "decline", challenge.id)
        withdraw = button(label("Withdraw"), "withdraw", challenge.id)
        answers = [withdraw] if challenge.opponent is None else [decline, withdraw]
        parts.append([_accept(label("Accept"), challenge), *answers])
    elif challenge.match_id is not None and challenge.guild_id is None:
        # In a conversation the board may be where only the opponent sees it.
        parts.append([button(label("Show the board"), "here", challenge.match_id)])
    container = boxed(*parts)
    return sealed(container) if calls is None else sealed(calls, container)


def lobby_view(
    challenges: Sequence[Challenge], own: Sequence[Challenge] = ()
) -> discord.ui.LayoutView:
    """Lay out the newest open challenges, each with a button to accept it, and the user's own."""
    shown = challenges[:MOST_LISTED]
    if not shown and not own:
        return sealed(
            _("Nobody is waiting for an opponent here. Offer a game yourself: `/challenge`.")
        )
    buttons = list(map(_accept, texts.choices(shown), shown))
    return sealed(texts.lobby(shown, own), *([buttons] if buttons else []))


def _accept(text: str, challenge: Challenge) -> Button:
    return button(text, "accept", challenge.id, style=discord.ButtonStyle.success)


log = structlog.get_logger(__name__)


async def post_challenge(interaction: Interaction, challenge: Challenge) -> None:
    """Answer with a challenge that mentions those it is for, and store where it is shown.

    Raises:
        CannotChallengeError: If it has to be sent to somebody who takes no messages.
    """
    if interaction.context.dm_channel:
        await send_challenge(interaction, challenge)
    role = await _role_to_call(interaction, challenge)
    view = await _drawn(interaction, challenge, None if role is None else role.mention)
    try:
        answered = await answer(interaction, view=view, allowed_mentions=_mentions(challenge, role))
    except DiscordError:
        await _withdraw(interaction.client, challenge)
        raise
    if answered.is_private:
        await _withdraw_unseen(interaction, challenge)
    if interaction.channel_id is not None:
        await _place(interaction, challenge, interaction.channel_id, answered.message_id)


async def _drawn(
    interaction: Interaction, challenge: Challenge, calls: str | None = None
) -> discord.ui.LayoutView:
    """Lay out a challenge for those who see the answer to a click."""
    presentation = await _challenge_presentation(interaction.client, challenge, interaction)
    # What only the challenger sees is in their language already.
    with nullcontext() if interaction.context.dm_channel else presentation.spoken():
        return challenge_view(challenge, calls)


async def _place(
    interaction: Interaction, challenge: Challenge, channel_id: int, message_id: int
) -> None:
    """Remember where a challenge is shown, and write to the opponent if they want that."""
    bot, opponent = interaction.client, challenge.opponent
    calls = (
        opponent is not None
        and not interaction.context.dm_channel
        and (await bot.preferences.of(opponent.id)).notices is Notices.DM
    )
    await bot.challenges.place_challenge(
        challenge.id, channel_id=channel_id, message_id=message_id, calls=calls
    )
    bot.publisher.check(OutboxRow(OutboxKind.CALL, challenge.id, channel_id, message_id))
    if bot.matches.notifications is not None:
        bot.matches.notifications.note_present(channel_id, challenge.challenger.id)


async def _withdraw_unseen(interaction: Interaction, challenge: Challenge) -> Never:
    """Withdraw a challenge that Discord shows to its challenger alone, and say so."""
    closed = await _withdraw(interaction.client, challenge)
    await fulfil(interaction, view=challenge_view(closed))
    raise CannotChallengeError(
        _(
            "Here Discord shows my messages to you alone, so nobody could accept: the "
            "challenge is withdrawn. Challenge them in a server that I am in."
        )
    )


async def _withdraw(bot: GameBot, challenge: Challenge) -> Challenge:
    """Withdraw a challenge that nobody sees."""
    return await bot.challenges.withdraw(challenge.id, user_id=challenge.challenger.id)


async def require_audience(
    interaction: Interaction, opponent: discord.User | discord.Member | None
) -> None:
    """Raise if nobody who could accept would see a challenge made here.

    Nobody else sees a user's conversation with the bot. People who have asked for direct messages
    can be sent the challenge there.
    """
    if not interaction.context.dm_channel:
        return
    if opponent is None:
        raise CannotChallengeError(
            _(
                "Nobody else can see this conversation: offer the game in a server, or "
                "challenge somebody by name."
            )
        )
    await _require_reachable(interaction.client, person_of(opponent))


async def send_challenge(interaction: Interaction, challenge: Challenge) -> None:
    """Send a challenge made in a conversation with the bot to the person it is for.

    Raises:
        CannotChallengeError: If they take no messages; the challenge is withdrawn then.
    """
    bot, opponent = interaction.client, challenge.opponent
    assert opponent is not None, "asked for before"
    try:
        await _require_reachable(bot, opponent)
        with (await presentation_to(bot, opponent.id)).spoken(), asking():
            channel = await bot.create_dm(discord.Object(opponent.id))
            await channel.send(view=challenge_view(challenge))
    except (CannotChallengeError, DiscordError) as error:
        log.info("challenge not sent", challenge=challenge.id, reason=str(error))
        await _withdraw(bot, challenge)
        if isinstance(error, CannotChallengeError) or error.fault is Fault.PASSING:
            raise
        raise CannotChallengeError(
            _("I may not write to {name}: challenge them where you both are.").format(
                name=opponent.name
            )
        ) from error


async def _require_reachable(bot: GameBot, person: Person) -> None:
    """Raise if somebody has not asked for direct messages."""
    if not person.is_bot and (await bot.preferences.of(person.id)).notices is not Notices.DM:
        raise CannotChallengeError(
            _(
                "{name} cannot see this conversation, and has not asked for direct messages "
                "with `/settings`: challenge them where you both are."
            ).format(name=person.name)
        )


async def _role_to_call(interaction: Interaction, challenge: Challenge) -> discord.Role | None:
    """Return the role to mention with an open challenge, and note that it is mentioned.

    None if the server has set none, if it may not be mentioned, or if it was mentioned lately.
    """
    guild, bot = interaction.guild, interaction.client
    if guild is None or challenge.opponent is not None:
        return None
    role_id = (await bot.servers.of(guild.id)).lobby_role
    if role_id is None:
        return None
    try:
        with asking():
            role = discord.utils.get(await guild.fetch_roles(), id=role_id)
    except DiscordError as error:
        log.info("role not called", guild=guild.id, reason=str(error))
        return None
    may_call = role is not None and can_mention(role, interaction.app_permissions)
    return role if may_call and await bot.challenges.claim_call(guild.id) else None


def can_mention(role: discord.Role, may: discord.Permissions) -> bool:
    """Return whether mentioning a role notifies its members, given the bot's permissions."""
    return role.mentionable or may.mention_everyone


def _mentions(challenge: Challenge, role: discord.Role | None) -> discord.AllowedMentions:
    opponent = challenge.opponent
    return discord.AllowedMentions(
        everyone=False,
        roles=[] if role is None else [role],
        replied_user=False,
        users=[] if opponent is None else [discord.Object(opponent.id)],
    )


async def _challenge_presentation(
    bot: GameBot, challenge: Challenge, interaction: Interaction | None = None
) -> Presentation:
    """Return the presentation of a challenge: it speaks to its opponent, or to the server.

    Outside servers it speaks to both people.
    """
    spoken_to = [challenge.opponent]
    if challenge.guild_id is None:
        spoken_to = [challenge.challenger, challenge.opponent or challenge.taker]
    people = [each.id for each in spoken_to if each is not None]
    return await presentation_among(bot, people, challenge.guild_id, interaction)


async def show_challenge(interaction: Interaction, challenge: Challenge) -> None:
    """Update the clicked challenge, and its own message if that is another one.

    A lobby lists several, and a challenge may have been sent as a message of its own.
    """
    bot, message, row = interaction.client, interaction.message, outbox_row(challenge)
    try:
        if message is None or not message.flags.ephemeral:
            await update_clicked(interaction, view=await _drawn(interaction, challenge))
            if row is not None and message is not None and message.id == row.message_id:
                await bot.publisher.sent(row)
    finally:
        refresh_challenge(bot, challenge)


def refresh_challenge(bot: GameBot, challenge: Challenge) -> None:
    """Have a posted challenge that was closed updated, if it was not yet."""
    row = outbox_row(challenge)
    if row is not None:
        bot.publisher.check(row)


def outbox_row(challenge: Challenge) -> OutboxRow | None:
    """Return the outbox row for a posted challenge that is closed."""
    if challenge.channel_id is None or challenge.message_id is None:
        return None
    return OutboxRow(OutboxKind.CHALLENGE, challenge.id, challenge.channel_id, challenge.message_id)


async def edit_challenge(bot: GameBot, challenge: Challenge) -> None:
    """Bring a posted challenge up to date, if it was posted.

    Raises:
        DiscordError: If Discord does not take it; its buttons say then that it is closed.
    """
    row = outbox_row(challenge)
    if row is None:
        return
    with (await _challenge_presentation(bot, challenge)).spoken():
        drawing = challenge_view(challenge), list[discord.File]()
    await edit_message(bot, row.channel_id, row.message_id, drawing)


async def send_challenge_closed(bot: GameBot, row: OutboxRow) -> None:
    """Show what became of a challenge, unless its message is the board by now.

    Raises:
        DiscordError: If Discord does not take it.
    """
    challenge = await bot.challenges.load(row.number)
    if challenge.match_id is not None:
        match = await bot.matches.load(challenge.match_id)
        if row.message_id in (match.message_id, match.channel_id):
            return  # the board, or the way to its thread
    await edit_challenge(bot, challenge)


LONGEST_PERSON = 30
"""The most of a person's name in a thread's name, so that both names and the game fit."""


async def move_to_thread(interaction: Interaction, match: Match) -> None:
    """Have a thread started below the board just shown, if the server wants that.

    Where the bot may not, or Discord refuses, the game stays where it is.
    """
    bot = interaction.client
    settings = await bot.servers.of(interaction.guild_id)
    match = await bot.matches.load(match.id)
    is_here = match.channel_id == interaction.channel_id
    if not settings.threads or not is_here or not threads.can_have_threads(interaction):
        return
    if match.channel_id is not None and match.message_id is not None:
        row = OutboxRow(OutboxKind.THREAD, match.id, match.channel_id, match.message_id)
        await bot.publisher.send(row)


async def start_thread(bot: GameBot, row: OutboxRow) -> None:
    """Start a match's thread, move the board there, announce it, and let both players in.

    Steps that were already done are not repeated.

    Raises:
        DiscordError: If Discord does not take some of it.
    """
    match = await bot.matches.reload(row.number)
    thread_id = row.message_id  # Discord's number for it
    name, view = await _thread_words(bot, match, thread_id)
    if match.message_id == row.message_id:
        await threads.start_thread(bot, row.channel_id, thread_id, name)
        await move_board(bot, match, thread_id)
    elif match.channel_id != thread_id:
        return  # somebody has moved it elsewhere
    await edit_message(bot, row.channel_id, row.message_id, (view, []))
    people = (seat.player_id for seat in match.seats if seat.player_id is not None)
    await threads.invite(bot, thread_id, people)


@asynccontextmanager
async def renamed_thread(bot: GameBot, match: Match) -> AsyncIterator[None]:
    """Rename a match's thread, if it has one, and update the message that announces it.

    An archived thread is open while the block runs: otherwise nothing in it could be edited.

    Raises:
        discord.HTTPException: If Discord does not take it.
    """
    thread = await _find_thread(bot, match)
    if thread is None:
        yield
        return
    name, view = await _thread_words(bot, match, thread.id)
    was_archived = thread.archived
    await thread.edit(name=name, archived=False)
    try:
        yield
    finally:
        if was_archived:
            await thread.edit(archived=True)
    # The thread belongs to the message with the same id.
    channel = bot.get_partial_messageable(thread.parent_id)
    await channel.get_partial_message(thread.id).edit(view=view)


async def _thread_words(
    bot: GameBot, match: Match, thread_id: int
) -> tuple[str, discord.ui.LayoutView]:
    """Return the name of a match's thread, and the message left in the channel for it."""
    with (await presentation_of(bot, match)).spoken():
        return thread_name(match), sealed(in_thread(match, f"<#{thread_id}>"))


async def _find_thread(bot: GameBot, match: Match) -> discord.Thread | None:
    """Return the thread that the bot has made for a match."""
    if match.guild_id is None or match.channel_id is None:
        return None
    channel = await bot.fetch_channel(match.channel_id)
    assert bot.user is not None, "known since the login"
    if isinstance(channel, discord.Thread) and channel.owner_id == bot.user.id:
        return channel
    return None


def thread_name(match: Match) -> str:
    """Name the thread of a match after its players, its rules and its number."""
    x, o = (_short(name, LONGEST_PERSON) for name in told_names(match))
    variant = _short(told(load_variant(match.variant_key).name), threads.LONGEST_NAME // 5)
    named = _("{x} – {o}, {variant}, game {number}")  # noqa: RUF001  # a dash between names
    return named.format(x=x, o=o, variant=variant, number=match.id)[: threads.LONGEST_NAME]


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
