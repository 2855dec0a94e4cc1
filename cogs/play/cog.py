"""The commands that start a game, play in it, show it and give it up."""

from __future__ import annotations

import asyncio
from functools import partial

from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.language import _
from bot.model import actions
from bot.model.errors import PlayerError
from bot.model.match import FirstMove
from bot.storage.outbox import OutboxKind
from cogs.answering import answer, answering
from cogs.audience import own_language
from cogs.options import (
    DEFAULT_LEVEL,
    GAME_HELP,
    LEVEL_CHOICES,
    MOST_CHOICES,
    START_HELP,
    complete_game,
    complete_variant,
    game_meant,
    game_seen,
)
from cogs.play.buttons import BUTTONS
from cogs.play.layout import Stage, offer_view, read_move, typed_moves
from cogs.play.showing import (
    ask_in_private,
    leave_pointer,
    redraw,
    sender,
    show_match,
    show_posted,
    with_reply,
)
from cogs.starting import is_newcomer, playing_here, start_game
from engine import LevelNumber
from engine.diagram import tell_move

FIRST_CHOICES = [
    app_commands.Choice(name="You (X)", value=FirstMove.YOU.value),
    app_commands.Choice(name="The computer (X)", value=FirstMove.COMPUTER.value),
    app_commands.Choice(name="Random", value=FirstMove.RANDOM.value),
]


class Play(commands.Cog):
    """Games against the computer."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    async def cog_load(self) -> None:
        """Start keeping boards up to date."""
        self.bot.publisher.senders[OutboxKind.POINTER] = sender(self.bot, leave_pointer)
        self._publishing = asyncio.create_task(self._publish(), name="publisher")

    async def cog_unload(self) -> None:
        """Stop keeping boards up to date."""
        self._publishing.cancel()
        await asyncio.gather(self._publishing, return_exceptions=True)

    async def _publish(self) -> None:
        await self.bot.wait_until_ready()
        await self.bot.publisher.run(partial(show_posted, self.bot))

    @app_commands.command()
    @app_commands.describe(
        level="How strong the computer plays, from 1 (a first game) to 10; default: 3",
        first="Who makes the first move and plays X; default: you",
        variant=START_HELP,
        opening="The opening's code, for variants with a random one: 51837; random if left empty",
        rated="Whether it counts for your rating, without undo and hints; default: no",
    )
    @app_commands.choices(level=LEVEL_CHOICES)
    @app_commands.choices(first=FIRST_CHOICES)
    @app_commands.autocomplete(variant=complete_variant)
    async def play(
        self,
        interaction: Interaction,
        level: LevelNumber = DEFAULT_LEVEL,
        first: str = FirstMove.YOU.value,
        variant: str | None = None,
        opening: str | None = None,
        rated: bool = False,
    ) -> None:
        """Start a game against the computer."""
        async with answering(interaction):
            if not list(interaction.namespace) and await is_newcomer(interaction):
                await playing_here(interaction)
                await answer(interaction, view=offer_view(DEFAULT_LEVEL), ephemeral=True)
                return
            match = await start_game(
                interaction,
                level=level,
                first=FirstMove(first),
                variant=variant,
                opening=opening,
                rated=rated,
            )
            with self.bot.publisher.claim(match.id):
                await redraw(interaction, match)

    @app_commands.command()
    @app_commands.describe(game=GAME_HELP)
    @app_commands.autocomplete(game=complete_game)
    async def board(self, interaction: Interaction, game: int | None = None) -> None:
        """Show your game again at the bottom of this channel."""
        async with answering(interaction):
            match = await game_meant(interaction, game)
            with self.bot.publisher.claim(match.id):
                await redraw(interaction, match)

    @app_commands.command()
    @app_commands.describe(
        cell="The cell, board first: 53 is cell 3 of board 5; sent to board 5, 3 will do",
        game=GAME_HELP,
    )
    @app_commands.autocomplete(game=complete_game)
    async def move(self, interaction: Interaction, cell: str, game: int | None = None) -> None:
        """Play a cell by typing it."""
        async with answering(interaction):
            match = await game_meant(interaction, game)
            move = read_move(cell, match.position)
            with self.bot.publisher.claim(match.id):
                played = await self.bot.matches.perform(
                    match.id,
                    actions.Play(move),
                    user_id=interaction.user.id,
                    ply=match.ply,
                    late_by=self.bot.arrivals.time_of(interaction).late_by,
                )
                await redraw(interaction, played)

    @move.autocomplete("cell")
    async def _complete_move(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        """Offer the legal moves of the game meant; on 27x27 cells, say where each one sends."""
        try:
            match = await game_meant(interaction, getattr(interaction.namespace, "game", None))
        except PlayerError:
            return []
        moves = list(typed_moves(match.position, current).items())[:MOST_CHOICES]
        if match.rules.depth < 3:
            return [app_commands.Choice(name=typed, value=typed) for typed, _move in moves]
        async with own_language(interaction):
            return [
                app_commands.Choice(name=tell_move(match.position, move).told(_), value=typed)
                for typed, move in moves
            ]

    @app_commands.command()
    @app_commands.describe(game="The number of any game, shown below its board")
    async def watch(self, interaction: Interaction, game: int) -> None:
        """Watch anyone's game."""
        async with answering(interaction):
            match = await game_seen(interaction, game)
            await show_match(interaction, match, Stage(watching=True))

    @app_commands.command()
    @app_commands.describe(game=GAME_HELP)
    @app_commands.autocomplete(game=complete_game)
    async def claim(self, interaction: Interaction, game: int | None = None) -> None:
        """Claim the win if your opponent's time has run out, or see how much is left."""
        async with answering(interaction):
            match = await game_meant(interaction, game)
            user_id = interaction.user.id
            with self.bot.publisher.claim(match.id):
                claimed = await self.bot.matches.perform(
                    match.id, actions.ClaimTime(), user_id=user_id
                )
                await redraw(interaction, claimed)

    @app_commands.command()
    @app_commands.describe(game=GAME_HELP)
    @app_commands.autocomplete(game=complete_game)
    async def resign(self, interaction: Interaction, game: int | None = None) -> None:
        """Resign your game; you'll be asked to confirm."""
        async with answering(interaction):
            match = await with_reply(interaction, await game_meant(interaction, game))
            if match.is_between_people:
                await ask_in_private(interaction, match)
            else:
                with self.bot.publisher.claim(match.id):
                    await show_match(interaction, match, Stage(resigning=True))


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(Play(bot))
