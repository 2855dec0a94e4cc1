"""Commands for the bot's host only; in English, like the log and the doctor."""

from cogs.admin.cog import setup as setup
