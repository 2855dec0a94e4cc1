"""What is stored about somebody: shown, handed out, deleted."""

from cogs.privacy.cog import setup as setup
