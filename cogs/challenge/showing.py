"""Bringing a challenge onto the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

import discord
import structlog

from bot.language import _, speaking
from bot.model.challenge import Challenge
from bot.model.errors import CannotChallengeError
from bot.model.match import Person
from bot.model.preferences import Notices
from cogs.answering import answer, fulfil, update_clicked
from cogs.audience import presentation_to
from cogs.challenge.layout import challenge_view
from cogs.discord_errors import DiscordError, Fault, asking
from cogs.people import person_of

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)


async def post_challenge(interaction: discord.Interaction[GameBot], challenge: Challenge) -> None:
    """Answer with a challenge, which calls whom it is for, and remember where it is shown.

    Raises:
        CannotChallengeError: If it has to be sent to somebody who takes no messages.
    """
    if in_direct_messages(interaction):
        await send_challenge(interaction, challenge)
    try:
        answered = await answer(
            interaction,
            view=challenge_view(challenge),
            allowed_mentions=_only_the_opponent(challenge),
        )
    except DiscordError:
        await _withdraw(interaction.client, challenge)
        raise
    if answered.is_private:
        await _withdraw_unseen(interaction, challenge)
    if interaction.channel_id is not None:
        placed = await interaction.client.challenges.place_challenge(
            challenge.id, channel_id=interaction.channel_id, message_id=answered.message_id
        )
        if not in_direct_messages(interaction):
            interaction.client.dispatch("challenge", placed)


async def _withdraw_unseen(
    interaction: discord.Interaction[GameBot], challenge: Challenge
) -> Never:
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
    interaction: discord.Interaction[GameBot], opponent: discord.User | discord.Member | None
) -> None:
    """Raise if nobody who could accept would see a challenge made here.

    In somebody's conversation with the bot nobody else reads along. Whoever has asked for
    direct messages can be sent the challenge there.
    """
    if not in_direct_messages(interaction):
        return
    if opponent is None:
        raise CannotChallengeError(
            _(
                "Nobody else can see this conversation: offer the game in a server, or "
                "challenge somebody by name."
            )
        )
    await _require_reachable(interaction.client, person_of(opponent))


async def send_challenge(interaction: discord.Interaction[GameBot], challenge: Challenge) -> None:
    """Bring a challenge made in a conversation with the bot to whom it is for.

    Raises:
        CannotChallengeError: If they take no messages; the challenge is withdrawn then.
    """
    bot, opponent = interaction.client, challenge.opponent
    assert opponent is not None, "asked for before"
    try:
        await _require_reachable(bot, opponent)
        presentation = await presentation_to(bot, opponent.id)
        with asking(), speaking(presentation.language):
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
    """Raise if somebody does not want to be written to."""
    if not person.is_bot and (await bot.preferences.of(person.id)).notices is not Notices.DM:
        raise CannotChallengeError(
            _(
                "{name} cannot see this conversation, and has not asked for direct messages "
                "with `/settings`: challenge them where you both are."
            ).format(name=person.name)
        )


def in_direct_messages(interaction: discord.Interaction[GameBot]) -> bool:
    """Tell whether nobody but the bot reads along."""
    return interaction.context.dm_channel


def _only_the_opponent(challenge: Challenge) -> discord.AllowedMentions:
    if challenge.opponent is None:
        return discord.AllowedMentions.none()
    return discord.AllowedMentions(
        everyone=False,
        roles=False,
        replied_user=False,
        users=[discord.Object(challenge.opponent.id)],
    )


async def show_challenge(interaction: discord.Interaction[GameBot], challenge: Challenge) -> None:
    """Bring the clicked challenge up to date."""
    message = interaction.message
    if message is None or not message.flags.ephemeral:
        await update_clicked(interaction, view=challenge_view(challenge))
    if message is not None and message.id != challenge.message_id:
        # A lobby lists several, and a challenge may have been sent as a message of its own.
        await refresh_challenge(interaction.client, challenge)


async def refresh_challenge(bot: GameBot, challenge: Challenge) -> None:
    """Bring a posted challenge up to date without a click, where the bot may."""
    try:
        await edit_challenge(bot, challenge)
    except DiscordError as error:
        # Its buttons stay, and say that it is closed when pressed.
        log.info("challenge not refreshed", challenge=challenge.id, reason=str(error))


async def edit_challenge(bot: GameBot, challenge: Challenge) -> None:
    """Bring a posted challenge up to date, if it was posted.

    Raises:
        DiscordError: If Discord does not take it.
    """
    if challenge.channel_id is None or challenge.message_id is None:
        return
    channel = bot.get_partial_messageable(challenge.channel_id)
    with asking():
        message = channel.get_partial_message(challenge.message_id)
        await message.edit(view=challenge_view(challenge))
