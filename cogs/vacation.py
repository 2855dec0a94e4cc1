"""`/vacation`: pausing correspondence clocks. All answers are private."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.language import _, ngettext, told
from bot.model.clocks import ClockKind, format_span
from bot.model.match import Match
from bot.model.vacations import MOST_A_YEAR, Vacation
from bot.services.vacations import set_vacation, vacation_of
from cogs.answering import answer, answering
from cogs.options import is_turn_of

Days = app_commands.Range[int, 1, MOST_A_YEAR.days]


class Vacations(commands.GroupCog, group_name="vacation"):
    """Pause your clocks in correspondence games."""

    @app_commands.command()
    @app_commands.describe(days="For how many days from now, even if you are already on vacation")
    async def start(self, interaction: Interaction, days: Days) -> None:
        """Begin a vacation, or change how long it lasts."""
        async with answering(interaction):
            user_id, matches = interaction.user.id, interaction.client.matches
            until = matches.clock() + timedelta(days=days)
            vacation = await set_vacation(matches, user_id, until)
            games = await matches.ongoing_of(user_id)
            await answer(interaction, _standing(vacation, games), ephemeral=True)
            _show(interaction, games)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End your vacation: your clocks run again with the time they had left."""
        async with answering(interaction):
            user_id, matches = interaction.user.id, interaction.client.matches
            was_away = (await vacation_of(matches, user_id)).until is not None
            vacation = await set_vacation(matches, user_id, None)
            back = _("**You are back:** your clocks run again.")
            said = back if was_away else _("You are not on vacation.")
            await answer(interaction, f"{said}\n{_left(vacation)}", ephemeral=True)
            if was_away:
                _show(interaction, await matches.ongoing_of(user_id))

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """See whether you are on vacation, and how many days you have left this year."""
        async with answering(interaction):
            user_id, matches = interaction.user.id, interaction.client.matches
            vacation, games = await vacation_of(matches, user_id), await matches.ongoing_of(user_id)
            await answer(interaction, _standing(vacation, games), ephemeral=True)


def _show(interaction: Interaction, games: Sequence[Match]) -> None:
    """Update the boards whose deadline has moved."""
    for match in games:
        if match.deadline is not None and is_turn_of(match, interaction.user.id):
            interaction.client.publisher.redraw(match.id)


def _standing(vacation: Vacation, games: Sequence[Match]) -> str:
    """Say whether somebody is on vacation, and what that does or would do."""
    if vacation.until is None:
        how = _(
            "`/vacation start` pauses your clocks in correspondence games, those with a "
            "time for each move. Vacation doesn't stop live clocks."
        )
        return "\n".join([_("You are not on vacation."), _left(vacation), how])
    until = discord.utils.format_dt(vacation.until, "f")
    lines = [
        _("**You are on vacation until {time}.**").format(time=until),
        _what_it_does(games),
        _left(vacation),
        _("`/vacation end` ends it earlier; moving is possible at any time."),
    ]
    return "\n".join(lines)


def _what_it_does(games: Sequence[Match]) -> str:
    waiting = sum(match.clock.kind is ClockKind.CORRESPONDENCE for match in games)
    if not waiting:
        return _("You have no correspondence games now; in new ones your clock will be paused.")
    words = ngettext(
        "Your clock is paused in {count} game; your opponent's is not.",
        "Your clocks are paused in {count} games; your opponents' are not.",
        waiting,
    )
    return words.format(count=waiting)


def _left(vacation: Vacation) -> str:
    return _("Vacation days left this year: {time}.").format(time=told(format_span(vacation.left)))


async def setup(bot: GameBot) -> None:
    """Add the commands."""
    await bot.add_cog(Vacations())
