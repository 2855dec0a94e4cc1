"""Notifying players about their matches, and letting them mute that."""

from cogs.notices.cog import setup as setup
