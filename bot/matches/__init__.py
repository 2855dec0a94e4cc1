"""Matches: games with people and the computer in their seats."""

from bot.matches.model import (
    EndReason,
    EventKind,
    FirstMove,
    Match,
    MatchEvent,
    MatchStatus,
    Person,
    Seat,
)
from bot.matches.service import MatchService

__all__ = [
    "EndReason",
    "EventKind",
    "FirstMove",
    "Match",
    "MatchEvent",
    "MatchService",
    "MatchStatus",
    "Person",
    "Seat",
]
