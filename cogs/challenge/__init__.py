"""Finding somebody to play with."""

from cogs.challenge.cog import setup as setup
