"""Where the computer player thinks."""

from bot.players.computer import ComputerPlayer, SearchStoppedError

__all__ = ["ComputerPlayer", "SearchStoppedError"]
