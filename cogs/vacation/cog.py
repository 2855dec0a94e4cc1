"""`/vacation`: letting correspondence clocks stand still."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.model.match import Match
from bot.model.vacations import MOST_A_YEAR
from cogs.answering import answer, answering
from cogs.vacation import texts

if TYPE_CHECKING:
    from bot.client import GameBot

Days = app_commands.Range[int, 1, MOST_A_YEAR.days]


class Vacations(commands.GroupCog, group_name="vacation"):
    """Pause your clocks in correspondence games."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(days="For how many days from now, even if you are already on vacation")
    async def start(self, interaction: discord.Interaction[GameBot], days: Days) -> None:
        """Begin a vacation, or change how long it lasts."""
        async with answering(interaction):
            user_id = interaction.user.id
            until = self.bot.matches.context.clock() + timedelta(days=days)
            vacation = await self.bot.matches.times.set_vacation(user_id, until)
            games = await self.bot.matches.ongoing_of(user_id)
            await answer(interaction, texts.started(vacation, games), ephemeral=True)
            self._show(games, user_id)

    @app_commands.command()
    async def end(self, interaction: discord.Interaction[GameBot]) -> None:
        """End your vacation: your clocks run again with the time they had left."""
        async with answering(interaction):
            user_id, times = interaction.user.id, self.bot.matches.times
            was_away = (await times.vacation_of(user_id)).until is not None
            vacation = await times.set_vacation(user_id, None)
            said = texts.ended(vacation) if was_away else texts.was_not_away(vacation)
            await answer(interaction, said, ephemeral=True)
            if was_away:
                self._show(await self.bot.matches.ongoing_of(user_id), user_id)

    @app_commands.command()
    async def show(self, interaction: discord.Interaction[GameBot]) -> None:
        """See whether you are on vacation, and how many days you have left this year."""
        async with answering(interaction):
            vacation = await self.bot.matches.times.vacation_of(interaction.user.id)
            games = await self.bot.matches.ongoing_of(interaction.user.id)
            said = texts.standing(vacation, games)
            await answer(interaction, said, ephemeral=True)

    def _show(self, games: list[Match], user_id: int) -> None:
        """Bring the boards up to date whose deadline has moved."""
        for match in games:
            if match.deadline is not None and match.side_to_move == match.side_of(user_id):
                self.bot.publisher.redraw(match.id)
