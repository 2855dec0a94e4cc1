"""`/block`, `/unblock` and `/blocks`. All answers are private."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import app_commands
from discord.ext import commands
from discord.utils import escape_markdown

from bot.client import GameBot, Interaction
from bot.language import _, ngettext
from cogs.answering import answer, answering
from cogs.challenge.showing import refresh_challenge

MOST_NAMED = 50
"""Names that are listed: they fit into a message with room to spare."""


class Blocks(commands.Cog):
    """Whom somebody does not want to have to do with."""

    @app_commands.command()
    @app_commands.describe(player="Who to block; they won't be told")
    async def block(self, interaction: Interaction, player: discord.User) -> None:
        """Stop someone from challenging you."""
        async with answering(interaction):
            closed = await interaction.client.challenges.block(interaction.user.id, player.id)
            for challenge in closed:
                refresh_challenge(interaction.client, challenge)
            said = _blocked(player.display_name, len(closed))
            await answer(interaction, said, ephemeral=True)

    @app_commands.command()
    @app_commands.describe(player="Who to unblock")
    async def unblock(self, interaction: Interaction, player: discord.User) -> None:
        """Let someone challenge you again."""
        async with answering(interaction):
            was_blocked = player.id in await interaction.client.challenges.blocked_by(
                interaction.user.id
            )
            await interaction.client.challenges.unblock(interaction.user.id, player.id)
            if was_blocked:
                words = _("**{name} is not blocked any more:** you can challenge each other again.")
            else:
                words = _("You haven't blocked {name}: see who you have with `/blocks`.")
            said = words.format(name=escape_markdown(player.display_name))
            await answer(interaction, said, ephemeral=True)

    @app_commands.command()
    async def blocks(self, interaction: Interaction) -> None:
        """See who you've blocked."""
        async with answering(interaction):
            blocked = await interaction.client.challenges.blocked_by(interaction.user.id)
            await answer(interaction, _list(blocked), ephemeral=True)


def _blocked(name: str, closed: int) -> str:
    """Say what a block does, and how many challenges it has closed."""
    lines = [
        _("**{name} is blocked.**").format(name=escape_markdown(name)),
        _(
            "Neither of you can challenge the other or accept the other's challenges. They won't "
            "be told. You can finish the games you are playing. `/unblock` undoes it."
        ),
    ]
    if closed:
        words = ngettext(
            "{count} challenge between you has been closed.",
            "{count} challenges between you have been closed.",
            closed,
        )
        lines.append(words.format(count=closed))
    return "\n".join(lines)


def _list(user_ids: Sequence[int]) -> str:
    """List whom somebody has blocked, the latest first."""
    if not user_ids:
        return _("You haven't blocked anyone. `/block` stops someone from challenging you.")
    # Discord shows the name that somebody has now; nobody is called by it here.
    lines = [_("**You have blocked:**"), *(f"- <@{each}>" for each in user_ids[:MOST_NAMED])]
    more = len(user_ids) - MOST_NAMED
    if more > 0:
        lines.append(ngettext("and {count} more", "and {count} more", more).format(count=more))
    return "\n".join(lines)


async def setup(bot: GameBot) -> None:
    """Add the commands."""
    await bot.add_cog(Blocks())
