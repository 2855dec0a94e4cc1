"""What the menus of the panels do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

from cogs.answering import GameMenu, Menu, chosen_in
from cogs.settings import ids
from cogs.settings.choices import read_rule, read_wish
from cogs.settings.showing import managed_server, show_rules, show_wishes

if TYPE_CHECKING:
    from bot.client import GameBot


class WishMenu(GameMenu, template=ids.WISH):
    """Sets something for whoever uses it."""

    def __init__(self, item: Menu, *, wish: str) -> None:
        super().__init__(item)
        self.wish = ids.Wish(wish)

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Remember what was chosen and show the panel as it is now."""
        chosen = read_wish(self.wish, chosen_in(interaction)[0])
        changes = {self.wish.value: chosen}
        await interaction.client.preferences.change(interaction.user.id, **changes)
        await show_wishes(interaction)


class RuleMenu(GameMenu, template=ids.RULE):
    """Sets something for the server."""

    def __init__(self, item: Menu, *, rule: str) -> None:
        super().__init__(item)
        self.rule = ids.Rule(rule)

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Remember what was chosen and show the panel as it is now."""
        guild, servers = managed_server(interaction), interaction.client.servers
        current = await servers.of(guild.id)
        chosen = read_rule(self.rule, chosen_in(interaction)[0], current)
        await servers.change(guild.id, **{self.rule.value: chosen})
        await show_rules(interaction, guild)


class ChannelMenu(GameMenu, template=ids.CHANNELS):
    """Sets the channels that games may be played in."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Remember what was chosen, no channel meaning all, and show the panel as it is now."""
        guild = managed_server(interaction)
        chosen = frozenset(int(each) for each in chosen_in(interaction))
        await interaction.client.servers.change(guild.id, channels=chosen or None)
        await show_rules(interaction, guild)


MENUS = (WishMenu, RuleMenu, ChannelMenu)
