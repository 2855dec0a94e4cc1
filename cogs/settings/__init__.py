"""What players and those who manage a server may set."""

from cogs.settings.cog import setup as setup
