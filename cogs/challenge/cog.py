"""`/challenge`, `/lobby`, and what the buttons of a challenge do.

Messages posted years ago carry these custom ids: add forms, never change one.
"""

from __future__ import annotations

import asyncio
from functools import partial

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.language import told
from bot.model.challenges import Challenge, Offer
from bot.model.errors import ChallengeClosedError
from bot.model.match import Match
from bot.services.clocks import ClockScheduler
from bot.storage.outbox import OutboxKind
from cogs.answering import GameItem, answer, answering, is_answered, whisper
from cogs.audience import person_of
from cogs.challenge.showing import (
    challenge_view,
    lobby_view,
    move_to_thread,
    post_challenge,
    refresh_challenge,
    require_audience,
    send_challenge_closed,
    show_challenge,
    start_thread,
)
from cogs.challenge.texts import CHALLENGE
from cogs.options import (
    CLOCK_HELP,
    START_HELP,
    clock_meant,
    complete_clock,
    complete_variant,
    variant_meant,
)
from cogs.play.layout import MATCH
from cogs.play.showing import sender, show_match, show_new_match
from cogs.starting import playing_here, require_rateable, why_casual
from engine import O, X


class AcceptButton(GameItem, template=rf"accept:{CHALLENGE}"):
    """Accepts a challenge."""

    challenge_id: int

    async def pressed(self, interaction: Interaction) -> None:
        """Begin the match and put its board where the challenge stood."""
        challenges = interaction.client.challenges
        await playing_here(interaction)
        try:
            match = await challenges.accept(
                self.challenge_id,
                person=person_of(interaction.user),
                board=_shared_message(interaction),
            )
        except ChallengeClosedError as error:
            await show_closed(interaction, error.challenge)
            raise
        try:
            await show_new_match(interaction, match)
        finally:
            accepted = await challenges.load(self.challenge_id)
            refresh_challenge(interaction.client, accepted)
        await move_to_thread(interaction, match)
        people = accepted.challenger.id, interaction.user.id
        reason = interaction.client.ratings.why_not_rated(match.rules, people)
        if accepted.rated and not match.rated and reason is not None:
            await whisper(interaction, told(reason.sentence))


class CloseButton(GameItem, template=rf"(?P<how>decline|withdraw):{CHALLENGE}"):
    """Declines a challenge, or withdraws the user's own."""

    how: str
    challenge_id: int

    async def pressed(self, interaction: Interaction) -> None:
        """Close the challenge and show it; in private if the clicked message stays as it is."""
        challenges, user_id = interaction.client.challenges, interaction.user.id
        close = challenges.decline if self.how == "decline" else challenges.withdraw
        challenge = await close(self.challenge_id, user_id=user_id)
        await show_challenge(interaction, challenge)
        if not is_answered(interaction):
            await answer(interaction, view=challenge_view(challenge), ephemeral=True)


class RematchButton(GameItem, template=rf"rematch:{MATCH}"):
    """Offers the opponent of a finished match another one, with the seats swapped."""

    match_id: int

    async def pressed(self, interaction: Interaction) -> None:
        """Post the offer, or the new match's board if the opponent has made the same offer."""
        await playing_here(interaction)
        challenges = interaction.client.challenges
        offered = await challenges.rematch(
            self.match_id, person=person_of(interaction.user), channel_id=interaction.channel_id
        )
        if not isinstance(offered, Match):
            await post_challenge(interaction, offered)
            return
        try:
            await show_new_match(interaction, offered, fresh=True)
        finally:
            # The opponent's offer has a message of its own: it is accepted now.
            if (accepted := await challenges.accepted_as(offered.id)) is not None:
                refresh_challenge(interaction.client, accepted)
        await move_to_thread(interaction, offered)


def _shared_message(interaction: Interaction) -> tuple[int, int] | None:
    """Return the channel and number of the clicked message if everybody there sees it."""
    message = interaction.message
    if message is None or message.flags.ephemeral or interaction.context.dm_channel:
        return None
    return message.channel.id, message.id


async def show_closed(interaction: Interaction, challenge: Challenge) -> None:
    """Update a clicked challenge that is closed; a board that took its place stays."""
    message = interaction.message
    if challenge.match_id is not None and message is not None and not message.flags.ephemeral:
        match = await interaction.client.matches.load(challenge.match_id)
        if match.message_id in (None, message.id):
            await show_match(interaction, match)
            return
    await show_challenge(interaction, challenge)


