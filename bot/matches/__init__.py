"""Matches: games with people and the computer in their seats."""

from bot.matches.model import EndReason, FirstMove, Match, MatchStatus, Person, Seat
from bot.matches.service import MatchService

__all__ = [
    "EndReason",
    "FirstMove",
    "Match",
    "MatchService",
    "MatchStatus",
    "Person",
    "Seat",
]
