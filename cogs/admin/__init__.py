"""What only the bot's host may do, in Discord; in English, as the log and the doctor are."""

from cogs.admin.cog import setup

__all__ = ["setup"]
