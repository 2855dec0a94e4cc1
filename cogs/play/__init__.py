"""Playing a game: starting it, its buttons, finding it again, giving it up."""

from cogs.play.cog import setup as setup
