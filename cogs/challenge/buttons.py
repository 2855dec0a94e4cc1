"""What the buttons of a challenge do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord

from bot.model.challenge import Challenge
from bot.model.errors import ChallengeClosedError
from bot.model.match import Match
from cogs.answering import GameButton
from cogs.challenge import ids
from cogs.challenge.showing import post_challenge, refresh_challenge, show_challenge
from cogs.challenge.threads import move_to_thread
from cogs.people import person_of
from cogs.places import playing_here
from cogs.play.ids import REMATCH
from cogs.play.showing import show_match, show_new_match

if TYPE_CHECKING:
    from bot.client import GameBot

Item = discord.ui.Button[Any]


class ChallengeButton(GameButton, template=r"(?!)"):
    """A button that knows its challenge."""

    def __init__(self, item: Item, *, challenge_id: int) -> None:
        super().__init__(item)
        self.challenge_id = challenge_id


class AcceptButton(ChallengeButton, template=ids.ACCEPT):
    """Accepts a challenge."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Begin the match and put its board where the challenge stood."""
        challenges = interaction.client.challenges
        await playing_here(interaction)
        try:
            match = await challenges.accept(self.challenge_id, person=person_of(interaction.user))
        except ChallengeClosedError as error:
            await show_closed(interaction, error.challenge)
            raise
        await show_new_match(interaction, match)
        await move_to_thread(interaction, match)
        challenge = await challenges.load(self.challenge_id)
        if interaction.message is None or interaction.message.id != challenge.message_id:
            await refresh_challenge(interaction.client, challenge)


class DeclineButton(ChallengeButton, template=ids.DECLINE):
    """Declines a challenge."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Close the challenge."""
        challenge = await interaction.client.challenges.decline(
            self.challenge_id, user_id=interaction.user.id
        )
        await show_challenge(interaction, challenge)


class WithdrawButton(ChallengeButton, template=ids.WITHDRAW):
    """Takes one's own challenge back."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Close the challenge."""
        challenge = await interaction.client.challenges.withdraw(
            self.challenge_id, user_id=interaction.user.id
        )
        await show_challenge(interaction, challenge)


class RematchButton(GameButton, template=REMATCH):
    """Offers the other player of a finished match another one, the seats exchanged."""

    def __init__(self, item: Item, *, match_id: int) -> None:
        super().__init__(item)
        self.match_id = match_id

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Post the offer; if the other has made the same one, the new match's board."""
        await playing_here(interaction)
        challenges = interaction.client.challenges
        offered = await challenges.rematch(
            self.match_id, person=person_of(interaction.user), channel_id=interaction.channel_id
        )
        if not isinstance(offered, Match):
            await post_challenge(interaction, offered)
            return
        await show_new_match(interaction, offered, fresh=True)
        await move_to_thread(interaction, offered)
        # The other's offer stands in a message of its own: it is accepted by that.
        if (accepted := await challenges.accepted_as(offered.id)) is not None:
            await refresh_challenge(interaction.client, accepted)


async def show_closed(interaction: discord.Interaction[GameBot], challenge: Challenge) -> None:
    """Bring a clicked challenge that is closed up to date; the board that took its place stays."""
    message = interaction.message
    if challenge.match_id is not None and message is not None and not message.flags.ephemeral:
        match = await interaction.client.matches.load(challenge.match_id)
        if match.message_id in (None, message.id):
            await show_match(interaction, match)
            return
    await show_challenge(interaction, challenge)


BUTTONS = (AcceptButton, DeclineButton, WithdrawButton, RematchButton)
