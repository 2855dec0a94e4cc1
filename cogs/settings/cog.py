"""`/settings` and `/server`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.model.clock_rules import ClockRules
from cogs.answering import answering
from cogs.clocks import complete_clock
from cogs.settings.choices import as_default
from cogs.settings.showing import managed_server, show_rules, show_wishes
from cogs.variants import DEFAULT_VARIANT, complete_variant, read_variant

if TYPE_CHECKING:
    from bot.client import GameBot


class SettingsCog(commands.Cog):
    """How things look and what applies if nobody says otherwise."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    async def settings(self, interaction: discord.Interaction[GameBot]) -> None:
        """Choose your colours, marks, language, turn notices and boards as text."""
        async with answering(interaction):
            await show_wishes(interaction)

    @app_commands.command()
    @app_commands.guild_only()
    # That alone would leave the contexts of the whole tree as they are.
    @app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
    @app_commands.allowed_installs(guilds=True, users=False)
    @app_commands.default_permissions(manage_guild=True)
    @app_commands.describe(
        variant="Default rules: a name, or won_board=open,goal=five",
        clock="Default clock of challenges: 3d or 36h a move, 5+3, none",
    )
    @app_commands.autocomplete(variant=complete_variant, clock=complete_clock)
    async def server(
        self,
        interaction: discord.Interaction[GameBot],
        variant: str | None = None,
        clock: str | None = None,
    ) -> None:
        """Set channels, rules, clock, threads, language and colours for this server."""
        async with answering(interaction):
            guild = managed_server(interaction)
            changes: dict[str, object] = {}
            if variant is not None:
                key = read_variant(variant)
                changes["variant_key"] = None if key == DEFAULT_VARIANT else key
            if clock is not None:
                changes["clock"] = as_default(ClockRules.parse(clock))
            if changes:
                await self.bot.servers.change(guild.id, **changes)
            await show_rules(interaction, guild)
