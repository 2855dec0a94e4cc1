"""The settings of players and of servers."""

from cogs.settings.cog import setup as setup
