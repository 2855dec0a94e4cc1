"""How good players are: leaderboards and profiles."""

from cogs.ratings.cog import setup as setup
