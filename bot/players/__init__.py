"""Where the computer player thinks."""

from bot.players.computer import ComputerPlayers, SearchStoppedError, find_level, prefers_swap

__all__ = ["ComputerPlayers", "SearchStoppedError", "find_level", "prefers_swap"]
