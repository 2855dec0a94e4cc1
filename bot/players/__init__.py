"""Where the computer player thinks."""

from bot.players.computer import ComputerPlayers, SearchStoppedError

__all__ = ["ComputerPlayers", "SearchStoppedError"]
