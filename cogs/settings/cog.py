"""`/settings` and `/server`, and what their menus do."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.language import _
from bot.model.clocks import ClockRules
from bot.model.errors import PlayerError
from cogs.answering import GameItem, answering, asking, chosen_in, chosen_one
from cogs.options import complete_clock, complete_variant, read_variant
from cogs.settings.choices import (
    PICK,
    ROLES,
    RULE,
    WISH,
    Pick,
    Rule,
    Wish,
    clock_setting,
    read_choice,
    rule_choices,
    rules_setting,
    wish_choices,
)
from cogs.settings.panels import show_rules, show_wishes


class SettingsCog(commands.Cog):
    """How things look and what applies if nobody says otherwise."""

    @app_commands.command()
    async def settings(self, interaction: Interaction) -> None:
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
        self, interaction: Interaction, variant: str | None = None, clock: str | None = None
    ) -> None:
        """Set channels, rules, clock, notifications, language and colours for this server."""
        async with answering(interaction):
            guild = await managed_server(interaction)
            changes: dict[str, object] = {}
            if variant is not None:
                changes["variant_key"] = rules_setting(read_variant(variant))
            if clock is not None:
                changes["clock"] = clock_setting(ClockRules.parse(clock))
            if changes:
                await interaction.client.servers.change(guild.id, **changes)
            await show_rules(interaction, guild)


class WishMenu(GameItem, template=WISH):
    """Changes a setting of the user."""

    wish: str

    async def pressed(self, interaction: Interaction) -> None:
        """Store the choice and show the updated panel."""
        wish = Wish(self.wish)
        chosen = read_choice(wish, chosen_one(interaction), wish_choices(wish))
        await interaction.client.preferences.change(interaction.user.id, **{self.wish: chosen})
        await show_wishes(interaction)


class RuleMenu(GameItem, template=RULE):
    """Changes a setting of the server."""

    rule: str

    async def pressed(self, interaction: Interaction) -> None:
        """Store the choice and show the updated panel."""
        guild, servers = await managed_server(interaction), interaction.client.servers
        rule, current = Rule(self.rule), await servers.of(guild.id)
        chosen = read_choice(rule, chosen_one(interaction), rule_choices(rule, current))
        await servers.change(guild.id, **{self.rule: chosen})
        if rule is Rule.DAILY_HOUR:
            await interaction.client.puzzles.skip_post(guild.id)
        await show_rules(interaction, guild)


class PickMenu(GameItem, template=PICK):
    """Sets channels or a role for the server."""

    pick: str

    async def pressed(self, interaction: Interaction) -> None:
        """Store the choice, even an empty one, and show the updated panel."""
        guild = await managed_server(interaction)
        # Others, of another server for example, are nothing that a panel offers.
        here = {str(each.id): each.id for each in (*guild.roles, *guild.channels)}
        chosen = [here[each] for each in chosen_in(interaction) if each in here]
        pick = Pick(self.pick)
        if pick in ROLES and guild.id in chosen:
            raise PlayerError(
                _("I don't mention *@everyone*: choose a role for people who want to be notified.")
            )
        one = next(iter(chosen), None)
        picked = (frozenset(chosen) or None) if pick is Pick.CHANNELS else one
        await interaction.client.servers.change(guild.id, **{self.pick: picked})
        if pick is Pick.DAILY_CHANNEL:
            await interaction.client.puzzles.skip_post(guild.id)
        await show_rules(interaction, guild)


async def managed_server(interaction: Interaction) -> discord.Guild:
    """Return the server of a click, as it is now, if the user manages it.

    Raises:
        PlayerError: If there is no server here, or they do not manage it.
        DiscordError: If Discord does not return it.
    """
    guild_id = require_manager(interaction)
    with asking():
        return await interaction.client.fetch_server(guild_id)


def require_manager(interaction: Interaction) -> int:
    """Return the number of a click's server, if the user manages it.

    Discord hides the command from others unless it was told not to; somebody who has lost the right
    since they opened the panel still has its menus.

    Raises:
        PlayerError: If there is no server here, or they do not manage it.
    """
    guild_id = interaction.guild_id
    if guild_id is None or interaction.client.get_guild(guild_id) is None:
        raise PlayerError(_("This is for servers that have invited me: use it in one of those."))
    if not interaction.permissions.manage_guild:
        raise PlayerError(_("Only those who may manage this server (*Manage Server*) can do that."))
    return guild_id


async def setup(bot: GameBot) -> None:
    """Add the commands and make every panel ever opened work."""
    bot.add_dynamic_items(WishMenu, RuleMenu, PickMenu)
    await bot.add_cog(SettingsCog())