BUTTONS = (AcceptButton, CloseButton, RematchButton)


COLOUR_CHOICES = [
    app_commands.Choice(name="X, and move first", value=X),
    app_commands.Choice(name="O, and move second", value=O),
]


@app_commands.context_menu(name="Challenge")
async def challenge_them(interaction: Interaction, player: discord.User) -> None:
    """Challenge somebody from the menu of their name, as `/challenge` does by default."""
    async with answering(interaction):
        await _offer(interaction, player)


async def _offer(
    interaction: Interaction,
    player: discord.User | None,
    *,
    variant: str | None = None,
    colour: int | None = None,
    opening: str | None = None,
    clock: str | None = None,
    rated: bool | None = None,
) -> None:
    """Offer a game to somebody, or to anyone, and post the challenge; rated if it can be."""
    bot = interaction.client
    settings = await playing_here(interaction)
    key = variant_meant(variant, settings)
    await require_audience(interaction, player)
    casual_as = None
    if rated is None:
        casual_as = why_casual(bot, key, interaction.user, player, opening=opening)
        rated = casual_as is None
    elif rated:
        require_rateable(bot, key, interaction.user, player)
    offer = Offer(
        challenger=person_of(interaction.user),
        opponent=None if player is None else person_of(player),
        variant_key=key,
        opening_code=opening.strip() if opening else None,
        side=colour,
        rated=rated,
        clock=clock_meant(clock, settings),
        channel_id=interaction.channel_id,
        guild_id=interaction.guild_id,
    )
    await post_challenge(interaction, await bot.challenges.offer(offer))
    if casual_as is not None:
        await whisper(interaction, casual_as)


class Challenges(commands.Cog):
    """Games between people."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    async def cog_load(self) -> None:
        """Start keeping time, and sending what the outbox holds for challenges."""
        senders = self.bot.publisher.senders
        senders[OutboxKind.CHALLENGE] = sender(self.bot, send_challenge_closed)
        senders[OutboxKind.THREAD] = sender(self.bot, start_thread)
        self._time = asyncio.create_task(self._keep_time(), name="deadlines")

    async def cog_unload(self) -> None:
        """Stop keeping time."""
        self._time.cancel()
        await asyncio.gather(self._time, return_exceptions=True)

    @app_commands.command()
    @app_commands.describe(
        player="Who to challenge; leave empty to let anyone accept",
        variant=START_HELP,
        colour="Your marks; random if left empty",
        opening="The opening's code, for variants with a random one: 51837; random if left empty",
        clock=CLOCK_HELP,
        rated="Whether it counts for your ratings; default: yes, where it can",
    )
    @app_commands.choices(colour=COLOUR_CHOICES)
    @app_commands.autocomplete(variant=complete_variant, clock=complete_clock)
    async def challenge(
        self,
        interaction: Interaction,
        player: discord.User | None = None,
        variant: str | None = None,
        colour: int | None = None,
        opening: str | None = None,
        clock: str | None = None,
        rated: bool | None = None,
    ) -> None:
        """Challenge someone to a game, or offer one to anyone."""
        async with answering(interaction):
            await _offer(
                interaction,
                player,
                variant=variant,
                colour=colour,
                opening=opening,
                clock=clock,
                rated=rated,
            )

    @app_commands.command()
    async def lobby(self, interaction: Interaction) -> None:
        """See who is looking for an opponent here."""
        async with answering(interaction):
            here, user_id = interaction.guild_id, interaction.user.id
            channel_id = None if here else interaction.channel_id
            find = self.bot.challenges.open_challenges
            waiting = await find(here, channel_id, user_id=user_id)
            own = [each for each in await find(here, channel_id) if each.challenger.id == user_id]
            await answer(interaction, view=lobby_view(waiting, own), ephemeral=True)

    async def _keep_time(self) -> None:
        """Settle what runs out while the bot is online, and show it."""
        await self.bot.wait_until_ready()
        await ClockScheduler(
            self.bot.matches,
            self.bot.challenges,
            on_settled=lambda match: self.bot.publisher.check(match.id),
            on_expired=partial(refresh_challenge, self.bot),
            is_online=lambda: self.bot.is_online and self.bot.matches.database.leads,
        ).run()


async def setup(bot: GameBot) -> None:
    """Add the commands and make every challenge ever posted answerable."""
    bot.add_dynamic_items(*BUTTONS)
    bot.tree.add_command(challenge_them)
    await bot.add_cog(Challenges(bot))
